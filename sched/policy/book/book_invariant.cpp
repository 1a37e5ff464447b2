// The Book: checks that all indices agree with the jobs. Slow; for tests.
#include <algorithm>

#include "sched/policy/book/book_memory.hpp"

namespace rollcall::sched::book {
namespace {

// The indices as made anew from the jobs.
struct Expected {
  std::map<wire::JobStatus, std::set<JobKey>> by_status;
  std::map<const JobsOf*, std::set<JobKey>> jobs;
  std::map<const JobsOf*, PendingOrder> pending;
  std::map<const JobsOf*, JobsOf> sums;  // of users
  std::map<std::int32_t, jobs::JobTally> tallies;
  std::map<std::uint64_t, std::uint32_t> of_submission, waiting;
  std::map<std::string, std::size_t> foreign_of;
  std::map<std::string, std::size_t> unacknowledged;
};

}  // namespace

std::string Book::broken_invariant() const {
  const Memory& m = *memory_;
  Expected expected;
  for (const auto& [key, entry] : m.jobs) {
    m.unpacked(entry);
    const wire::JobRecord& record = entry.job->record;
    const std::string job = "job " + text(key) + ": ";
    if (entry.job->key() != key) return job + "has another key";
    if (auto broken = sched::jobs::broken_invariant(record); !broken.empty()) return broken;
    const auto submission = m.submissions.find(record.submission());
    if (submission == m.submissions.end()) return job + "has no submission";
    if (entry.submission != record.submission() || m.asked(entry.submission) != entry.job->asked)
      return job + "has another submission";
    if (entry.shown != shown_status(record)) return job + "is shown in another state";
    if (m.ids.count(key.id) == 0) return job + "has no id";
    expected.by_status[record.status()].insert(key);
    expected.jobs[entry.user].insert(key);
    expected.jobs[entry.queue].insert(key);
    count_slots(expected.sums[entry.user], *entry.job, 1);
    if (pending(record.status())) expected.pending[entry.queue].insert({record.order(), key});
    if (placed(record.status()))
      for (const auto& host : record.hosts()) {
        const JobsOf* there = m.hosts.find_jobs(host.name());
        if (there == nullptr || there->jobs.count(key) == 0) return job + "is not among its host's";
      }
    jobs::count(expected.tallies[key.id], record, 1);
    if (record.has_from()) ++expected.foreign_of[record.from().cluster()];
    ++expected.of_submission[record.submission()];
    expected.waiting[record.submission()] += waits(record);
    if (record.has_from() && finished(record.status()) && !record.from().acknowledged() &&
        !record.from().written_off())
      ++expected.unacknowledged[record.from().cluster()];
  }
  if (m.unacknowledged != expected.unacknowledged) return "other ends are unacknowledged";
  for (const auto& [status, jobs] : m.by_status)
    if (jobs != expected.by_status[status]) return "status " + std::to_string(status) + " has other jobs";
  for (const auto* index : {&m.users, &m.queues})
    for (const auto& [name, jobs] : *index) {
      if (jobs.jobs != expected.jobs[&jobs]) return name + " has other jobs";
      if (jobs.pending != expected.pending[&jobs]) return name + " has other pending jobs";
    }
  for (const auto& [name, user] : m.users)
    if (user.sums != expected.sums[&user].sums) return "user " + name + " has other sums";
  std::string wrong;
  m.hosts.each_jobs([&](HostNumber host, const JobsOf& there) {
    for (const JobKey key : there.jobs)
      if (!m.find(key) || !placed(m.find(key)->status())) wrong = m.hosts.id(host).text();
  });
  if (!wrong.empty()) return "host " + wrong + " has a job that is not placed";
  for (const auto& [id, entry] : m.ids) {
    if (entry.tally != expected.tallies[id]) return "job " + std::to_string(id) + ": the tally is wrong";
    if (entry.indices.size() != entry.tally.elements ||
        !std::is_sorted(entry.indices.begin(), entry.indices.end()))
      return "job " + std::to_string(id) + ": its elements are wrong";
  }
  for (const auto& [number, submission] : m.submissions) {
    const std::string name = "submission " + std::to_string(number);
    if (submission.kept.jobs != expected.of_submission[number] || submission.kept.jobs == 0)
      return name + ": has other jobs";
    if (submission.waiting != expected.waiting[number]) return name + ": other jobs wait";
    if (!submission.kept.dependency) continue;
    if (submission.registered != (submission.waiting > 0)) return name + ": is not told of what it waits for";
    if (submission.registered && !submission.kept.dependency->per_element() &&
        submission.kept.dependency_state != jobs::evaluate(*submission.kept.dependency, 0, m))
      return name + ": its dependency is out of date";
    if (!submission.registered || !submission.kept.dependency->per_element()) continue;
    for (const std::int32_t index : m.ids.at(submission.id).indices) {
      const BookEntry& element = m.jobs.at({submission.id, index});
      if (element.submission == number &&
          element.dependency != jobs::evaluate(*submission.kept.dependency, index, m))
        return name + ": the dependency of element " + std::to_string(index) + " is out of date";
    }
  }
  if (m.foreign_of != expected.foreign_of) return "other clusters have other numbers of jobs";
  if (m.kept.size() != m.submissions.size()) return "submissions are kept that are none";
  return {};
}

}  // namespace rollcall::sched::book
