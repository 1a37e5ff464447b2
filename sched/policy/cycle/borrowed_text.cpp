#include "sched/policy/cycle/borrowed_text.hpp"

#include <algorithm>
#include <climits>

#include "sched/policy/cycle/host_search.hpp"

namespace rollcall::sched::cycle {
namespace {

// The snapshot as the cycle had it when it came to `dispatch`: what the plan decided before is applied.
Snapshot just_before(const Snapshot& before, WallTime now, const Plan& plan, const Dispatch& dispatch) {
  Snapshot snapshot = before;
  Plan earlier = plan;
  earlier.dispatches.resize(static_cast<std::size_t>(&dispatch - plan.dispatches.data()));
  apply(earlier, now, snapshot);
  return snapshot;
}

class Reasons {
 public:
  Reasons(const Snapshot& snapshot, WallTime now, const Dispatch& dispatch)
      : state_(snapshot, now),
        search_(state_),
        dispatch_(dispatch),
        entry_(snapshot.demands()[dispatch.demand]),
        job_(snapshot.pending(dispatch.job)) {
    for (const HostPreference& host : entry_.hosts->hosts) look_at(host);
  }

  std::string line(const SlotsOn& on) const {
    const PlacementRules& rules = state_.rules();
    const HostId& host = rules.hosts[on.host];
    const int all = state_.snapshot().slots(on.host).value_or(0);
    return host.text() + ": " + std::to_string(on.slots) + " of " + std::to_string(all) +
           (all == 1 ? " slot" : " slots") + " that cluster " + std::string(host.cluster()) + " lends; " +
           why(on.host) + "\n";
  }

 private:
  void look_at(const HostPreference& host) {
    if (state_.rules().borrowed(host.host)) return;
    ++ours_;
    if (excluded(host.host) || search_.suits(entry_, host.host).slots == 0) return;
    ++fitting_;
    const int least = search_.least(entry_, host.host);
    least_ = least_ == 0 ? least : std::min(least_, least);
    if (!has_room(host.host, least)) return;
    ++with_room_;
    best_ = std::max(best_, host.preference);
  }
  bool excluded(HostNumber host) const {
    return job_ != nullptr &&
           std::find(job_->excluded.begin(), job_->excluded.end(), host) != job_->excluded.end();
  }
  bool has_room(HostNumber host, int least) const {
    const auto& alternatives = entry_.compiled->alternatives;
    return std::any_of(alternatives.begin(), alternatives.end(), [&](const Alternative& one) {
      return state_.room(entry_.demand, *entry_.compiled, one, host, least, {}).slots >= least;
    });
  }

  int preference(HostNumber number) const {
    const auto& hosts = entry_.hosts->hosts;
    const auto found =
        std::find_if(hosts.begin(), hosts.end(), [number](const auto& one) { return one.host == number; });
    return found == hosts.end() ? 0 : found->preference;
  }

  std::string no_room() const {
    const std::string room = least_ > 1 ? "room for " + std::to_string(least_) + " slots" : "room";
    return fitting_ == 1 ? "the only host of ours that fits has no " + room
                         : "none of the " + std::to_string(fitting_) + " hosts of ours that fit has " + room;
  }

  std::string why(HostNumber host) const {
    const std::string named =
        entry_.demand.asked_hosts.empty() ? "HOSTS of queue " + entry_.demand.queue : "bsub -m";
    if (ours_ == 0) return named + " names no host of ours";
    if (fitting_ == 0) return "no host of ours fits the job";
    if (with_room_ == 0) return no_room();
    if (preference(host) > best_)
      return named + " prefers it, +" + std::to_string(preference(host)) + " to +" + std::to_string(best_);
    if (preference(host) == best_ && dispatch_.placement.hosts.front().host == host)
      return "it comes before hosts of ours in the job's order of hosts";
    return "hosts of ours alone do not have what the job asks for";
  }

  const WorkingState state_;
  const HostSearch search_;
  const Dispatch& dispatch_;
  const Snapshot::DemandEntry& entry_;
  const PendingJob* const job_;
  int ours_ = 0, fitting_ = 0, with_room_ = 0;
  int least_ = 0;  // slots that are of use on a host that fits; the fewest of all such hosts
  int best_ = INT_MIN;
};

}  // namespace

std::string borrowed_text(const Snapshot& before, WallTime now, const Plan& plan, JobKey job) {
  const auto found = std::find_if(plan.dispatches.begin(), plan.dispatches.end(),
                                  [job](const Dispatch& dispatch) { return dispatch.job == job; });
  if (found == plan.dispatches.end()) return "";
  const auto borrowed = [&](const SlotsOn& on) { return before.rules().borrowed(on.host); };
  const auto& hosts = found->placement.hosts;
  if (std::none_of(hosts.begin(), hosts.end(), borrowed)) return "";
  const Snapshot snapshot = just_before(before, now, plan, *found);
  const Reasons reasons(snapshot, now, *found);
  std::string text;
  for (const SlotsOn& on : hosts)
    if (borrowed(on)) text += reasons.line(on);
  return text;
}

}  // namespace rollcall::sched::cycle
