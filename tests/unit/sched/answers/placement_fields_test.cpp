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
    book->hosts().cpu_factors(keeper.cpu_factors());
    auto asked = book::plain_job();
    asked.add_queues("special");
    asked.set_exclusive(true);
    EXPECT_EQ(submit_seen(asked), kJob.id);
    plan.job = kJob;
    plan.demand = keeper.snapshot().pending(kJob)->demand;
    plan.placement = {.hosts = {{0, 3}, {1, 2}},
                      .reservations = {{mem, 1, 64, {5'000'000}, true}},
                      .devices = {{1, {1, 3}}},
                      .exclusive = true,
                      .cpu_factor = kFactorOfA,
                      .expected_end = {7'000'000}};
    plan.effective_resreq = std::make_shared<const std::string>("select[x] rusage[mem=64]");
  }

  // As mbatchd tells the Book of the plan.
  event::Dispatched told() const {
    return {by_name(keeper.snapshot().rules(), plan.placement), *plan.effective_resreq};
  }

  cycle::Dispatch plan;
};

TEST_F(PlacementFields, HaveNamesForTheBookAndNumbersInTheCycle) {
  const cycle::PlacementRules& rules = keeper.snapshot().rules();
  const auto& [key, demand, numbered, effective] = plan;
  EXPECT_EQ(key, kJob);
  EXPECT_EQ(keeper.snapshot().pending(kJob)->demand, demand);
  const auto event = told();
  const auto& [placement, effective_resreq, wait_for_go, forwarded] = event;
  EXPECT_FALSE(forwarded);
  EXPECT_EQ(effective_resreq, *effective);
  EXPECT_FALSE(wait_for_go) << "the Book's to add";
  const auto& [hosts, reservations, devices, exclusive, cpu_factor, expected_end] = placement;
  EXPECT_EQ(hosts, (std::vector<Placement::Slots>{{HostId("hostA"), 3}, {HostId("hostB"), 2}}));
  EXPECT_EQ(reservations,
            (std::vector<Placement::Reservation>{{"mem", HostId("hostB"), 64, {5'000'000}, true}}));
  EXPECT_EQ(devices, (std::vector<Placement::Devices>{{HostId("hostB"), {1, 3}}}));
  EXPECT_TRUE(exclusive);
  EXPECT_EQ(cpu_factor, kFactorOfA);
  EXPECT_EQ(expected_end, WallTime{7'000'000});
  EXPECT_EQ(by_number(rules, placement), numbered);
}

TEST_F(PlacementFields, OfHostsAndResourcesThatTheFilesDoNotKnowAreLeftOut) {
  Placement placement = told().placement;
  placement.hosts.push_back({HostId("gone"), 1});
  placement.reservations.push_back({"gone", HostId("hostA"), 1, {}, false});
  placement.reservations.push_back({"mem", HostId("gone"), 1, {}, false});
  placement.devices.push_back({HostId("gone"), {0}});
  EXPECT_EQ(by_number(keeper.snapshot().rules(), placement), plan.placement);
}

TEST_F(PlacementFields, ReachRecordStoreAndEvents) {
  tells("hostA", report::HostCame{{}, true, false});
  const auto event = told();
  effects = book->hosts().dispatch(kJob, event, now);
  const auto starts = events_of(effects, &wire::JobEvent::has_start);
  ASSERT_EQ(starts.size(), 1U);
  const auto& start = starts[0].start();
  wire::JobRecord stored;
  ASSERT_TRUE(stored.ParseFromString(job(kJob).record.SerializeAsString()));
  const auto& [placement, effective_resreq, wait_for_go, forwarded] = event;
  Placement recorded = placement_of(stored);
  EXPECT_TRUE(recorded.expected_end.never()) << "the record has the start and the limits";
  recorded.expected_end = placement.expected_end;
  EXPECT_EQ(recorded, placement);
  ASSERT_EQ(start.hosts_size(), stored.hosts_size());
  for (int i = 0; i < stored.hosts_size(); ++i)
    EXPECT_EQ(start.hosts(i).SerializeAsString(), stored.hosts(i).SerializeAsString());
  EXPECT_EQ(stored.effective_resreq(), effective_resreq);
  EXPECT_EQ(start.effective_resreq(), effective_resreq);
  EXPECT_EQ(gpus_on(stored, "hostB"), "1,3");
  EXPECT_EQ(stored.cpu_factor(), kFactorOfA);
  EXPECT_EQ(start.cpu_factor(), kFactorOfA);
  EXPECT_FALSE(wait_for_go) << "the Book adds it";
  EXPECT_TRUE(stored.starting());
  EXPECT_THAT(events::event_line(starts[0]),
              HasSubstr(" 12.50 5 \"hostA\" \"hostA\" \"hostA\" \"hostB\" \"hostB\" "));
  // And the snapshot again, as it was planned; nothing limits the job's time.
  cycle::PlacedJob placed = cycle::placed_of(keeper.snapshot().rules(), job(kJob), plan.demand, {});
  EXPECT_TRUE(placed.placement.expected_end.never());
  placed.placement.expected_end = plan.placement.expected_end;
  EXPECT_EQ(placed.placement, plan.placement);
}

TEST_F(PlacementFields, ReachTheAccountAndTheAnswers) {
  effects = book->hosts().dispatch(kJob, told(), now);
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
