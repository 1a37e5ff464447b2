#include "sched/policy/answers/suspend_reasons.hpp"

#include <cmath>
#include <set>

#include "sched/policy/jobs/two_sided_stop.hpp"
#include "sched/policy/values/host_id.hpp"

namespace rollcall::sched::answers {
namespace {

// The indices that keep the job suspended: those beyond loadSched now of the ones that have a loadStop; of values between two looks all of them.
std::string load_thresholds(const AnswerView& view, const wire::JobRecord& record) {
  const auto& rules = view.snapshot.rules();
  const auto queue = rules.queue(record.queue());
  std::set<ResourceId> all, beyond;
  for (const auto& on : record.hosts()) {
    const auto host = rules.host(on.name());
    if (!host) continue;
    const auto& values = view.snapshot.values(*host);
    const auto look = [&](const std::vector<cycle::IndexThreshold>& thresholds) {
      for (const cycle::IndexThreshold& one : thresholds) {
        if (!one.stop) continue;
        all.insert(one.index);
        const double value = one.index < values.numbers.size() ? values.numbers[one.index] : std::nan("");
        const double bound = one.schedule.value_or(*one.stop);
        const bool increasing = rules.indices().at(one.index).order == ResourceOrder::increasing;
        if (increasing ? value > bound : value < bound) beyond.insert(one.index);
      }
    };
    if (values.row != nullptr) look(values.row->thresholds);
    if (queue) look(rules.queues[*queue].thresholds);
  }
  std::string names;
  for (const ResourceId id : beyond.empty() ? all : beyond)
    names += (names.empty() ? ": " : ", ") + rules.indices().at(id).name;
  return names;
}

}  // namespace

std::vector<SuspendReason> suspend_reasons(const AnswerView& view, const wire::JobRecord& record) {
  std::vector<SuspendReason> reasons;
  struct Told {
    wire::SuspendReason bit;
    const char* text;
    const char* why;
  };
  static constexpr Told kTold[] = {
      {wire::SUSPEND_USER, "The job was suspended by user", "its owner stopped it; bresume resumes it"},
      {wire::SUSPEND_ADMIN, "The job was suspended by LSF admin or root",
       "an administrator stopped it; only an administrator can resume it, with bresume"},
      {wire::SUSPEND_LOAD, "The host load exceeded the following threshold(s)",
       "the load of its hosts is beyond loadStop; it resumes when the load is within loadSched"},
      {wire::SUSPEND_WINDOW, "The run window of the queue is closed",
       "the queue's RUN_WINDOW is closed; it resumes when the window opens"},
      {wire::SUSPEND_HOST_LOCKED, "The host is locked",
       "one of its hosts is locked; lsadmin limunlock unlocks it"},
      {wire::SUSPEND_QUEUE_INACTIVE, "The queue is inactive", "badmin qact activates it"},
      {wire::SUSPEND_PREEMPT, "The job was preempted by a job of a higher priority queue", ""},
  };
  const std::uint32_t bits = record.suspend_reasons();
  // In another cluster it is stopped when that cluster has told so.
  const bool ours = record.hosts().empty() || HostId(record.hosts(0).name()).ours();
  const bool stopped_here = ours || record.status() == wire::STATUS_USUSP;
  for (const auto& told : kTold) {
    const bool flagged =
        stopped_here &&
        ((told.bit == wire::SUSPEND_USER && record.stopped_by_user() && !record.stopped_by_admin()) ||
         (told.bit == wire::SUSPEND_ADMIN && record.stopped_by_admin()));
    if ((bits & told.bit) == 0 && !flagged) continue;
    const bool preempted = told.bit == wire::SUSPEND_PREEMPT;
    if (told.bit == wire::SUSPEND_ADMIN && (bits & told.bit) != 0 &&
        (is_elsewhere(record) || jobs::stopped_by_provider(record))) {
      const std::string cluster = is_elsewhere(record)
                                      ? record.forwarded().cluster()
                                      : std::string(HostId(record.hosts(0).name()).cluster());
      reasons.push_back(
          {told.text, "an administrator of cluster " + cluster + " stopped it; it is resumed there"});
      continue;
    }
    if (told.bit != wire::SUSPEND_ADMIN && on_lent_slots(record)) {
      const bool asked = told.bit == wire::SUSPEND_USER;
      reasons.push_back({asked ? told.text : "The job was suspended by its own cluster",
                         "cluster " + record.from().cluster() +
                             (asked ? " stopped it, as was asked for there; it is resumed there"
                                    : " suspended it, and lets it go on")});
      continue;
    }
    // Of a job that is in another cluster they are that cluster's.
    const std::string thresholds = told.bit == wire::SUSPEND_LOAD && !is_elsewhere(record)
                                       ? load_thresholds(view, record)
                                       : std::string();
    reasons.push_back(
        {preempted && record.slots_lent() ? "A job of a lower queue uses its slots" : told.text + thresholds,
         preempted ? (record.has_preempted_by() ? "job " + text(key_of(record.preempted_by()))
                                                : std::string("a job of its cluster")) +
                         " started on its slots; it resumes when they are free"
                   : std::string(told.why)});
  }
  return reasons;
}

}  // namespace rollcall::sched::answers
