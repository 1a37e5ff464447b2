#include "sched/policy/book/stored_rows.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "sched/policy/book/book_memory.hpp"

namespace rollcall::sched::book {
namespace {

// The job was submitted just now, so its token is among the last.
void withdraw_token(Memory& m, std::int32_t id) {
  const std::int64_t submitted_us = m.at({id, m.ids.at(id).indices.front()}).job->record.submit_us();
  for (auto name = m.tokens_by_time.rbegin(); name != m.tokens_by_time.rend(); ++name) {
    const auto token = m.tokens.find(**name);
    if (token->second.at_us < submitted_us) return;
    wire::BatchReply::Submitted submitted;
    submitted.ParseFromString(token->second.answer);
    if (std::none_of(submitted.jobs().begin(), submitted.jobs().end(),
                     [id](const auto& job) { return job.id() == id; }))
      continue;
    m.tokens_by_time.erase(std::next(name).base());
    m.tokens.erase(token);
    return;
  }
}

bool names(const jobs::Dependency& dependency, std::int32_t id) {
  const auto& conditions = dependency.conditions();
  return std::any_of(conditions.begin(), conditions.end(),
                     [id](const jobs::JobCondition& condition) { return condition.id == id; });
}

// A bmod of the same turn has made jobs wait for the id, which is gone.
void tell_dependents(Memory& m, std::int32_t id) {
  for (const auto& [number, submission] : m.submissions)
    if (submission.registered && names(*submission.kept.dependency, id)) m.evaluate_all(number, nullptr);
}

}  // namespace

void StoredRows::load_counters(std::int32_t next_job_id, std::uint64_t next_submission) {
  memory_->next_id = std::max(1, next_job_id);
  memory_->next_submission = std::max<std::uint64_t>(1, next_submission);
}

void StoredRows::load_submission(std::uint64_t number, std::shared_ptr<const wire::Submission> asked) {
  std::shared_ptr<const jobs::Dependency> dependency;
  if (!asked->bound_dependency().empty())
    if (auto parsed = jobs::Dependency::parse_bound(asked->bound_dependency()))
      dependency = std::make_shared<jobs::Dependency>(std::move(*parsed));
  memory_->add_submission(number, std::move(asked), std::move(dependency));
  memory_->pack_if_many();
}

void StoredRows::load_job(wire::JobRecord record) {
  if (memory_->submissions.count(record.submission()) == 0 || record.cleaned_us() != 0) return;
  memory_->add_job(std::move(record));
  memory_->pack_if_many();
}

void StoredRows::load_control(wire::ControlState state) {
  if (state.host()) {
    auto& host = memory_->host_controls[HostId(state.name())];
    host.open = !state.closed();
    host.state = std::move(state);
  } else {
    auto& queue = memory_->queue_controls[state.name()];
    queue.open = !state.closed();
    queue.active = !state.inactive();
    queue.state = std::move(state);
  }
}

Effects StoredRows::loaded(WallTime now) {
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
  m.clock_went_back(now);  // perhaps while mbatchd was down
  for (auto& [id, entry] : m.ids) m.time_id(id);
  m.hosts.each_jobs([&](HostNumber host, const JobsOf& there) {
    if (there.jobs.empty()) return;
    m.hosts.link(host).silent_since_us = now.us;
    m.time_host(host);
  });
  m.loaded_us = now.us;
  return {effect::ScheduleSoon{}};
}

std::int32_t StoredRows::next_job_id() const { return memory_->next_id; }
std::uint64_t StoredRows::next_submission() const { return memory_->next_submission; }

const wire::JobRecord* StoredRows::record(JobKey key) const {
  const Job* job = jobs_.find(key);
  return job ? &job->record : nullptr;
}

std::shared_ptr<const wire::Submission> StoredRows::submission(std::uint64_t number) const {
  const auto* kept = jobs_.submission(number);
  return kept ? kept->asked : nullptr;
}

const KeptToken* StoredRows::token(const std::string& token) const { return memory_->token(token); }

void StoredRows::load_token(std::string token, KeptToken kept) {
  memory_->add_token(std::move(token), std::move(kept));
}

bool StoredRows::uses_payload(std::uint64_t row) const { return memory_->payloads.contains(row); }

std::vector<JobKey> StoredRows::withdraw(std::int32_t id) {
  std::vector<JobKey> keys = jobs_.elements(id);
  if (keys.empty()) return keys;
  const bool awaited = memory_->ids.at(id).dependents != nullptr;
  withdraw_token(*memory_, id);
  for (auto key = keys.rbegin(); key != keys.rend(); ++key) memory_->remove_job(*key);
  // A condition of -w that has come to name the id must not mean another job.
  if (awaited) tell_dependents(*memory_, id);
  // Else nothing that names it has left, and the next submission gets it.
  const std::int32_t next = id == memory_->parameters.max_job_id ? 1 : id + 1;
  if (!awaited && memory_->next_id == next) memory_->next_id = id;
  return keys;
}

}  // namespace rollcall::sched::book
