// What holds of every plan, over random clusters and jobs through several cycles: no host over MXJ, no limit exceeded, no
// reservation below zero, every job within what it asked for, first come first served among equals, the same plan again,
// nothing left that could have started, and never fewer starts with one slot more.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <map>

#include "sched/policy/cycle/compiled_demand.hpp"
#include "sched/policy/cycle/working_state.hpp"
#include "tests/unit/sched/cycle/schedule_driver.hpp"

namespace rollcall::sched::cycle {
namespace {

int pick(int least, int most) {
  return *rc::gen::resize(rc::kNominalSize, rc::gen::inRange(least, most + 1));
}
template <class T>
T one_of(std::vector<T> values) {
  return values[static_cast<std::size_t>(pick(0, static_cast<int>(values.size()) - 1))];
}
std::string number(int n) { return std::to_string(n); }

std::string random_site() {
  std::string text =
      "Begin Resource\nRESOURCENAME TYPE INTERVAL INCREASING RELEASE DESCRIPTION\nlic Numeric () N Y ()\nEnd "
      "Resource\n"
      "Begin ResourceMap\nRESOURCENAME LOCATION\nlic (" +
      number(pick(0, 4)) + "@[all])\nEnd ResourceMap\nBegin Host\nHOST_NAME MXJ JL/U r1m\ndefault " +
      one_of<std::string>({"!", "3", "!"}) + " " + one_of<std::string>({"()", "2"}) + " " +
      one_of<std::string>({"()", "1.0/2.0"}) + "\nEnd Host\n";
  for (const char* name : {"low", "high"})
    text += "Begin Queue\nQUEUE_NAME = " + std::string(name) + "\nPRIORITY = " + number(pick(1, 3)) +
            "\nEXCLUSIVE = Y\n" +
            one_of<std::string>(
                {"", "QJOB_LIMIT = 4\n", "UJOB_LIMIT = 3\n", "HJOB_LIMIT = 2\n", "PJOB_LIMIT = 0.5\n"}) +
            "End Queue\n";
  text += one_of<std::string>({"", "Begin User\nUSER_NAME MAX_JOBS JL/P\nann 3 1\ndefault 5 -\nEnd User\n"});
  text +=
      one_of<std::string>({"", "Begin Limit\nNAME = one\nPER_USER = all\nMEM = 700\nEnd Limit\n",
                           "Begin Limit\nNAME = one\nHOSTS = h1 h2\nJOBS = 2\nEnd Limit\n",
                           "Begin Limit\nNAME = one\nPER_HOST = all\nPROJECTS = p\nSLOTS = 1\nEnd Limit\n",
                           "Begin Limit\nNAME = one\nRESOURCE = [lic, 1]\nEnd Limit\n"});
  text += "Begin Machine\nHOST_NAME STATUS NCPUS r15s r1m pg mem it\n";
  for (int host = 1; host <= pick(1, 5); ++host)
    text += "h" + number(host) + " " + one_of<std::string>({"ok", "ok", "ok", "ok", "closed", "unavail"}) +
            " " + number(pick(1, 5)) + " 0." + number(pick(0, 9)) + " " +
            one_of<std::string>({"0.2", "1.5", "3"}) + " 0 " + number(100 * pick(1, 12)) + " 0\n";
  return text + "End Machine\n";
}

std::string random_jobs() {
  std::string text =
      "Begin Pending\nJOB USER QUEUE PROJECT SLOTS RES_REQ EXCLUSIVE ARRAY_SLOTS ORDER EXCLUDED HOSTS\n";
  for (int id = 1; id <= pick(1, 12); ++id) {
    const int slots = pick(1, 4);
    const int elements = one_of<int>({1, 1, 3, 6});
    text += number(id) + (elements > 1 ? "[1-" + number(elements) + "]" : "") + " " +
            one_of<std::string>({"ann", "bob"}) + " " + one_of<std::string>({"low", "high"}) + " " +
            one_of<std::string>({"p", "q"}) + " " + number(slots) +
            one_of<std::string>({"", "," + number(slots + 2)}) + " " +
            one_of<std::string>({"-", "-", "\"select[mem>300]\"", "\"rusage[mem=200]\"",
                                 "\"order[mem] rusage[mem=150]\"", "\"rusage[lic=1]\"", "\"span[hosts=1]\"",
                                 "\"span[ptile=2]\"", "\"span[ptile='!']\"", "\"rusage[mem=900||mem=100]\"",
                                 "\"rusage[mem=100:duration=1m:decay=1]\"", "\"rusage[r1m=1]\""}) +
            " " + one_of<std::string>({"-", "-", "-", "-", "Y"}) + " " +
            (elements > 1 ? one_of<std::string>({"-", "2"}) : "-") + " " + number(pick(1, 5)) + " " +
            one_of<std::string>({"-", "-", "-", "(h1)"}) + " " +
            one_of<std::string>({"-", "-", "(h1 h2+1 others)", "(h1! all)"}) + "\n";
  }
  return text + "End Pending\n";
}

// The plan within what its jobs asked for.
void check_shapes(const Plan& plan, const Snapshot& snapshot) {
  for (const Dispatch& dispatch : plan.dispatches) {
    const Demand& demand = snapshot.demand(dispatch.demand);
    const auto& compiled = *snapshot.demands()[dispatch.demand].compiled;
    const auto& list = snapshot.demands()[dispatch.demand].hosts;
    const PendingJob* job = snapshot.pending(dispatch.job);
    RC_ASSERT(job != nullptr);
    int slots = 0;
    std::map<HostNumber, int> hosts;
    for (const SlotsOn& on : dispatch.placement.hosts) {
      slots += on.slots;
      RC_ASSERT(on.slots >= 1);
      RC_ASSERT(++hosts[on.host] == 1);
      RC_ASSERT(std::count(job->excluded.begin(), job->excluded.end(), on.host) == 0);
      RC_ASSERT(!snapshot.host(on.host).closed && !snapshot.host(on.host).unavailable);
      if (list) RC_ASSERT(list->in[on.host] != 0);
    }
    RC_ASSERT(slots >= demand.min_slots && slots <= demand.max_slots);
    if (list && !list->first.empty()) RC_ASSERT(list->first[dispatch.placement.hosts[0].host] != 0);
    if (compiled.span && compiled.span->hosts == 1) RC_ASSERT(hosts.size() == 1U);
    if (compiled.span && compiled.span->ptile) {
      int less = 0;
      for (const SlotsOn& on : dispatch.placement.hosts) {
        RC_ASSERT(on.slots <= *compiled.span->ptile);
        less += on.slots < *compiled.span->ptile;
      }
      RC_ASSERT(less <= 1);
    }
  }
}

// Among jobs of one demand that may go to the same hosts no later one is started before an earlier one.
void check_order(const Plan& plan, const Snapshot& snapshot) {
  std::map<JobKey, bool> started;
  for (const Dispatch& dispatch : plan.dispatches) started[dispatch.job] = true;
  for (const DemandNumber number : snapshot.waiting_demands()) {
    bool passed = false;
    for (const auto& place : snapshot.demands()[number].ready) {
      if (!place.job->excluded.empty()) continue;
      RC_ASSERT(!(passed && started.contains(place.key)));
      if (!started.contains(place.key)) passed = true;
    }
  }
}

// Of a snapshot to which a plan was applied.
void check_amounts(const Snapshot& snapshot, WallTime now) {
  const PlacementRules& rules = snapshot.rules();
  const WorkingState state(snapshot, now);
  for (HostNumber host = 0; host < rules.hosts.size(); ++host) {
    const Tallies& tallies = snapshot.tallies();
    if (const auto slots = snapshot.slots(host)) RC_ASSERT(tallies.slots[host] <= *slots);
    RC_ASSERT(!(state.number(host, mem) < -kDust));
    RC_ASSERT(tallies.exclusive[host] == 0 || tallies.jobs[host] == 1);
  }
  for (std::uint32_t instance = 0; instance < rules.shared.size(); ++instance)
    RC_ASSERT(!(state.shared_left(instance) < -kDust));
  for (const auto& entry : snapshot.demands())
    for (const Charge charge : entry.compiled ? entry.compiled->charges : std::vector<Charge>{}) {
      const LimitRule& rule = rules.limits[charge.rule];
      for (HostNumber host = 0; host < rules.hosts.size(); ++host) {
        const HostNumber at = rule.per_host ? host : kNoHost;
        if (const auto most = state.most(charge.rule, at))
          RC_ASSERT(state.taken(charge, at) <= *most + kDust);
      }
    }
  for (const auto& [array, jobs] : snapshot.tallies().array_jobs) RC_ASSERT(jobs <= 2);
}

// A second cycle has nothing to start. But a parallel job takes hosts one by one from the best: where a limit counts them
// together, a host that is taken by others since can leave it with a better choice.
void check_settled(const Plan& plan, const Snapshot& snapshot, const std::string& text) {
  const bool together = text.find("Begin Limit") != std::string::npos;
  for (const Dispatch& dispatch : plan.dispatches)
    RC_ASSERT(together && snapshot.demand(dispatch.demand).min_slots > 1);
}

void some_end(Snapshot& snapshot) {
  std::vector<JobKey> keys;
  for (const auto& [key, job] : snapshot.placed_jobs()) keys.push_back(key);
  std::sort(keys.begin(), keys.end());
  for (const JobKey key : keys)
    if (pick(0, 2) == 0) snapshot.forget(key);
}

RC_GTEST_PROP(Schedule, every_plan_keeps_the_rules, ()) {
  const std::string text = random_site() + random_jobs();
  RC_LOG() << text;
  Scenario scenario = scenario_of(text);
  Snapshot& snapshot = scenario.snapshot;
  WallTime now = scenario.now;
  for (int round = 0; round < 4; ++round) {
    const Plan plan = schedule(snapshot, now);
    check_shapes(plan, snapshot);
    check_order(plan, snapshot);
    const Snapshot copy = snapshot;
    RC_ASSERT(text_of(schedule(copy, now), copy, now) == text_of(plan, snapshot, now));
    apply(plan, now, snapshot);
    RC_ASSERT(snapshot.broken_invariant() == "");
    check_amounts(snapshot, now);
    check_settled(schedule(snapshot, now), snapshot, text);
    // Every job that waits says why.
    PendingReasons reasons(snapshot, now);
    snapshot.each_pending([&](const PendingJob& job) { RC_ASSERT(!reasons.of(job.key).empty()); });
    some_end(snapshot);
    now.us += 20'000'000;
  }
}

// The order in which a snapshot came to be what it is does not matter.
RC_GTEST_PROP(Schedule, the_plan_depends_on_nothing_but_the_snapshot, ()) {
  const std::string text = random_site() + random_jobs();
  RC_LOG() << text;
  const Scenario scenario = scenario_of(text);
  std::vector<PendingJob> jobs;
  scenario.snapshot.each_pending([&](const PendingJob& job) { jobs.push_back(job); });
  std::sort(jobs.begin(), jobs.end(), [](const PendingJob& a, const PendingJob& b) { return b.key < a.key; });
  Snapshot again = scenario.snapshot;
  for (const PendingJob& job : jobs) again.forget(job.key);
  for (const PendingJob& job : jobs) again.wait(job);
  RC_ASSERT(text_of(schedule(again, scenario.now), again, scenario.now) ==
            text_of(schedule(scenario.snapshot, scenario.now), scenario.snapshot, scenario.now));
}

// Equal jobs of one slot: where one of those that run is over, no fewer start.
RC_GTEST_PROP(Schedule, a_freed_slot_never_makes_fewer_starts, ()) {
  const std::string text =
      random_site() + pending("JOB USER QUEUE RES_REQ\n1[1-40] ann low " +
                              one_of<std::string>({"-", "\"rusage[mem=100]\"", "\"order[mem]\"",
                                                   "\"rusage[lic=1]\"", "\"select[mem>300]\""}) +
                              "\n");
  RC_LOG() << text;
  Scenario scenario = scenario_of(text);
  apply(schedule(scenario.snapshot, scenario.now), scenario.now, scenario.snapshot);
  some_end(scenario.snapshot);
  const auto before = schedule(scenario.snapshot, scenario.now).dispatches.size();
  RC_PRE(!scenario.snapshot.placed_jobs().empty());
  JobKey first{1, 1 << 20};
  for (const auto& [key, job] : scenario.snapshot.placed_jobs()) first = std::min(first, key);
  scenario.snapshot.forget(first);
  RC_ASSERT(schedule(scenario.snapshot, scenario.now).dispatches.size() >= before);
}

}  // namespace
}  // namespace rollcall::sched::cycle
