// The Book: new jobs.
#include <algorithm>
#include <iterator>
#include <utility>

#include "sched/policy/book/book_memory.hpp"

namespace rollcall::sched::book {
namespace {

class Submitting {
 public:
  Submitting(Memory& memory, const Identity& who, const wire::ForwardedFrom* from, WallTime now,
             Effects& into)
      : effects(into), m_(memory), from_(from), now_(now), context_(memory.context(who, now)) {
    context_.on_lent_slots = from != nullptr && from->lease() != 0;
  }

  Effects& effects;

  wire::BatchReply::Accepted submit(const wire::Submission& asked, bool check_only) {
    wire::BatchReply::Accepted accepted;
    if (wire::names_payload(asked)) {
      *accepted.mutable_refusal() =
          jobs::refusal(jobs::Refusal::BAD_REQUEST,
                        "found places in mbatchd's store, expected a script and an environment");
      return accepted;
    }
    jobs::CheckedSubmission checked = jobs::check_submission(asked, context_);
    if (checked.refusal) {
      *accepted.mutable_refusal() = *checked.refusal;
      return accepted;
    }
    if (auto full = m_.check_storage(*checked.asked)) {
      *accepted.mutable_refusal() = std::move(*full);
      return accepted;
    }
    accepted.set_queue(checked.queue);
    accepted.set_default_queue(checked.default_queue);
    for (auto& notice : checked.notices) accepted.add_notices(std::move(notice));
    if (check_only) return accepted;
    const std::int32_t id = m_.take_id();
    if (id == 0) {
      *accepted.mutable_refusal() = jobs::refusal(jobs::Refusal::FAILED, "no job id is free (MAX_JOBID)");
      return accepted;
    }
    accepted.set_id(id);
    keep(id, std::move(checked));
    return accepted;
  }

 private:
  void keep(std::int32_t id, jobs::CheckedSubmission checked) {
    const std::uint64_t number = m_.next_submission++;
    m_.counters_changed = true;
    for (auto& row : wire::take_payload(*checked.asked, number))
      effects.push_back(effect::SavePayload{std::move(row)});
    m_.add_submission(number, checked.asked, checked.dependency);
    effects.push_back(effect::SaveSubmission{number});
    const double order = m_.next_order++;
    for (const std::int32_t index : checked.indices) {
      // Elements share one order number: jobs of equal order are sorted by index.
      auto record = jobs::new_record(*checked.asked, {id, index}, number, checked.queue, now_);
      record.set_order(order);
      if (from_) *record.mutable_from() = *from_;
      BookEntry& entry = m_.add_job(std::move(record));
      m_.time_job(entry, now_);
      effects.push_back(effect::SaveJob{{id, index}});
    }
    m_.register_dependents(number, m_.submissions.at(number));
    m_.evaluate_all(number, nullptr);
    record_new({id, 0}, number, checked.queue);
    effects.push_back(effect::ScheduleSoon{});
  }

  // One event for a whole array.
  void record_new(JobKey key, std::uint64_t number, const std::string& queue) {
    effect::RecordEvent recorded;
    recorded.event.set_at_us(now_.us);
    set_key(*recorded.event.mutable_key(), key);
    auto& job = *recorded.event.mutable_new_job();
    job.set_submission(number);
    job.set_queue(queue);
    const auto& asked = *m_.asked(number);
    *job.mutable_asked() = asked;
    *job.mutable_record() = jobs::new_record(asked, key, number, queue, now_);
    if (from_) *job.mutable_record()->mutable_from() = *from_;
    effects.push_back(std::move(recorded));
  }

  Memory& m_;
  const wire::ForwardedFrom* from_;
  WallTime now_;
  jobs::SubmissionContext context_;
};

}  // namespace

namespace {

// mbatchd(8). A client repeats its request for a shorter time.
constexpr std::int64_t kTokenLife_us = 3'600'000'000;
constexpr std::size_t kLeastToken = 16, kMostToken = 64;

// The uid is part of the name: a token is valid for its user only.
std::string token_name(std::uint32_t uid, const std::string& token) {
  std::string name = std::to_string(uid) + ":";
  for (const char byte : token) {
    constexpr char kDigits[] = "0123456789abcdef";
    name += kDigits[static_cast<unsigned char>(byte) >> 4];
    name += kDigits[static_cast<unsigned char>(byte) & 15];
  }
  return name;
}

void keep_token(Memory& m, const std::string& name, const wire::BatchReply::Submitted& submitted,
                WallTime now, Effects& effects) {
  const bool any = std::any_of(submitted.jobs().begin(), submitted.jobs().end(),
                               [](const auto& job) { return !job.has_refusal(); });
  if (!any) return;  // a repetition would be refused as well
  m.forget_old_tokens(now, effects);
  m.add_token(name, {now.us, submitted.SerializeAsString()});
  effects.push_back(effect::SaveToken{name});
}

}  // namespace

// Jobs stay in the store with everything that was sent for them, so each user has a share of it.
std::optional<jobs::Refusal> Memory::check_storage(const wire::Submission& asked) const {
  const std::uint64_t most_mb = parameters.most_stored_mb;
  if (most_mb == 0) return std::nullopt;
  const auto user = users.find(asked.user());
  const std::uint64_t stored = user == users.end() ? 0 : user->second.stored_bytes;
  if (stored + asked.ByteSizeLong() <= most_mb << 20) return std::nullopt;
  return jobs::refusal(jobs::Refusal::NOT_ALLOWED,
                       "User <" + asked.user() + "> has reached the limit of " + std::to_string(most_mb) +
                           " MB of stored scripts and environments (MAX_USER_JOB_STORAGE); they are removed "
                           "when jobs are finished and cleaned");
}

const KeptToken* Memory::token(const std::string& name) const {
  const auto found = tokens.find(name);
  return found == tokens.end() ? nullptr : &found->second;
}

void Memory::add_token(std::string name, KeptToken token) {
  const auto [added, fresh] = tokens.insert_or_assign(std::move(name), std::move(token));
  if (fresh) tokens_by_time.push_back(&added->first);
}

// Runs without new submissions too: old tokens between freed objects would keep memory pages in use.
void Memory::forget_old_tokens(WallTime now, Effects& effects) {
  const std::int64_t before = now.us - kTokenLife_us;
  const std::size_t size = tokens_by_time.size();
  while (!tokens_by_time.empty()) {
    const auto oldest = tokens.find(*tokens_by_time.front());
    if (oldest->second.at_us >= before) break;
    tokens_by_time.pop_front();
    tokens.erase(oldest);
  }
  if (tokens_by_time.size() < size) effects.push_back(effect::ForgetTokens{before});
}

std::int32_t Memory::take_id() {
  const std::int32_t last = parameters.max_job_id;
  if (ids.size() >= static_cast<std::size_t>(last)) return 0;
  std::int32_t id = next_id > last ? 1 : next_id;
  while (ids.count(id) != 0) id = id == last ? 1 : id + 1;
  next_id = id == last ? 1 : id + 1;
  counters_changed = true;
  return id;
}

wire::BatchReply::Accepted Memory::submit(const wire::Submission& asked, const Identity& who,
                                          const wire::ForwardedFrom* from, WallTime now, Effects& effects) {
  return Submitting(*this, who, from, now, effects).submit(asked, false);
}

Applied ClientCommands::submit(const wire::Submit& request, const Identity& who, WallTime now) {
  Applied applied;
  applied.reply.set_last(true);
  const std::string token = request.check_only() ? "" : request.token();
  if (!token.empty() && (token.size() < kLeastToken || token.size() > kMostToken)) {
    *applied.reply.mutable_refusal() =
        jobs::refusal(jobs::Refusal::BAD_REQUEST,
                      "found a token of " + std::to_string(token.size()) + " bytes, expected 16 to 64");
    return applied;
  }
  const std::string name = token.empty() ? "" : token_name(who.uid, token);
  if (const KeptToken* known = memory_->token(name)) {
    applied.reply.mutable_submitted()->ParseFromString(known->answer);
    return applied;
  }
  Submitting submitting(*memory_, who, nullptr, now, applied.effects);
  auto& submitted = *applied.reply.mutable_submitted();
  for (const auto& asked : request.jobs())
    *submitted.add_jobs() = submitting.submit(asked, request.check_only());
  if (!name.empty()) keep_token(*memory_, name, submitted, now, applied.effects);
  memory_->counted(applied.effects);
  return applied;
}

}  // namespace rollcall::sched::book
