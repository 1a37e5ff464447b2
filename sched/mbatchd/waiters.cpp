#include "sched/mbatchd/waiters.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "sched/mbatchd/clients.hpp"
#include "sched/policy/values/elsewhere.hpp"

namespace rollcall::mbatchd {
namespace {

using Refusal = wire::BatchReply::Refusal;

constexpr std::int64_t kComesAgain =
    3'000'000;  // us: a running bsub that lost its link has reconnected by then

}  // namespace

// ---------------------------------------------------------------- jobs

void Waiters::submitted(io::LinkId link, sched::JobKey key) {
  submitted_[link] = key;
  left_.erase(key);
}

void Waiters::await(io::LinkId link, const wire::AwaitJob& asked, const sched::Identity& who) {
  const auto key = sched::key_of(asked.key());
  const sched::Job* job = shown(key);
  if (job == nullptr)
    return handler_.reply(link, refusal(Refusal::NO_JOB, "Job <" + sched::text(key) + "> is not found"));
  // Only the owner may take a job's terminal or output.
  if (!table_.may_change(*job, who))
    return handler_.reply(
        link, refusal(Refusal::NOT_ALLOWED, "Job <" + sched::text(key) + ">: User permission denied"));
  ended(link);
  auto& waiter = jobs_[link];
  waiter = {key, asked.reasons(), {}};
  left_.erase(key);
  note(by_id_, key.id, link);
  if (tell(link, waiter)) ended(link);
}

// Of an array as a whole: the element that was changed last.
const sched::Job* Waiters::shown(sched::JobKey key) const {
  if (const auto* job = table_.find(key)) return job;
  if (key.index != 0) return nullptr;
  const sched::Job* last = nullptr;
  for (const auto element : table_.elements(key.id)) {
    const auto* job = table_.find(element);
    if (job != nullptr && (last == nullptr || job->record.status_us() > last->record.status_us())) last = job;
  }
  return last;
}

bool Waiters::over(sched::JobKey key) const {
  if (const auto* job = table_.find(key)) return sched::finished(job->status());
  if (key.index != 0) return true;
  const auto elements = table_.elements(key.id);
  return std::all_of(elements.begin(), elements.end(), [this](sched::JobKey element) {
    const auto* job = table_.find(element);
    return job == nullptr || sched::finished(job->status());
  });
}

bool Waiters::tell(io::LinkId link, JobWaiter& waiter) {
  wire::BatchReply reply;
  auto& awaited = *reply.mutable_awaited();
  const bool is_over = over(waiter.key);
  const sched::Job* job = shown(waiter.key);
  if (job != nullptr) {
    auto& record = *awaited.mutable_job()->mutable_record();
    record = job->record;
    sched::name_hosts_elsewhere(record);
    record.set_status(sched::shown_status(job->record));
    record.clear_usage();
    awaited.set_killed_pending(is_over && record.kill_asked() && !record.started());
    if (const auto* stream = table_.stream(waiter.key)) *awaited.mutable_stream() = *stream;
    if (waiter.reasons && sched::pending(job->status()))
      for (auto& reason : handler_.reasons(job->key()))
        *awaited.mutable_job()->add_reasons() = std::move(reason);
  }
  awaited.set_over(is_over);
  reply.set_last(is_over);
  std::string told = reply.SerializeAsString();
  if (told == waiter.told) return is_over;
  waiter.told = std::move(told);
  handler_.reply(link, reply);
  return is_over;
}

void Waiters::changed(const std::set<sched::JobKey>& jobs) {
  if (!by_id_.empty()) {
    std::set<io::LinkId> links;
    for (const auto key : jobs) {
      const auto waiting = by_id_.find(key.id);
      if (waiting == by_id_.end()) continue;
      for (const auto link : waiting->second) {
        const auto& waiter = jobs_.at(link);
        if (waiter.key.index == 0 || waiter.key == key) links.insert(link);
      }
    }
    for (const auto link : links)
      if (const auto waiter = jobs_.find(link); waiter != jobs_.end() && tell(link, waiter->second))
        ended(link);
  }
  changed_conditions(jobs);
}

void Waiters::changed_conditions(const std::set<sched::JobKey>& jobs) {
  if (conditions_.empty()) return;
  std::set<io::LinkId> links;
  std::int32_t last = 0;  // elements of one array are beside each other
  for (const auto key : jobs) {
    if (std::exchange(last, key.id) == key.id) continue;
    const auto waiting = conditions_by_id_.find(key.id);
    if (waiting != conditions_by_id_.end()) links.insert(waiting->second.begin(), waiting->second.end());
  }
  for (const auto link : links)
    if (tell(link, conditions_.at(link))) forget_condition(link);
}

void Waiters::planned() {
  for (auto& [link, waiter] : jobs_) {
    const auto* job = shown(waiter.key);
    if (waiter.reasons && job != nullptr && sched::pending(job->status())) tell(link, waiter);
  }
}

void Waiters::forget(LinksById& index, std::int32_t id, io::LinkId link) {
  const auto links = index.find(id);
  if (links == index.end()) return;
  links->second.erase(link);
  if (links->second.empty()) index.erase(links);
}

void Waiters::ended(io::LinkId link) {
  submitted_.erase(link);
  forget_condition(link);
  const auto waiter = jobs_.find(link);
  if (waiter == jobs_.end()) return;
  forget(by_id_, waiter->second.key.id, link);
  jobs_.erase(waiter);
}

bool Waiters::interactive_before_start(sched::JobKey key) const {
  const sched::Job* job = table_.find(key);
  return job != nullptr && job->asked->interactive() != wire::Submission::NONE &&
         !sched::finished(job->status()) && !job->record.started();
}

bool Waiters::left(io::LinkId link, WallTime now) {
  const auto waiter = jobs_.find(link);
  const auto submitted = submitted_.find(link);
  if (waiter == jobs_.end() && submitted == submitted_.end()) return false;
  const sched::JobKey key = waiter != jobs_.end() ? waiter->second.key : submitted->second;
  // A bsub that was told of the stream hangs up and connects to the job's host. If it does not come, the host ends the job.
  if (waiter != jobs_.end() && table_.stream(key) != nullptr) return false;
  if (!interactive_before_start(key)) return false;
  left_[key] = WallTime{now.us + kComesAgain};
  return true;
}

// ---------------------------------------------------------------- conditions

void Waiters::await(io::LinkId link, const wire::AwaitCondition& asked, const sched::Identity& who,
                    WallTime now) {
  ended(link);
  auto condition = table_.condition(asked.condition(), who);
  if (!condition) return handler_.reply(link, refusal(Refusal::BAD_REQUEST, condition.error().text));
  ConditionWaiter waiter{asked.condition(), std::move(*condition), std::nullopt};
  if (asked.timeout_s() > 0)
    waiter.until =
        WallTime{now.us + std::min<std::int64_t>(asked.timeout_s(), 10LL * 365 * 24 * 3600) * 1'000'000};
  if (tell(link, waiter)) return;
  for (const auto& one : waiter.condition.conditions()) note(conditions_by_id_, one.id, link);
  conditions_[link] = std::move(waiter);
}

void Waiters::forget_condition(io::LinkId link) {
  const auto waiter = conditions_.find(link);
  if (waiter == conditions_.end()) return;
  for (const auto& one : waiter->second.condition.conditions()) forget(conditions_by_id_, one.id, link);
  conditions_.erase(waiter);
}

bool Waiters::tell(io::LinkId link, const ConditionWaiter& waiter) {
  switch (table_.state_of(waiter.condition)) {
    case sched::jobs::DependencyState::not_yet:
      return false;
    case sched::jobs::DependencyState::never:
      handler_.reply(
          link, refusal(Refusal::FAILED, "Wait condition <" + waiter.written + "> can never be satisfied"));
      return true;
    default: {
      wire::BatchReply reply;
      reply.set_last(true);
      reply.mutable_awaited()->set_over(true);
      handler_.reply(link, reply);
      return true;
    }
  }
}

void Waiters::tick(WallTime now) {
  for (auto one = left_.begin(); one != left_.end();) {
    if (one->second > now) {
      ++one;
      continue;
    }
    const auto key = one->first;
    one = left_.erase(one);
    if (by_id_.count(key.id) == 0 && interactive_before_start(key)) handler_.abandoned(*table_.find(key));
  }
  std::vector<io::LinkId> over;
  for (const auto& [link, waiter] : conditions_)
    if (waiter.until && *waiter.until <= now) over.push_back(link);
  for (const auto link : over) {
    handler_.reply(
        link, refusal(Refusal::TIMEOUT, "Wait condition <" + conditions_.at(link).written + ">: timeout"));
    forget_condition(link);
  }
}

std::optional<WallTime> Waiters::next_deadline() const {
  std::optional<WallTime> next;
  for (const auto& [key, at] : left_)
    if (!next || at < *next) next = at;
  for (const auto& [link, waiter] : conditions_)
    if (waiter.until && (!next || *waiter.until < *next)) next = waiter.until;
  return next;
}

}  // namespace rollcall::mbatchd
