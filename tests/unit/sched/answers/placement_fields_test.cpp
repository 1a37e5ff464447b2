// Every field of a placement, from the scheduler's plan to the job's record, the store, lsb.events, lsb.acct and those who
// ask. The structured bindings name all fields: a new one does not compile here until somebody says where it goes.
#include "common/base/civil_time.hpp"
#include "sched/policy/events/event_lines.hpp"
#include "sched/policy/show/show_gpus.hpp"
#include "sched/policy/show/show_job_fields.hpp"
#include "sched/policy/show/show_job_long.hpp"
#include "sched/policy/show/show_text.hpp"
#include "sched/policy/values/gpus.hpp"
#include "tests/unit/sched/answers/answers_fixture.hpp"

namespace rollcall::sched::answers {
namespace {

using testing::HasSubstr;

constexpr double kFactorOfA = 12.5, kFactorOfB = 3;
const JobKey kJob{1, 0};

// The events of a kind that the effects record.
std::vector<wire::JobEvent> events_of(const Effects& effects, bool (wire::JobEvent::*has)() const) {
  std::vector<wire::JobEvent> events;
  for (const Effect& effect : effects)
    if (const auto* recorded = std::get_if<effect::RecordEvent>(&effect);
        recorded && (recorded->event.*has)())
      events.push_back(recorded->event);
  return events;
}

// A cluster of fast and slow hosts, and a plan in which every field says something.
class PlacementFields : public Answers {
 protected:
  PlacementFields() {
    LoadNews news;
    for (const auto& [name, factor] : {std::pair("hostA", kFactorOfA), std::pair("hostB", kFactorOfB)}) {
      auto& facts = *news.mutable_hosts()->add_hosts();
      facts.set_name(name);
      facts.set_type("X86_64");
      facts.set_cpu_factor(factor);
      facts.set_server(true);
    }
    keeper.load(std::move(news));
    book->cpu_factors(keeper.cpu_factors());
    auto asked = book::plain_job();
    asked.add_queues("special");
    asked.set_exclusive(true);
    EXPECT_EQ(submit_seen(asked), kJob.id);
    plan.job = kJob;
    plan.demand = keeper.snapshot().pending(kJob)->demand;
    plan.hosts = {{0, 3}, {1, 2}};
    plan.reservations = {{mem, 1, 64, {5'000'000}, true}};
    plan.effective_resreq = std::make_shared<const std::string>("select[x] rusage[mem=64]");
  }

  event::Dispatched filled() {
    event::Dispatched event = dispatched_of(keeper.snapshot(), plan);
    wire::DevicesOn on;
    on.set_host("hostB");
    on.add_devices(1);
    on.add_devices(3);
    event.gpus = {on};
    return event;
  }

  cycle::Dispatch plan;
};

TEST_F(PlacementFields, GoFromThePlanToTheBook) {
  const auto& [key, demand, slots, reservations, effective] = plan;
  EXPECT_EQ(key, kJob);
  const auto event = dispatched_of(keeper.snapshot(), plan);
  const auto& [hosts, reserved, effective_resreq, gpus, exclusive, cpu_factor, wait_for_go] = event;
  ASSERT_EQ(hosts.size(), slots.size());
  for (std::size_t i = 0; i < hosts.size(); ++i) {
    const auto& [host, count] = slots[i];
    EXPECT_EQ(hosts[i].name(), keeper.snapshot().rules().hosts[host].name);
    EXPECT_EQ(hosts[i].slots(), static_cast<unsigned>(count));
  }
  ASSERT_EQ(reserved.size(), reservations.size());
  const auto& [resource, host, amount, until, decay] = reservations[0];
  EXPECT_EQ(reserved[0].resource(), keeper.snapshot().rules().indices().at(resource).name);
  EXPECT_EQ(reserved[0].host(), keeper.snapshot().rules().hosts[host].name);
  EXPECT_EQ(reserved[0].amount(), amount);
  EXPECT_EQ(reserved[0].until_us(), until.us);
  EXPECT_EQ(reserved[0].decay(), decay);
  EXPECT_EQ(effective_resreq, *effective);
  EXPECT_EQ(exclusive, keeper.snapshot().demand(demand).exclusive);
  EXPECT_TRUE(exclusive);
  // The Book's own to add.
  EXPECT_TRUE(gpus.empty());
  EXPECT_EQ(cpu_factor, 1);
  EXPECT_FALSE(wait_for_go);
}

TEST_F(PlacementFields, ReachRecordStoreAndEvents) {
  tells("hostA", report::HostCame{{}, true, false});
  const auto event = filled();
  effects = book->dispatch(kJob, event, now);
  const auto starts = events_of(effects, &wire::JobEvent::has_start);
  ASSERT_EQ(starts.size(), 1U);
  const auto& start = starts[0].start();
  wire::JobRecord stored;
  ASSERT_TRUE(stored.ParseFromString(job(kJob).record.SerializeAsString()));
  const auto& [hosts, reserved, effective_resreq, gpus, exclusive, cpu_factor, wait_for_go] = event;
  ASSERT_EQ(stored.hosts_size(), static_cast<int>(hosts.size()));
  ASSERT_EQ(start.hosts_size(), stored.hosts_size());
  for (int i = 0; i < stored.hosts_size(); ++i) {
    EXPECT_EQ(stored.hosts(i).SerializeAsString(), hosts[static_cast<std::size_t>(i)].SerializeAsString());
    EXPECT_EQ(start.hosts(i).SerializeAsString(), stored.hosts(i).SerializeAsString());
  }
  ASSERT_EQ(stored.reserved_size(), static_cast<int>(reserved.size()));
  EXPECT_EQ(stored.reserved(0).SerializeAsString(), reserved[0].SerializeAsString());
  EXPECT_EQ(stored.effective_resreq(), effective_resreq);
  EXPECT_EQ(start.effective_resreq(), effective_resreq);
  EXPECT_EQ(gpus_text(devices_of(stored)), gpus_text(gpus));
  EXPECT_EQ(gpus_on(stored, "hostB"), "1,3");
  EXPECT_EQ(stored.exclusive_hosts(), exclusive);
  EXPECT_NE(stored.cpu_factor(), cpu_factor) << "the Book adds it";
  EXPECT_EQ(stored.cpu_factor(), kFactorOfA);
  EXPECT_EQ(start.cpu_factor(), kFactorOfA);
  EXPECT_FALSE(wait_for_go) << "the Book adds it";
  EXPECT_TRUE(stored.starting());
  EXPECT_THAT(events::event_line(starts[0]),
              HasSubstr(" 12.50 5 \"hostA\" \"hostA\" \"hostA\" \"hostB\" \"hostB\" "));
  // And the snapshot again, as it was planned.
  const cycle::PlacedJob placed = cycle::placed_of(keeper.snapshot().rules(), job(kJob), plan.demand);
  EXPECT_EQ(placed.hosts, plan.hosts);
  EXPECT_EQ(placed.reservations, plan.reservations);
  EXPECT_TRUE(placed.exclusive);
}

TEST_F(PlacementFields, ReachTheAccountAndThoseWhoAsk) {
  effects = book->dispatch(kJob, filled(), now);
  runs(kJob);
  report::Over over = end_of(kJob, 0);
  over.usage.emplace().set_user_s(10);
  const wire::BatchReply::JobView view = job_view(this->view(), job(kJob), nullptr);
  EXPECT_EQ(view.record().hosts_size(), 2);
  EXPECT_EQ(view.record().reserved(0).SerializeAsString(), job(kJob).record.reserved(0).SerializeAsString());
  EXPECT_EQ(view.record().cpu_factor(), kFactorOfA);
  EXPECT_TRUE(view.record().exclusive_hosts());
  EXPECT_FALSE(view.record().starting());
  const std::string block = show::job_block(view, *job(kJob).asked, show::Wrapping::none,
                                            show::ReasonForm::words, show::ShowTime{now, utc_time});
  EXPECT_THAT(block, HasSubstr("5 Task(s) on Host(s) <3*hostA> <2*hostB>"));
  EXPECT_THAT(block, HasSubstr("select[x] rusage[mem=64]"));
  EXPECT_THAT(show::gpu_blocks(view, *job(kJob).asked, show::Wrapping::none), HasSubstr("hostB"));
  tells("hostA", over);
  const auto ends = events_of(effects, &wire::JobEvent::has_finish);
  ASSERT_EQ(ends.size(), 1U);
  const auto& finish = ends[0].finish();
  EXPECT_EQ(finish.cpu_factor(), kFactorOfA);
  EXPECT_EQ(finish.record().cpu_factor(), kFactorOfA);
  EXPECT_EQ(finish.record().hosts_size(), 2);
  EXPECT_EQ(finish.record().effective_resreq(), "select[x] rusage[mem=64]");
  EXPECT_EQ(gpus_text(devices_of(finish.record())), "hostB 1,3");
  EXPECT_THAT(events::account_line(ends[0]), HasSubstr(" 64 12.50 "));  // JOB_STAT_DONE, hostFactor
  // bjobs -N, bacct -N: at the speed of hostB.
  wire::JobUsage usage = finish.record().usage();
  usage.set_user_s(10);
  show::at_speed(usage, finish.record().cpu_factor(), kFactorOfB);
  EXPECT_NEAR(usage.user_s(), 10 * kFactorOfA / kFactorOfB, 1e-9);
}

TEST_F(PlacementFields, AreFilledByBrunToo) {
  tells("hostB", report::HostCame{{}, true, false});
  wire::SignalJobs force;
  set_key(*force.mutable_filter()->add_keys(), kJob);
  force.set_action(wire::SignalJobs::FORCE);
  force.add_hosts("hostB");
  signal(force, book::kRoot);
  const wire::JobRecord& record = job(kJob).record;
  ASSERT_TRUE(placed(record.status()));
  EXPECT_EQ(record.cpu_factor(), kFactorOfB);
  EXPECT_TRUE(record.exclusive_hosts());
  EXPECT_TRUE(record.starting());
  EXPECT_FALSE(record.effective_resreq().empty());
}

}  // namespace
}  // namespace rollcall::sched::answers
