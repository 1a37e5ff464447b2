// Any text as PREEMPTION of the queues of lsb.queues: what is wrong with it, or relations that keep the rules of preemption_rules.hpp,
// and a cycle among full hosts that preempts by them alone.
//
//   input = { line }     one for each of four queues: a character for its PRIORITY, then the value of PREEMPTION
#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string>

#include "sched/policy/cycle/compiled_demand.hpp"
#include "sched/policy/cycle/preemption_rules.hpp"
#include "sched/policy/cycle/scenario.hpp"
#include "tests/fuzz/fuzz_input.hpp"

using namespace rollcall;
using namespace rollcall::sched;
using namespace rollcall::sched::cycle;
using rollcall::fuzz::require;

namespace {

constexpr std::size_t kQueues = 4;
constexpr int kHosts = 2, kSlots = 2;

std::string scenario_text(const std::vector<std::string>& lines) {
  std::string text =
      "Begin Machine\nHOST_NAME STATUS NCPUS r15s pg mem\nhostA ok 2 0.1 0 1000\nhostB ok 2 0.2 0 1000\nEnd "
      "Machine\n";
  std::string running = "Begin Running\nJOB USER QUEUE HOSTS AGE\n";
  std::string pending = "Begin Pending\nJOB USER QUEUE SLOTS\n";
  for (std::size_t i = 0; i < kQueues; ++i) {
    const std::string line = i < lines.size() ? lines[i] : "";
    const int priority = line.empty() ? 1 : 1 + static_cast<unsigned char>(line[0]) % 8;
    const std::string name = "q" + std::to_string(i);
    text += "Begin Queue\nQUEUE_NAME = " + name + "\nPRIORITY = " + std::to_string(priority) + "\n";
    if (line.size() > 1) text += "PREEMPTION = " + line.substr(1) + "\n";
    text += "End Queue\n";
    const std::string job = std::to_string(i + 1);
    running += job + " ann " + name + (i % 2 == 0 ? " (hostA) 10" : " (hostB) 2" + job) + "\n";
    pending += "1" + job + " bob " + name + " " + (i % 2 == 0 ? "1" : "2") + "\n";
  }
  return text + running + "End Running\n" + pending + "End Pending\n";
}

void look_at(const PlacementRules& rules) {
  for (QueueNumber high = 0; high < rules.queues.size(); ++high) {
    const auto& order = rules.preempts[high];
    require(std::set(order.begin(), order.end()).size() == order.size());
    for (std::size_t i = 0; i < order.size(); ++i) {
      require(rules.queues[order[i]].priority < rules.queues[high].priority);
      if (i == 0) continue;
      const int before = preference_of(rules.queues[high], rules.queues[order[i - 1]]);
      const int behind = preference_of(rules.queues[high], rules.queues[order[i]]);
      require(before >= behind);
      if (before == behind) require(rules.queues[order[i - 1]].priority <= rules.queues[order[i]].priority);
    }
  }
}

QueueNumber queue_of(const Snapshot& snapshot, DemandNumber demand) {
  return snapshot.demands()[demand].compiled->queue;
}

void look_at(const Plan& plan, const Snapshot& before) {
  std::map<HostNumber, int> slots;
  for (const auto& [key, job] : before.placed_jobs())
    for (const auto& on : job.placement.hosts) slots[on.host] += on.slots;
  std::set<JobKey> started, stopped;
  for (const Dispatch& dispatch : plan.dispatches) {
    started.insert(dispatch.job);
    for (const auto& on : dispatch.placement.hosts) slots[on.host] += on.slots;
  }
  for (const Suspend& suspend : plan.suspends) {
    require(stopped.insert(suspend.job).second && started.contains(suspend.by));
    const PlacedJob* victim = before.placed(suspend.job);
    const PendingJob* by = before.pending(suspend.by);
    require(victim != nullptr && by != nullptr);
    const auto& may = before.rules().preempts[queue_of(before, by->demand)];
    require(std::find(may.begin(), may.end(), queue_of(before, victim->demand)) != may.end());
    for (const auto& on : victim->placement.hosts) slots[on.host] -= on.slots;
  }
  for (const auto& [host, taken] : slots) require(taken <= kSlots);
  require(slots.size() <= kHosts);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > 1024) return 0;
  const auto lines = fuzz::lines_of({reinterpret_cast<const char*>(data), size});
  auto scenario = read_scenario(scenario_text(lines), "scenario");
  if (!scenario) {
    require(!scenario.error().text.empty());
    return 0;
  }
  if (scenario->snapshot.rules().queues.size() < kQueues) return 0;  // a line went on in the next one
  look_at(scenario->snapshot.rules());
  look_at(schedule(scenario->snapshot, scenario->now), scenario->snapshot);
  return 0;
}
