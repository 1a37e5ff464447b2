// Jobs of the Book as the snapshot has them, and reservations there and back.
#include "tests/unit/sched/cycle/schedule_driver.hpp"

namespace rollcall::sched::cycle {
namespace {

Job job_of(wire::JobStatus status) {
  wire::Submission asked;
  asked.set_user("ann");
  asked.set_project("p");
  asked.set_min_slots(2);
  asked.set_max_slots(4);
  asked.set_begin_us(77);
  asked.set_from_type("X86_64");
  auto* host = asked.add_asked_hosts();
  host->set_name("hostB@far");
  host->set_preference(3);
  Job job;
  job.asked = std::make_shared<const wire::Submission>(asked);
  set_key(*job.record.mutable_key(), {12, 3});
  job.record.set_queue("normal");
  job.record.set_status(status);
  job.record.set_order(1.5);
  job.record.set_submit_us(1000);
  return job;
}

TEST(DemandOf, has_what_placement_depends_on) {
  const Demand demand = demand_of(job_of(wire::STATUS_PEND), "select[type == any]");
  EXPECT_EQ(demand.queue, "normal");
  EXPECT_EQ(demand.user, "ann");
  EXPECT_EQ(demand.min_slots, 2);
  EXPECT_EQ(demand.max_slots, 4);
  EXPECT_EQ(demand.begin.us, 77);
  EXPECT_EQ(demand.resreq, "select[type == any]");
  ASSERT_EQ(demand.asked_hosts.size(), 1U);
  EXPECT_EQ(demand.asked_hosts[0].name, "hostB");
  EXPECT_EQ(demand.asked_hosts[0].cluster, "far");
  EXPECT_EQ(demand.asked_hosts[0].preference, 3);
  EXPECT_EQ(demand.array, 0);  // without %limit elements are as other jobs
}

TEST(DemandOf, a_job_without_n_has_one_slot) {
  Job job = job_of(wire::STATUS_PEND);
  wire::Submission asked = *job.asked;
  asked.clear_min_slots();
  asked.clear_max_slots();
  asked.set_array_slots(5);
  job.asked = std::make_shared<const wire::Submission>(asked);
  const Demand demand = demand_of(job, "");
  EXPECT_EQ(demand.min_slots, 1);
  EXPECT_EQ(demand.max_slots, 1);
  EXPECT_EQ(demand.array, 12);
  EXPECT_EQ(demand.array_slots, 5);
}

TEST(PendingOf, the_delay_of_a_new_job_counts_from_its_last_return) {
  const Scenario scenario = scenario_of(kTwoHosts);
  Job job = job_of(wire::STATUS_PEND);
  job.record.set_status_us(5000);
  job.record.set_requeues(1);
  job.record.add_excluded_hosts("hostB");
  job.record.add_excluded_hosts("gone");
  const PendingJob pending = pending_of(scenario.snapshot.rules(), job, 4, Hold::none, {600, {9000}});
  EXPECT_EQ(pending.key, (JobKey{12, 3}));
  EXPECT_EQ(pending.demand, 4U);
  EXPECT_EQ(pending.submitted.us, 5000);
  EXPECT_TRUE(pending.requeued);
  EXPECT_EQ(pending.times, (JobTimes{600, {9000}}));
  EXPECT_EQ(pending.excluded, std::vector<HostNumber>{1});
  EXPECT_DOUBLE_EQ(pending.order, 1.5);
}

TEST(PlacedOf, hosts_reservations_and_states_come_back) {
  const Scenario scenario = scenario_of(kTwoHosts);
  const PlacementRules& rules = scenario.snapshot.rules();
  Job job = job_of(wire::STATUS_USUSP);
  for (const auto& [name, slots] : {std::pair("hostB", 2), std::pair("gone", 1), std::pair("hostA", 1)}) {
    auto* host = job.record.add_hosts();
    host->set_name(name);
    host->set_slots(slots);
  }
  const Reservation kept{mem, 0, 300, {99'000'000}, true};
  wire::Reserved& reserved = *job.record.add_reserved();
  reserved.set_resource("mem");
  reserved.set_host("hostA");
  reserved.set_amount(300);
  reserved.set_until_us(99'000'000);
  reserved.set_decay(true);
  job.record.mutable_usage()->set_memory_kb(2048);
  job.record.set_start_us(7'000'000);
  const PlacedJob placed = placed_of(rules, job, 0, {600, {}});
  EXPECT_EQ(placed.placement.expected_end.seconds(), 607);
  EXPECT_EQ(placed.placement.hosts, (std::vector<SlotsOn>{{1, 2}, {0, 1}}));
  EXPECT_EQ(placed.placement.reservations, std::vector<Reservation>{kept});
  EXPECT_EQ(placed.suspended, static_cast<std::uint32_t>(wire::SUSPEND_USER));
  EXPECT_DOUBLE_EQ(placed.used_mem, 2);
}

TEST(PlacedOf, AJobMayBePreemptedWithinTheLimitsOfPreemption) {
  const Scenario scenario = scenario_of(kTwoHosts);
  Job job = job_of(wire::STATUS_RUN);
  job.record.set_start_us(1'000'000'000);
  job.record.set_status_us(2'000'000'000);  // it went on
  job.record.set_preemptions(2);
  const auto times = [&](const conf::PreemptionLimits& limits, JobTimes asked = {600, {}}) {
    const PlacedJob placed = placed_of(scenario.snapshot.rules(), job, 0, asked, limits);
    return std::pair(placed.preemptable_from.seconds(), placed.preemptable_until.seconds());
  };
  using Times = std::pair<std::int64_t, std::int64_t>;
  conf::PreemptionLimits limits;
  EXPECT_EQ(times(limits), Times(0, 0)) << "no bound";
  limits.interval_min = 3;
  EXPECT_EQ(times(limits), Times(2180, 0)) << "from when it went on";
  limits.run_time = {5, false};
  EXPECT_EQ(times(limits), Times(2180, 1300));
  limits.finish_time = {75, true};
  EXPECT_EQ(times(limits), Times(2180, 1150)) << "its end is at 1600, less 75% of 600";
  EXPECT_EQ(times(limits, {}), Times(2180, 1300)) << "a job without run limit has no part of it";
  limits.most = 3;
  EXPECT_EQ(times(limits), Times(2180, 1150));
  limits.most = 2;
  EXPECT_EQ(times(limits), Times(2180, 1000)) << "it was preempted as often as it may be";
}

TEST(PlacedOf, AJobThatWasPreemptedSoLongInAllIsNotPreemptedAgain) {
  const Scenario scenario = scenario_of(kTwoHosts);
  Job job = job_of(wire::STATUS_RUN);
  job.record.set_start_us(1'000'000'000);
  job.record.set_preempted_for_us(299'999'999);
  conf::PreemptionLimits limits;
  limits.total_min = 5;
  const auto placed = [&] { return placed_of(scenario.snapshot.rules(), job, 0, {600, {}}, limits); };
  EXPECT_TRUE(placed().preemptable_until.never());
  job.record.set_preempted_for_us(300'000'000);
  EXPECT_EQ(placed().preemptable_until.seconds(), 1000);
  EXPECT_EQ(placed().preemptable_until_by, PreemptionBound::total_time);
}

TEST(ExpectedEnd, IsTheRunLimitOrTheTerminateTimeWhicheverComesFirst) {
  const WallTime start = wall_seconds(1000);
  EXPECT_TRUE(expected_end(start, {}).never());
  EXPECT_EQ(expected_end(start, {60, {}}), wall_seconds(1060));
  EXPECT_EQ(expected_end(start, {60, wall_seconds(1030)}), wall_seconds(1030));
  EXPECT_EQ(expected_end(start, {60, wall_seconds(1090)}), wall_seconds(1060));
  EXPECT_EQ(expected_end(start, {0, wall_seconds(1090)}), wall_seconds(1090));
}

TEST(TimesOf, AreTheEffectiveRunLimitAndTheTerminateTime) {
  wire::Submission asked;
  asked.set_terminate_us(5);
  asked.mutable_limits()->set_run_s(7200);
  Job job;
  job.asked = std::make_shared<const wire::Submission>(asked);
  wire::Limits effective;
  EXPECT_EQ(times_of(job, effective), (JobTimes{0, {5}}));
  effective.set_run_s(3600);
  EXPECT_EQ(times_of(job, effective), (JobTimes{3600, {5}})) << "the queue's maximum counts";
}

}  // namespace
}  // namespace rollcall::sched::cycle
