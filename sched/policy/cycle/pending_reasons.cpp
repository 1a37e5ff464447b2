// Why jobs pend, in LSF's texts and in words to act on (schedule.hpp, PendingReasons).
#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <unordered_map>

#include "sched/policy/cycle/demand_reasons.hpp"
#include "sched/policy/cycle/job_obstacle.hpp"

namespace rollcall::sched::cycle {
namespace {

std::string pause_words(std::int64_t left_s) {
  return "its last runs ended within 10 s: it may start in " +
         std::to_string(std::max<std::int64_t>(0, left_s)) +
         " s (MAX_REQUEUE_PAUSE); brun or bmod ends the pause";
}

std::optional<PendingReason> of_hold(Hold hold) {
  switch (hold) {
    case Hold::dependency:
      return PendingReason{
          "Job dependency condition not satisfied", "the condition of bsub -w does not hold yet", {}};
    case Hold::never:
      return PendingReason{"Job dependency condition never satisfied",
                           "the condition of bsub -w can never hold; use bmod -w or bkill",
                           {}};
    case Hold::stopped:
      return PendingReason{"The job was suspended by user", "bresume releases it", {}};
    case Hold::stopped_by_administrator:
      return PendingReason{"Job was suspended by LSF admin or root while pending",
                           "an administrator can release it with bresume",
                           {}};
    default:
      return std::nullopt;
  }
}

std::string hosts_text(const PendingReason& reason) {
  const std::size_t count = reason.hosts.size();
  return count == 0 ? "" : std::to_string(count) + (count == 1 ? " host" : " hosts");
}

}  // namespace

std::string words_of(const PendingReason& reason) {
  const std::string hosts = hosts_text(reason);
  return (hosts.empty() ? reason.text : hosts) + ": " + (reason.why.empty() ? reason.text : reason.why);
}

std::string text_of(const PendingReason& reason) {
  const std::string hosts = hosts_text(reason);
  return reason.text + (hosts.empty() ? "" : ": " + hosts) + ";";
}

struct PendingReasons::State {
  State(const Snapshot& s, WallTime t) : snapshot(&s), now(t) {}

  // Made on first use: it costs a look at every host.
  const WorkingState& working() {
    if (!state) state.emplace(*snapshot, now);
    return *state;
  }
  template <class Make>
  std::uint32_t share(const std::string& what, const Make& make) {
    const auto [known, added] = numbers.try_emplace(what, 0);
    if (added) {
      answers.push_back(std::make_unique<std::vector<PendingReason>>(make()));
      known->second = static_cast<std::uint32_t>(answers.size());
    }
    return known->second;
  }
  std::uint32_t of_job(const PendingJob& job);

  const Snapshot* snapshot;
  WallTime now;
  std::optional<WorkingState> state;
  std::unordered_map<std::string, std::uint32_t> numbers;  // by a key that jobs with the same reasons share
  std::vector<std::unique_ptr<std::vector<PendingReason>>> answers;
  std::vector<std::shared_ptr<const Compiled>> seen;  // kept alive: the keys contain their addresses
  std::uint64_t hosts_looked_at = 0;
};

PendingReasons::PendingReasons(const Snapshot& snapshot, WallTime now)
    : state_(std::make_unique<State>(snapshot, now)) {}
PendingReasons::~PendingReasons() = default;

void PendingReasons::look_at(const Snapshot& snapshot, WallTime now) {
  state_->snapshot = &snapshot;
  state_->now = now;
  state_->state.reset();
}

std::uint32_t PendingReasons::State::of_job(const PendingJob& job) {
  if (job.hold == Hold::paused) {
    // Rounded up: the job does not start earlier than shown.
    const std::int64_t left_s = (job.paused_until.us - now.us + 999'999) / 1'000'000;
    return share("pause " + std::to_string(left_s), [&] {
      return std::vector<PendingReason>{
          {"Job was requeued and waits for its next start", pause_words(left_s), {}}};
    });
  }
  if (job.hold != Hold::none)
    return share("hold " + std::to_string(static_cast<int>(job.hold)),
                 [&] { return std::vector{*of_hold(job.hold)}; });
  const auto& entry = snapshot->demands()[job.demand];
  const QueueNumber queue = entry.compiled->queue;
  if (queue != kNoQueue && ready_at(snapshot->rules(), entry, job) > now)
    return share("new " + std::to_string(queue), [&] {
      const auto delay = snapshot->rules().queues[queue].new_job_delay_s;
      return std::vector<PendingReason>{
          {"New job is waiting for scheduling", "NEW_JOB_SCHED_DELAY is " + duration_text(delay), {}}};
    });
  // The serial alone is ambiguous: after a reconfiguration another snapshot begins its serials anew.
  std::string what = "demand " + std::to_string(entry.serial) + ' ' +
                     std::to_string(reinterpret_cast<std::uintptr_t>(entry.compiled.get()));
  for (const HostNumber host : job.excluded) what += ' ' + std::to_string(host);
  return share(what, [&] {
    hosts_looked_at += snapshot->rules().hosts.size();
    seen.push_back(entry.compiled);
    return reasons_of_demand(working(), entry, job);
  });
}

std::uint32_t PendingReasons::number_of(JobKey key) {
  const PendingJob* job = state_->snapshot->pending(key);
  return job == nullptr ? 0 : state_->of_job(*job);
}

const std::vector<PendingReason>& PendingReasons::at(std::uint32_t number) const {
  static const std::vector<PendingReason> none;
  return number == 0 ? none : *state_->answers[number - 1];
}

void PendingReasons::drop(std::uint32_t number) {
  if (number != 0) state_->answers[number - 1]->clear();
}

const std::vector<PendingReason>& PendingReasons::of(JobKey key) { return at(number_of(key)); }

std::uint64_t PendingReasons::hosts_looked_at() const { return state_->hosts_looked_at; }

}  // namespace rollcall::sched::cycle
