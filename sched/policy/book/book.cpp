#include "sched/policy/book/book.hpp"

#include <algorithm>
#include <utility>

#include "sched/policy/book/book_memory.hpp"
#include "sched/policy/values/gpus.hpp"

namespace rollcall::sched::book {

Book::Book() : memory_(std::make_unique<Memory>()) {}
Book::~Book() = default;

// ---------------------------------------------------------------- configuration and start

Effects Book::configure(ConfigView config, WallTime now) {
  Memory& m = *memory_;
  m.config = std::move(config);
  m.parameters = jobs::book_parameters(m.config);
  m.forget_resreqs();
  m.gpu_resource = sched::gpu_resource(*m.config.cluster);
  m.rules.clear();
  for (auto& [id, entry] : m.ids) m.time_id(id);
  for (const auto& [host, link] : m.links) m.time_host(host);
  (void)now;
  return {effect::ScheduleSoon{}};
}

const ConfigView& Book::config() const { return memory_->config; }
void Book::set_term(std::uint64_t term) { memory_->term = term; }
std::uint64_t Book::term() const { return memory_->term; }

void Book::load_counters(std::int32_t next_job_id, std::uint64_t next_submission) {
  memory_->next_id = std::max(1, next_job_id);
  memory_->next_submission = std::max<std::uint64_t>(1, next_submission);
}

void Book::load_submission(std::uint64_t number, std::shared_ptr<const wire::Submission> asked) {
  std::shared_ptr<const jobs::Dependency> dependency;
  if (!asked->bound_dependency().empty())
    if (auto parsed = jobs::Dependency::parse_bound(asked->bound_dependency()))
      dependency = std::make_shared<jobs::Dependency>(std::move(*parsed));
  memory_->add_submission(number, std::move(asked), std::move(dependency));
  memory_->pack_if_many();
}

void Book::load_job(wire::JobRecord record) {
  if (memory_->submissions.count(record.submission()) == 0 || record.cleaned_us() != 0) return;
  memory_->add_job(std::move(record));
  memory_->pack_if_many();
}

void Book::load_control(wire::ControlState state) {
  if (state.host()) {
    auto& host = memory_->host_controls[state.name()];
    host.open = !state.closed();
    host.state = std::move(state);
  } else {
    auto& queue = memory_->queue_controls[state.name()];
    queue.open = !state.closed();
    queue.active = !state.inactive();
    queue.state = std::move(state);
  }
}

Effects Book::loaded(WallTime now) {
  Memory& m = *memory_;
  for (auto it = m.submissions.begin(); it != m.submissions.end();) {
    const std::uint64_t number = (it++)->first;
    m.drop_submission_if_unused(number);
  }
  for (auto& [number, submission] : m.submissions) {
    m.register_dependents(number, submission);
    m.evaluate_all(number, nullptr);
  }
  m.heard_us = now.us;
  for (auto& [key, known] : m.jobs) {
    m.unpacked(known);
    m.time_job(known, now);
    m.pack_if_many();
  }
  m.clock_went_back(now);  // while we were away
  for (auto& [id, entry] : m.ids) m.time_id(id);
  for (auto& [host, jobs] : m.hosts) {
    if (jobs.jobs.empty()) continue;
    m.links[host].silent_since_us = now.us;
    m.time_host(host);
  }
  m.loaded_us = now.us;
  return {effect::ScheduleSoon{}};
}

std::int32_t Book::next_job_id() const { return memory_->next_id; }
std::uint64_t Book::next_submission() const { return memory_->next_submission; }

// ---------------------------------------------------------------- the plan

Effects Book::dispatch(JobKey key, const event::Dispatched& plan, WallTime now) {
  Effects effects;
  memory_->hear_clock(now);
  BookEntry* entry = memory_->entry(key);
  if (!entry || entry->job->status() != wire::STATUS_PEND) return effects;
  memory_->place(*entry, plan, now, effects);
  for (const auto& host : entry->job->record.hosts())
    if (auto& link = memory_->links[host.name()]; !link.connected) {
      // It was lost between the plan and now: the job shares the fate of those that are there.
      if (link.silent_since_us == 0 || link.lost) link.silent_since_us = now.us, link.lost = false;
      memory_->time_host(host.name());
    }
  return effects;
}

Effects Book::suspend(JobKey key, std::uint32_t reasons, const std::string& why, WallTime now) {
  Effects effects;
  if (BookEntry* entry = memory_->entry(key))
    memory_->step(*entry, event::SuspendPlanned{reasons, why}, now, effects);
  return effects;
}

Effects Book::resume(JobKey key, WallTime now) {
  Effects effects;
  if (BookEntry* entry = memory_->entry(key)) memory_->step(*entry, event::ResumePlanned{}, now, effects);
  return effects;
}

// ---------------------------------------------------------------- answers

void Book::pack() const { memory_->pack(); }

const Job* Book::find(JobKey key) const { return memory_->find(key); }
std::size_t Book::size() const { return memory_->jobs.size(); }

std::vector<JobKey> Book::elements(std::int32_t id) const {
  std::vector<JobKey> keys;
  if (const auto found = memory_->ids.find(id); found != memory_->ids.end())
    for (const std::int32_t index : found->second.indices) keys.push_back({id, index});
  return keys;
}
bool Book::is_array(std::int32_t id) const {
  const auto found = memory_->ids.find(id);
  return found != memory_->ids.end() && found->second.array;
}
const jobs::JobTally* Book::tally(std::int32_t id) const { return memory_->tally(id); }

const KeptSubmission* Book::submission(std::uint64_t number) const {
  const auto found = memory_->kept.find(number);
  if (found == memory_->kept.end()) return nullptr;
  memory_->asked(found->second, number);
  return &found->second;
}

const std::map<std::uint64_t, KeptSubmission>& Book::submissions() const { return memory_->kept; }

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

const std::set<JobKey>& Book::with_status(wire::JobStatus status) const {
  const auto found = memory_->by_status.find(status);
  return found == memory_->by_status.end() ? kNone : found->second;
}
const std::set<JobKey>& Book::of_user(const std::string& user) const { return jobs_of(memory_->users, user); }
const std::set<JobKey>& Book::of_queue(const std::string& queue) const {
  return jobs_of(memory_->queues, queue);
}
const std::set<JobKey>& Book::on_host(const std::string& host) const { return jobs_of(memory_->hosts, host); }

const Book::Order& Book::pending_of(const std::string& queue) const {
  static const Order none;
  const auto found = memory_->queues.find(queue);
  return found == memory_->queues.end() ? none : found->second.pending;
}

std::vector<std::string> Book::queues_with_jobs() const {
  std::vector<std::string> names;
  for (const auto& [name, jobs] : memory_->queues)
    if (!jobs.jobs.empty()) names.push_back(name);
  std::sort(names.begin(), names.end());
  return names;
}

std::vector<std::string> Book::users_with_jobs() const {
  std::vector<std::string> names;
  for (const auto& [name, jobs] : memory_->users)
    if (!jobs.jobs.empty()) names.push_back(name);
  std::sort(names.begin(), names.end());
  return names;
}

StatusCounts Book::application_counts(const std::string& profile) const {
  const auto found = memory_->of_application.find(profile);
  return found == memory_->of_application.end() ? StatusCounts{} : found->second.counts;
}

StatusCounts Book::queue_counts(const std::string& queue) const { return counts_of(memory_->queues, queue); }
StatusCounts Book::user_counts(const std::string& user) const { return counts_of(memory_->users, user); }
StatusCounts Book::host_counts(const std::string& host) const { return counts_of(memory_->hosts, host); }

jobs::DependencyState Book::dependency_state(const Job& job) const {
  const auto found = memory_->jobs.find(job.key());
  return found == memory_->jobs.end() ? jobs::DependencyState::none : memory_->state_of(found->second);
}

Result<jobs::Dependency> Book::condition(std::string_view expression, const Identity& who) const {
  auto parsed = jobs::Dependency::parse(expression);
  if (!parsed) return parsed.error();
  const jobs::SubmissionContext context = memory_->context(who, {});
  return parsed->bound(context.ids, context.known);
}
Book::DependencyChanges Book::take_dependency_changes() {
  return std::exchange(memory_->dependency_changes, {});
}
std::uint64_t Book::evaluations() const { return memory_->evaluations; }
jobs::DependencyState Book::state_of(const jobs::Dependency& condition) const {
  return jobs::evaluate(condition, 0, *memory_);
}

ControlledQueue Book::queue_control(const std::string& queue) const {
  const auto found = memory_->queue_controls.find(queue);
  return found == memory_->queue_controls.end() ? ControlledQueue{} : found->second;
}
ControlledHost Book::host_control(const std::string& host) const {
  const auto found = memory_->host_controls.find(host);
  return found == memory_->host_controls.end() ? ControlledHost{} : found->second;
}

bool Book::may_change(const Job& job, const Identity& who) const {
  const event::By by = memory_->by(job, who);
  return by.owner || by.admin;
}

const wire::StreamPlace* Book::stream(JobKey key) const {
  const auto found = memory_->jobs.find(key);
  return found == memory_->jobs.end() ? nullptr : found->second.stream.get();
}

wire::Limits Book::effective_limits(const Job& job) const {
  return sched::jobs::effective_limits(jobs::terms_of(memory_->config, job.record.queue(), *job.asked),
                                       job.asked->limits());
}

const std::string& Book::combined_resreq(const Job& job) const {
  return memory_->resreq_of(memory_->queue_row(job.record.queue()), job.record.queue(), *job.asked).text;
}

}  // namespace rollcall::sched::book
