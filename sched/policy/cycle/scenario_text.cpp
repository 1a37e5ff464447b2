// What bsched-query prints (scenario.hpp).
#include <algorithm>

#include "common/resreq/explain.hpp"
#include "sched/policy/cycle/compiled_demand.hpp"
#include "sched/policy/cycle/preemptable_slots.hpp"
#include "sched/policy/cycle/scenario.hpp"
#include "sched/policy/cycle/scenario_words.hpp"

namespace rollcall::sched::cycle {
namespace {

std::string padded(std::string text, std::size_t width) {
  text.resize(std::max(text.size(), width), ' ');
  return text;
}

std::string seconds_text(WallTime from, WallTime to) {
  return std::to_string((to.us - from.us) / 1'000'000) + " s";
}

// "2*hostA hostB": two slots of hostA, one of hostB.
std::string hosts_text(const std::vector<SlotsOn>& hosts, const PlacementRules& rules) {
  std::string text;
  for (const SlotsOn& on : hosts)
    text += (text.empty() ? "" : " ") + (on.slots > 1 ? std::to_string(on.slots) + "*" : "") +
            rules.hosts[on.host].text();
  return text;
}

std::string reservations_text(const Dispatch& dispatch, const PlacementRules& rules, WallTime now) {
  std::string text;
  for (const Reservation& reservation : dispatch.placement.reservations) {
    text += (text.empty() ? "  keeps " : ", ") + rules.indices().at(reservation.resource).name + " " +
            resreq::number_text(reservation.amount);
    if (!rules.shared_resource(reservation.resource)) text += " of " + rules.hosts[reservation.host].text();
    if (!reservation.until.never()) text += " for " + seconds_text(now, reservation.until);
    if (reservation.decay) text += " less and less";
  }
  return text;
}

std::string reasons_text(std::uint32_t reasons) {
  std::string text;
  for (const std::string& word : suspend_words(reasons)) text += (text.empty() ? "" : " ") + word;
  return text;
}

std::string same_form(const std::vector<PendingReason>& reasons, const PlacementRules& rules) {
  std::string text;
  for (const PendingReason& reason : reasons) {
    text += "  " + text_of(reason) + (reason.why.empty() ? "" : "  " + reason.why);
    const std::size_t shown = std::min<std::size_t>(reason.hosts.size(), 4);
    for (std::size_t i = 0; i < shown; ++i)
      text += (i == 0 ? " (" : " ") + rules.hosts[reason.hosts[i]].text() +
              (i + 1 < shown                 ? ""
               : reason.hosts.size() > shown ? " ...)"
                                             : ")");
    text += "\n";
  }
  return text;
}

}  // namespace

std::string text_of(const Plan& plan, const Snapshot& snapshot, WallTime now) {
  std::string text;
  for (const Suspend& suspend : plan.suspends)
    text += "suspend " + padded(sched::text(suspend.job), 8) + padded(reasons_text(suspend.reasons), 8) +
            suspend.text + "\n";
  for (const Resume& resume : plan.resumes)
    text += "resume  " + padded(sched::text(resume.job), 8) + reasons_text(resume.reasons) + "\n";
  for (const Dispatch& dispatch : plan.dispatches)
    text += "start   " + padded(sched::text(dispatch.job), 8) +
            hosts_text(dispatch.placement.hosts, snapshot.rules()) +
            reservations_text(dispatch, snapshot.rules(), now) + "\n";
  if (text.empty()) text = "nothing to do\n";
  if (plan.next_look) text += "look again in " + seconds_text(now, *plan.next_look) + "\n";
  return text;
}

std::string preemptable_text(const Snapshot& snapshot, WallTime now) {
  const auto queues = preemptable_slots(snapshot, now);
  std::string text;
  for (QueueNumber queue = 0; queue < queues.size(); ++queue)
    if (const auto& [slots, lowest] = queues[queue]; !snapshot.rules().preempts[queue].empty())
      text += "preemptable for queue " + snapshot.rules().queues[queue].name + ": " + std::to_string(slots) +
              (slots == 1 ? " slot" : " slots") +
              (lowest ? " of queues with PRIORITY " + std::to_string(*lowest) + " or higher" : "") + "\n";
  return text;
}

std::string pending_text(const Snapshot& snapshot, WallTime now) {
  std::vector<const PendingJob*> jobs;
  snapshot.each_pending([&jobs](const PendingJob& job) { jobs.push_back(&job); });
  const auto priority = [&](const PendingJob* job) {
    const auto queue = snapshot.demands()[job->demand].compiled->queue;
    return queue == kNoQueue ? 0 : snapshot.rules().queues[queue].priority;
  };
  std::sort(jobs.begin(), jobs.end(), [&](const PendingJob* a, const PendingJob* b) {
    if (priority(a) != priority(b)) return priority(a) > priority(b);
    return a->order != b->order ? a->order < b->order : a->key < b->key;
  });
  PendingReasons reasons(snapshot, now);
  std::string text;
  for (std::size_t first = 0, behind = 0; first < jobs.size(); first = behind) {
    const std::string said = same_form(reasons.of(jobs[first]->key), snapshot.rules());
    for (behind = first + 1; behind < jobs.size() && jobs[behind]->demand == jobs[first]->demand &&
                             same_form(reasons.of(jobs[behind]->key), snapshot.rules()) == said;)
      ++behind;
    text += "pending " + sched::text(jobs[first]->key);
    if (behind - first > 1)
      text += " to " + sched::text(jobs[behind - 1]->key) + ", " + std::to_string(behind - first) + " jobs";
    text += "\n" + said;
  }
  return text;
}

std::string why_text(const Snapshot& snapshot, WallTime now, JobKey job) {
  if (snapshot.placed(job) != nullptr) return "Job <" + sched::text(job) + "> has hosts\n";
  if (snapshot.pending(job) == nullptr) return "Job <" + sched::text(job) + "> is not found\n";
  std::string text;
  PendingReasons reasons(snapshot, now);
  for (const PendingReason& reason : reasons.of(job)) text += words_of(reason) + "\n";
  return text;
}

}  // namespace rollcall::sched::cycle
