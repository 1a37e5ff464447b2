// What a Snapshot keeps: demands, jobs, tallies, and how it is changed.
#include <cmath>

#include "sched/policy/cycle/compiled_demand.hpp"
#include "sched/policy/cycle/job_obstacle.hpp"
#include "sched/policy/cycle/tally.hpp"
#include "tests/unit/sched/cycle/schedule_driver.hpp"

namespace rollcall::sched::cycle {
namespace {

Demand demand_of_user(const std::string& user) {
  Demand demand;
  demand.queue = "normal";
  demand.user = user;
  demand.resreq = "select[type == any] order[r15s:pg]";
  return demand;
}

TEST(Snapshot, equal_demands_are_one_and_the_others_are_not) {
  Snapshot snapshot = scenario_of(kTwoHosts).snapshot;
  const auto ann = snapshot.demand(demand_of_user("ann"));
  EXPECT_EQ(snapshot.demand(demand_of_user("ann")), ann);
  EXPECT_NE(snapshot.demand(demand_of_user("bob")), ann);
  Demand more = demand_of_user("ann");
  more.max_slots = 2;
  EXPECT_NE(snapshot.demand(more), ann);
  Demand asked = demand_of_user("ann");
  asked.asked_hosts = {{.name = "hostA"}};
  EXPECT_NE(snapshot.demand(asked), ann);
  EXPECT_EQ(snapshot.demand(ann), demand_of_user("ann"));
}

TEST(Snapshot, JobsOfDifferentRunLimitsShareADemand) {
  Scenario scenario = scenario_of(kTwoHosts + pending("JOB USER RUN_LIMIT\n1 ann 60\n2 ann 120\n3 ann -\n"));
  Snapshot& snapshot = scenario.snapshot;
  EXPECT_EQ(snapshot.pending({1, 0})->demand, snapshot.pending({2, 0})->demand);
  EXPECT_EQ(snapshot.demands().size(), 1U);
  const Plan plan = schedule(snapshot, scenario.now);
  EXPECT_EQ(plan.demands_looked_at, 1U);
  apply(plan, scenario.now, snapshot);
  EXPECT_EQ(snapshot.placed({1, 0})->placement.expected_end.us, scenario.now.us + 60'000'000);
  EXPECT_EQ(snapshot.placed({2, 0})->placement.expected_end.us, scenario.now.us + 120'000'000);
  EXPECT_TRUE(snapshot.placed({3, 0})->placement.expected_end.never());
}

TEST(Snapshot, trim_forgets_demands_without_jobs_and_keeps_the_numbers_of_others) {
  Snapshot snapshot = scenario_of(kTwoHosts).snapshot;
  const auto ann = snapshot.demand(demand_of_user("ann"));
  const auto bob = snapshot.demand(demand_of_user("bob"));
  snapshot.wait({.key = {1, 0}, .demand = bob});
  snapshot.trim();
  EXPECT_EQ(snapshot.demand(bob), demand_of_user("bob"));
  EXPECT_EQ(snapshot.demand(demand_of_user("cat")), ann);  // the number is free again
  EXPECT_EQ(snapshot.broken_invariant(), "");
}

TEST(Snapshot, a_job_is_in_one_place_only) {
  Snapshot snapshot = scenario_of(kTwoHosts).snapshot;
  const auto ann = snapshot.demand(demand_of_user("ann"));
  snapshot.wait({.key = {1, 0}, .demand = ann});
  snapshot.place({.key = {1, 0}, .demand = ann, .placement = {.hosts = {{0, 3}}}});
  EXPECT_EQ(snapshot.pending({1, 0}), nullptr);
  EXPECT_EQ(snapshot.tallies().slots[0], 3);
  EXPECT_EQ(snapshot.jobs_on(0).size(), 1U);
  snapshot.place({.key = {1, 0}, .demand = ann, .placement = {.hosts = {{1, 2}}}});
  EXPECT_EQ(snapshot.tallies().slots[0], 0);
  EXPECT_EQ(snapshot.tallies().slots[1], 2);
  snapshot.wait({.key = {1, 0}, .demand = ann});
  EXPECT_EQ(snapshot.placed({1, 0}), nullptr);
  EXPECT_EQ(snapshot.tallies().slots[1], 0);
  snapshot.forget({1, 0});
  EXPECT_EQ(snapshot.pending_count() + snapshot.placed_count(), 0U);
  EXPECT_TRUE(snapshot.waiting_demands().empty());
  EXPECT_EQ(snapshot.broken_invariant(), "");
}

TEST(Snapshot, held_jobs_are_not_looked_at) {
  Snapshot snapshot = scenario_of(kTwoHosts).snapshot;
  const auto ann = snapshot.demand(demand_of_user("ann"));
  snapshot.wait({.key = {1, 0}, .demand = ann, .hold = Hold::dependency});
  EXPECT_TRUE(snapshot.waiting_demands().empty());
  snapshot.wait({.key = {1, 0}, .demand = ann});
  EXPECT_EQ(snapshot.waiting_demands().size(), 1U);
}

TEST(Snapshot, a_copy_stands_alone) {
  Scenario scenario = scenario_of(kTwoHosts + pending("JOB USER\n1[1-3] ann\n"));
  const Snapshot copy = scenario.snapshot;
  for (int index = 1; index <= 3; ++index) scenario.snapshot.forget({1, index});
  EXPECT_EQ(starts(schedule(copy, scenario.now), copy), "1[1] hostA, 1[2] hostA, 1[3] hostA");
  EXPECT_TRUE(schedule(scenario.snapshot, scenario.now).dispatches.empty());
}

TEST(Snapshot, the_order_of_jobs_is_their_number_then_their_key) {
  EXPECT_EQ(starts(kTwoHosts + pending("JOB USER ORDER\n1 ann 5\n2 bob 1\n3[1-2] ann 1\n")),
            "2 hostA, 3[1] hostA, 3[2] hostA, 1 hostA");
}

TEST(Snapshot, the_row_of_lsb_hosts_follows_the_model_that_was_found) {
  Scenario scenario = scenario_of(
      "Begin Host\nHOST_NAME MXJ\nBig 7\ndefault 1\nEnd Host\n"
      "Begin Machine\nHOST_NAME STATUS NCPUS MODEL\nhostA ok 4 Big\nhostB ok 4 Old\nEnd Machine\n");
  EXPECT_EQ(scenario.snapshot.slots(0), 7);
  EXPECT_EQ(scenario.snapshot.slots(1), 1);
  HostFacts facts;
  facts.name = "hostB";
  facts.model = "Big";
  scenario.snapshot.set_facts(1, facts);
  EXPECT_EQ(scenario.snapshot.slots(1), 7);
}

TEST(Reservation, what_is_held_becomes_less_as_it_says) {
  const Scenario scenario = scenario_of(kTwoHosts);
  const PlacementRules& rules = scenario.snapshot.rules();
  const WallTime start = scenario.now;
  const auto in = [start](std::int64_t seconds) { return WallTime{start.us + seconds * 1'000'000}; };
  PlacedJob job{.key = {1, 0}, .placement = {.hosts = {{0, 1}, {1, 3}}}, .started = start};
  const auto held_at = [&](const Reservation& reservation, std::int64_t seconds) {
    return held(rules, job, reservation, in(seconds));
  };
  EXPECT_DOUBLE_EQ(held_at({mem, 0, 100, {}, false}, 99999), 100);
  EXPECT_DOUBLE_EQ(held_at({mem, 0, 100, in(60), false}, 59), 100);
  EXPECT_DOUBLE_EQ(held_at({mem, 0, 100, in(60), false}, 60), 0);
  EXPECT_DOUBLE_EQ(held_at({mem, 0, 100, in(60), true}, 0), 100);
  EXPECT_DOUBLE_EQ(held_at({mem, 0, 100, in(60), true}, 45), 25);
  EXPECT_DOUBLE_EQ(held_at({mem, 0, 100, in(60), true}, -10), 100);  // a clock that was set back
  job.used_mem = 120;                                                // 30 for each slot
  EXPECT_DOUBLE_EQ(held_at({mem, 0, 100, {}, false}, 0), 70);
  EXPECT_DOUBLE_EQ(held_at({mem, 1, 80, {}, false}, 0), 0);
  EXPECT_DOUBLE_EQ(held_at({tmp, 1, 80, {}, false}, 0), 80);
}

TEST(Windows, the_next_change_is_found_across_days_and_weeks) {
  const WallTime monday = scenario_of(kTwoHosts).now;  // 12:00
  const auto seconds = [monday](const char* windows) {
    const auto change = next_change(*TimeWindows::parse(windows), monday, 0);
    return change ? (change->us - monday.us) / 1'000'000 : -1;
  };
  EXPECT_EQ(seconds("13:00-14:00"), 3600);
  EXPECT_EQ(seconds("8:00-12:30"), 1800);
  EXPECT_EQ(seconds("8:00-12:00"), 20 * 3600);
  EXPECT_EQ(seconds("0:8:00-0:9:00"), (6 * 24 - 4) * 3600);
  EXPECT_EQ(seconds("0:00-24:00"), -1);
  EXPECT_FALSE(next_change(TimeWindows{}, monday, 0));
  EXPECT_EQ(next_change(*TimeWindows::parse("13:00-14:00"), monday, 3600)->us,
            monday.us + 3600 * 1'000'000LL);
}

TEST(Standing, a_host_as_bhosts_shows_it) {
  const Scenario scenario = scenario_of(
      "Begin Host\nHOST_NAME MXJ DISPATCH_WINDOW r1m\nhostA 2 (20:00-21:00) 0.5/1\nhostB 2 () ()\nEnd Host\n"
      "Begin Machine\nHOST_NAME STATUS NCPUS r1m mem\nhostA ok 4 0.9 900\nhostB ok 4 0.1 900\nEnd Machine\n" +
      running("JOB HOSTS EXCLUSIVE RES_REQ\n1 (2*hostA) - rusage[mem=300]\n"));
  const HostStandings standings(scenario.snapshot, scenario.now);
  const HostStanding host = standings.of(0);
  EXPECT_TRUE(host.window_closed);
  EXPECT_TRUE(host.full);
  EXPECT_FALSE(host.exclusive);
  EXPECT_EQ(host.beyond, std::vector<ResourceId>{r1m});
  EXPECT_EQ(host.taken_slots, 2);
  EXPECT_FALSE(standings.of(1).full);
  EXPECT_DOUBLE_EQ(standings.reserved(0, mem), 300);
  EXPECT_DOUBLE_EQ(standings.reserved(1, mem), 0);
}

}  // namespace
}  // namespace rollcall::sched::cycle
