#include "sched/policy/cycle/preemption_text.hpp"

#include <algorithm>
#include <map>

#include "sched/policy/cycle/borrowed_text.hpp"
#include "sched/policy/cycle/host_search.hpp"
#include "sched/policy/cycle/next_job.hpp"
#include "sched/policy/cycle/preemption_rules.hpp"
#include "sched/policy/cycle/scenario.hpp"
#include "sched/policy/cycle/victims.hpp"

namespace rollcall::sched::cycle {
namespace {

constexpr std::size_t kJobsShown = 4;

template <class List, class Value>
bool contains(const List& list, const Value& value) {
  return std::find(list.begin(), list.end(), value) != list.end();
}

std::string keys_text(const std::vector<JobKey>& keys) {
  std::string text = keys.size() == 1 ? "job" : std::to_string(keys.size()) + " jobs,";
  for (std::size_t i = 0; i < std::min(keys.size(), kJobsShown); ++i) text += " " + sched::text(keys[i]);
  return text + (keys.size() > kJobsShown ? " ..." : "");
}

// Explains one attempt of the log.
class Explanation {
 public:
  Explanation(const Snapshot& before, WallTime now, const PreemptionLog& log,
              const PreemptionAttempt& attempt)
      : before_(before), rules_(before.rules()), now_(now), log_(log), attempt_(attempt) {
    const Snapshot::DemandEntry& entry = before_.demands()[attempt_.demand];
    queue_ = entry.compiled->queue;
    if (const PendingJob* job = before_.pending(attempt_.job)) excluded_ = job->excluded;
  }

  ToldPreemption told() const {
    ToldPreemption told{.job = attempt_.job, .result = headline(), .victims = {}, .passed_over = {}};
    for (const JobKey key : attempt_.victims) {
      const PlacedJob& job = *before_.placed(key);
      told.victims.push_back({key, named(job),
                              job.suspended == 0 ? why_its_queue(queue_of(job))
                                                 : "suspended, so it lends its slots: USE_SUSP_SLOTS"});
    }
    if (attempt_.tried) told.passed_over = passed_over();
    return told;
  }

 private:
  QueueNumber queue_of(const PlacedJob& job) const { return before_.demands()[job.demand].compiled->queue; }
  const std::vector<QueueNumber>& lower() const { return rules_.preempts[queue_]; }
  std::size_t rank(QueueNumber queue) const {
    return static_cast<std::size_t>(std::find(lower().begin(), lower().end(), queue) - lower().begin());
  }
  std::string with_priority(QueueNumber queue) const {
    return "queue " + rules_.queues[queue].name + " (PRIORITY " +
           std::to_string(rules_.queues[queue].priority) + ")";
  }

  // Jobs with one reason together, in the order of their first jobs.
  std::vector<std::pair<std::vector<JobKey>, std::string>> passed_over() const {
    std::map<std::string, std::vector<JobKey>> by_reason;
    for (const auto& [key, job] : before_.placed_jobs())
      if (key != attempt_.job && !contains(attempt_.victims, key)) by_reason[why_not(job)].push_back(key);
    std::vector<std::pair<std::vector<JobKey>, std::string>> all;
    for (auto& [reason, keys] : by_reason) {
      std::sort(keys.begin(), keys.end());
      all.emplace_back(std::move(keys), reason);
    }
    std::sort(all.begin(), all.end());
    return all;
  }

  std::string headline() const {
    const std::string who = "Job <" + sched::text(attempt_.job) + "> of " + with_priority(queue_);
    const Demand& demand = before_.demand(attempt_.demand);
    if (attempt_.allowed_from > now_)
      return who + " may not preempt for " +
             std::to_string((attempt_.allowed_from.us - now_.us + 999'999) / 1'000'000) +
             " s more: PREEMPT_DELAY";
    if (!attempt_.tried) return who + " may not preempt: it is exclusive";
    if (!attempt_.victims.empty()) return who + " " + whose_slots();
    if (!attempt_.missing.empty())
      return who + " preempts no job: those that it may preempt do not hold enough of " +
             rules_.indices().at(attempt_.missing.front()).name;
    if (attempt_.limit)
      return who + " preempts no job: those that it may preempt count too little for " +
             rules_.limits[*attempt_.limit].place;
    const std::string none = who + " preempts no job: it needs " + std::to_string(demand.min_slots) +
                             (demand.min_slots == 1 ? " slot" : " slots");
    if (attempt_.most < demand.min_slots)
      return none + ", free slots and those of jobs it may preempt are at most " +
             std::to_string(attempt_.most);
    return who + " preempts no job: it has no room, even with the slots of all jobs that it may preempt";
  }

  std::string whose_slots() const {
    const auto lent = static_cast<std::size_t>(
        std::count_if(attempt_.victims.begin(), attempt_.victims.end(),
                      [this](JobKey key) { return before_.placed(key)->suspended != 0; }));
    const auto number = [](std::size_t count, const std::string& job) {
      return std::to_string(count) + " " + job + (count == 1 ? "" : "s");
    };
    const std::size_t preempted = attempt_.victims.size() - lent;
    std::string text = preempted == 0 ? "" : "preempts " + number(preempted, "job");
    if (lent > 0)
      text += (text.empty() ? "" : " and ") + ("uses the slots of " + number(lent, "suspended job"));
    return text;
  }

  std::string named(const PlacedJob& job) const {
    std::string hosts;
    for (const SlotsOn& on : job.placement.hosts)
      hosts += " " + (on.slots > 1 ? std::to_string(on.slots) + "*" : "") + rules_.hosts[on.host].text();
    return "job " + sched::text(job.key) + " of " + with_priority(queue_of(job)) + " on" + hosts;
  }

  std::string why_its_queue(QueueNumber queue) const {
    const std::string& name = rules_.queues[queue].name;
    if (const int preference = preference_of(rules_.queues[queue_], rules_.queues[queue]); preference > 0)
      return "queue " + rules_.queues[queue_].name + " lists " + name + "+" + std::to_string(preference);
    if (preemptive_admits(rules_.queues[queue_], rules_.queues[queue]))
      return "queue " + rules_.queues[queue_].name + " is PREEMPTIVE";
    return "queue " + name + " is PREEMPTABLE";
  }

  std::string why_not(const PlacedJob& job) const {
    const QueueNumber queue = queue_of(job);
    if (queue == kNoQueue) return "its queue is gone";
    if (rules_.queues[queue].priority >= rules_.queues[queue_].priority)
      return "queue " + rules_.queues[queue].name + " is not lower";
    if (!contains(lower(), queue))
      return "PREEMPTION of neither queue allows it: " + rules_.queues[queue].name;
    if (const LeftAlone why = left_alone(before_, job, now_); why != LeftAlone::no)
      return words_of(why, job, now_);
    if (const auto other = preempted_before(job.key))
      return "preempted for job " + sched::text(*other) + " in this cycle";
    if (!attempt_.missing.empty()) return "what it holds would not be enough";
    if (attempt_.limit) return "the limit would be reached without it too";
    if (attempt_.for_resources) return "it holds nothing that the job still lacks";
    if (attempt_.for_limits) return "its end would not be needed for the limit";
    if (const std::string of_hosts = why_not_its_hosts(job, queue); !of_hosts.empty()) return of_hosts;
    if (attempt_.victims.empty()) return "its slots would not be enough";
    if (attempt_.fewest) return "OPTIMAL_MINI_JOB: fewer jobs are enough";
    if (contains(attempt_.spared, job.key)) return "its slots are not needed";
    return why_later(job, queue);
  }

  std::optional<JobKey> preempted_before(JobKey key) const {
    for (const PreemptionAttempt& other : log_) {
      if (&other == &attempt_) return std::nullopt;
      if (contains(other.victims, key)) return other.job;
    }
    return std::nullopt;
  }

  // "": one of its hosts would do.
  std::string why_not_its_hosts(const PlacedJob& job, QueueNumber queue) const {
    std::string why;
    for (const SlotsOn& on : job.placement.hosts) {
      const std::string& name = rules_.hosts[on.host].text();
      const Snapshot::DemandEntry& entry = before_.demands()[attempt_.demand];
      if (contains(excluded_, on.host))
        why = name + " is excluded for the job";
      else if (search_.suits(entry, on.host).slots == 0)
        why = name + " does not suit the job";
      else if (!contains(attempt_.hosts, on.host) ||
               contains(attempt_.without_room, std::pair(queue, on.host)))
        why = name + " has no room for the job, even without its jobs of queue " + rules_.queues[queue].name;
      else
        return "";
    }
    return why;
  }

  // It could have been preempted, but others came first.
  std::string why_later(const PlacedJob& job, QueueNumber queue) const {
    const PlacedJob* last = nullptr;
    for (const JobKey key : attempt_.victims)
      if (const PlacedJob* victim = before_.placed(key); victim->suspended == 0)
        if (last == nullptr || rank(queue_of(*victim)) >= rank(queue_of(*last))) last = victim;
    if (last == nullptr) return "slots of suspended jobs are enough";
    if (rank(queue) > rank(queue_of(*last)))
      return "queue " + rules_.queues[queue].name + " comes after " + rules_.queues[queue_of(*last)].name;
    for (const JobKey key : attempt_.victims)
      for (const SlotsOn& on : before_.placed(key)->placement.hosts)
        if (queue_of(*before_.placed(key)) == queue && runs_on(job, on.host))
          return "started before job " + sched::text(key) + " of the same host";
    return rules_.hosts[job.placement.hosts.front().host].text() + " comes after " +
           rules_.hosts[last->placement.hosts.front().host].text() + " in the job's order of hosts";
  }
  static bool runs_on(const PlacedJob& job, HostNumber host) {
    const auto& hosts = job.placement.hosts;
    return std::any_of(hosts.begin(), hosts.end(), [host](const SlotsOn& on) { return on.host == host; });
  }

  const Snapshot& before_;
  const PlacementRules& rules_;
  const WallTime now_;
  const PreemptionLog& log_;
  const PreemptionAttempt& attempt_;
  const WorkingState state_{before_, now_};
  const HostSearch search_{state_};
  QueueNumber queue_ = kNoQueue;
  std::vector<HostNumber> excluded_;
};

}  // namespace

ToldPreemption told(const Snapshot& before, WallTime now, const PreemptionLog& log,
                    const PreemptionAttempt& attempt) {
  return Explanation(before, now, log, attempt).told();
}

const PreemptionAttempt* attempt_of(const Snapshot& before, const PreemptionLog& log, JobKey job) {
  const PendingJob* pending = before.pending(job);
  const PreemptionAttempt* of_demand = nullptr;
  for (const PreemptionAttempt& attempt : log) {
    if (attempt.job == job || contains(attempt.victims, job)) return &attempt;
    // The cycle asked for the first job of the demand only: the others need the same.
    if (pending != nullptr && attempt.demand == pending->demand && attempt.victims.empty())
      of_demand = &attempt;
  }
  return of_demand;
}

std::string preemption_text(const Snapshot& before, WallTime now, const PreemptionLog& log, JobKey job) {
  const PreemptionAttempt* attempt = attempt_of(before, log, job);
  if (attempt == nullptr) return "";
  const ToldPreemption all = told(before, now, log, *attempt);
  std::string text = all.result + "\n";
  for (const auto& victim : all.victims) text += "  " + victim.who + ": " + victim.why + "\n";
  if (!all.passed_over.empty()) text += "passed over:\n";
  for (const auto& [keys, reason] : all.passed_over) text += "  " + keys_text(keys) + ": " + reason + "\n";
  return text;
}

std::string explained(Scenario scenario, JobKey job) {
  const Snapshot before = scenario.snapshot;
  PreemptionLog log;
  QueueOrder order(before.rules());
  const Plan plan = schedule(before, scenario.now, order, &log);
  apply(plan, scenario.now, scenario.snapshot);
  const std::string preemption = preemption_text(before, scenario.now, log, job);
  const std::string borrowed = borrowed_text(before, scenario.now, plan, job);
  if (!preemption.empty() && scenario.snapshot.placed(job) != nullptr) return preemption + borrowed;
  return why_text(scenario.snapshot, scenario.now, job) + borrowed + preemption;
}

}  // namespace rollcall::sched::cycle
