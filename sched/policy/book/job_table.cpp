#include "sched/policy/book/job_table.hpp"

#include <algorithm>
#include <utility>

#include "sched/policy/book/book_memory.hpp"

namespace rollcall::sched::book {

const ConfigView& JobTable::config() const { return memory_->config; }
void JobTable::pack() const { memory_->pack(); }

const Job* JobTable::find(JobKey key) const { return memory_->find(key); }
std::size_t JobTable::size() const { return memory_->jobs.size(); }

std::vector<JobKey> JobTable::elements(std::int32_t id) const {
  std::vector<JobKey> keys;
  if (const auto found = memory_->ids.find(id); found != memory_->ids.end())
    for (const std::int32_t index : found->second.indices) keys.push_back({id, index});
  return keys;
}
bool JobTable::is_array(std::int32_t id) const {
  const auto found = memory_->ids.find(id);
  return found != memory_->ids.end() && found->second.array;
}
const jobs::JobTally* JobTable::tally(std::int32_t id) const { return memory_->tally(id); }

const KeptSubmission* JobTable::submission(std::uint64_t number) const {
  const auto found = memory_->kept.find(number);
  if (found == memory_->kept.end()) return nullptr;
  memory_->asked(found->second, number);
  return &found->second;
}

const std::map<std::uint64_t, KeptSubmission>& JobTable::submissions() const { return memory_->kept; }

namespace {
const std::set<JobKey> kNone;
const std::set<JobKey>& jobs_of(const std::unordered_map<std::string, JobsOf>& index,
                                const std::string& name) {
  const auto found = index.find(name);
  return found == index.end() ? kNone : found->second.jobs;
}
StatusCounts counts_of(const std::unordered_map<std::string, JobsOf>& index, const std::string& name) {
  const auto found = index.find(name);
  return found == index.end() ? StatusCounts{} : found->second.counts;
}
}  // namespace

const std::set<JobKey>& JobTable::with_status(wire::JobStatus status) const {
  const auto found = memory_->by_status.find(status);
  return found == memory_->by_status.end() ? kNone : found->second;
}
const std::set<JobKey>& JobTable::of_user(const std::string& user) const {
  return jobs_of(memory_->users, user);
}
const std::set<JobKey>& JobTable::of_queue(const std::string& queue) const {
  return jobs_of(memory_->queues, queue);
}
const std::set<JobKey>& JobTable::on_host(const std::string& host) const {
  const JobsOf* there = memory_->hosts.find_jobs(host);
  return there == nullptr ? kNone : there->jobs;
}

const PendingOrder& JobTable::pending_of(const std::string& queue) const {
  static const PendingOrder none;
  const auto found = memory_->queues.find(queue);
  return found == memory_->queues.end() ? none : found->second.pending;
}

std::vector<std::string> JobTable::queues_with_jobs() const {
  std::vector<std::string> names;
  for (const auto& [name, jobs] : memory_->queues)
    if (!jobs.jobs.empty()) names.push_back(name);
  std::sort(names.begin(), names.end());
  return names;
}

std::vector<std::string> JobTable::users_with_jobs() const {
  std::vector<std::string> names;
  for (const auto& [name, jobs] : memory_->users)
    if (!jobs.jobs.empty()) names.push_back(name);
  std::sort(names.begin(), names.end());
  return names;
}

StatusCounts JobTable::application_counts(const std::string& profile) const {
  const auto found = memory_->of_application.find(profile);
  return found == memory_->of_application.end() ? StatusCounts{} : found->second.counts;
}

StatusCounts JobTable::queue_counts(const std::string& queue) const {
  return counts_of(memory_->queues, queue);
}
StatusCounts JobTable::user_counts(const std::string& user) const { return counts_of(memory_->users, user); }
StatusCounts JobTable::host_counts(const std::string& host) const {
  const JobsOf* there = memory_->hosts.find_jobs(host);
  return there == nullptr ? StatusCounts{} : there->counts;
}

jobs::DependencyState JobTable::dependency_state(const Job& job) const {
  const auto found = memory_->jobs.find(job.key());
  return found == memory_->jobs.end() ? jobs::DependencyState::none : memory_->state_of(found->second);
}

Result<jobs::Dependency> JobTable::condition(std::string_view expression, const Identity& who) const {
  auto parsed = jobs::Dependency::parse(expression);
  if (!parsed) return parsed.error();
  const jobs::SubmissionContext context = memory_->context(who, {});
  return parsed->bound(context.ids, context.known);
}
DependencyChanges JobTable::take_dependency_changes() {
  return std::exchange(memory_->dependency_changes, {});
}
std::uint64_t JobTable::evaluations() const { return memory_->evaluations; }
jobs::DependencyState JobTable::state_of(const jobs::Dependency& condition) const {
  return jobs::evaluate(condition, 0, *memory_);
}

ControlledQueue JobTable::queue_control(const std::string& queue) const {
  const auto found = memory_->queue_controls.find(queue);
  return found == memory_->queue_controls.end() ? ControlledQueue{} : found->second;
}
ControlledHost JobTable::host_control(const std::string& host) const {
  const auto found = memory_->host_controls.find(HostId(host));
  return found == memory_->host_controls.end() ? ControlledHost{} : found->second;
}

bool JobTable::may_change(const Job& job, const Identity& who) const {
  const event::By by = memory_->by(job, who);
  return by.owner || by.admin;
}

const wire::StreamPlace* JobTable::stream(JobKey key) const {
  const auto found = memory_->jobs.find(key);
  return found == memory_->jobs.end() ? nullptr : found->second.stream.get();
}

wire::Limits JobTable::effective_limits(const Job& job) const {
  return sched::jobs::effective_limits(jobs::terms_of(memory_->config, job.record.queue(), *job.asked),
                                       job.asked->limits());
}

conf::PreemptionLimits JobTable::preemption_limits(const Job& job) const {
  const auto& config = memory_->config;
  return sched::jobs::preemption_limits(config, jobs::terms_of(config, job.record.queue(), *job.asked));
}

const std::string& JobTable::combined_resreq(const Job& job) const {
  return memory_->resreq_of(memory_->queue_row(job.record.queue()), job.record.queue(), *job.asked).text;
}

std::uint64_t JobTable::stored_bytes(const std::string& user) const {
  const auto found = memory_->users.find(user);
  return found == memory_->users.end() ? 0 : found->second.stored_bytes;
}

}  // namespace rollcall::sched::book
