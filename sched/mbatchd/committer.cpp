#include "sched/mbatchd/committer.hpp"

#include <sched.h>

#include <algorithm>
#include <utility>

#include "sched/policy/book/present_events.hpp"

namespace rollcall::mbatchd {
namespace {

constexpr Duration kUnsaved = std::chrono::milliseconds(10);
constexpr Duration kRetry = std::chrono::seconds(1);

}  // namespace

Result<void> Committer::load(sched::book::StoredRows& rows, const sched::book::JobTable& jobs,
                             const std::function<bool(const io::StoredControl&)>& takes) {
  files_.set_present_jobs({[&jobs] { return sched::book::jobs_not_over(jobs); },
                           [&jobs](sched::JobKey job, const PresentJobs::Take& take) {
                             sched::book::tell_of_job(jobs, job, take);
                           },
                           [&rows] { return rows.next_job_id() - 1; }});
  using Number = io::StoreNumber;
  rows.load_counters(
      static_cast<std::int32_t>(std::max<std::int64_t>(1, store_->number(Number::next_job))),
      static_cast<std::uint64_t>(std::max<std::int64_t>(1, store_->number(Number::next_submission))));
  const auto loaded =
      store_->load({[&](io::StoredSubmission row) { rows.load_submission(row.number, std::move(row.asked)); },
                    [&](wire::JobRecord row) { rows.load_job(std::move(row)); },
                    [&](io::StoredControl row) {
                      if (takes(row)) return;
                      wire::ControlState state;
                      if (state.ParseFromString(row.value)) rows.load_control(std::move(state));
                    },
                    [&](io::StoredToken row) {
                      rows.load_token(std::move(row.token), {row.at_us, std::move(row.answer)});
                    }});
  if (!loaded) return internal_error(loaded.error().text);
  files_.begin(*store_);
  return {};
}

io::StoreResult<std::shared_ptr<const wire::Submission>> Committer::whole(
    const std::shared_ptr<const wire::Submission>& asked) {
  if (!wire::names_payload(*asked)) return asked;
  if (last_asked_ == asked) return last_whole_;
  auto whole = std::make_shared<wire::Submission>(*asked);
  for (const auto row : wire::payload_rows(*asked)) {
    const auto* waiting = transaction_.payload(row);
    const auto stored = waiting ? io::StoreResult<std::string>(std::string()) : store_->payload(row);
    if (!stored) return stored.error();
    if (!wire::put_payload(*whole, waiting ? waiting->body : *stored))
      return io::StoreError{io::StoreError::Kind::failed,
                            "table payloads, row " + std::to_string(row) + ": malformed"};
  }
  wire::forget_payload_rows(*whole);
  last_asked_ = asked;
  return last_whole_ = std::move(whole);
}

Transaction::Touched Committer::take(sched::Effects effects) {
  if (!unsaved_since_) unsaved_since_ = Steady::now();
  return transaction_.take(std::move(effects));
}

// Changes that no client waits for (a job runs now) are held for a moment, to share the next commit.
bool Committer::may_wait() const {
  return transaction_.to_save() && !transaction_.urgent() && !failing_ && unsaved_since_ &&
         Steady::now() - *unsaved_since_ < kUnsaved;
}

bool Committer::commit(bool at_once) {
  if (transaction_.empty() && !failing_) {
    unsaved_since_.reset();
    return true;
  }
  if (!at_once && may_wait()) return false;
  io::StoreBatch batch;
  if (transaction_.to_save() || failing_) {
    auto kept = save(batch);
    if (!kept) {
      refuse_submissions(std::move(batch), kept.error());
      if (transaction_.to_save()) kept = save(batch);
      if (!kept) {
        transaction_.keep(std::move(batch));
        return false;
      }
    }
  }
  unsaved_since_.reset();
  if (std::exchange(failing_, false)) {
    log_.notice("the store keeps again what it is given");
    handler_.keeps_again();
  }
  leave(transaction_.committed(std::move(batch)));
  return true;
}

io::StoreResult<std::uint64_t> Committer::save(io::StoreBatch& batch) {
  batch = transaction_.batch();
  files_.note(batch);
  return store_->commit(batch);
}

void Committer::refuse_submissions(io::StoreBatch batch, const io::StoreError& error) {
  if (!std::exchange(failing_, true))
    log_.error(error.text + "; no job is accepted or started until the store keeps what it is given");
  const auto withdrawn = transaction_.failed(std::move(batch), error);
  for (const auto key : withdrawn.jobs) handler_.withdrawn(key);
  for (const auto& waiting : withdrawn.replies) handler_.reply(waiting.link, waiting.reply);
}

void Committer::leave(Done done) {
  // Clients first: a bsub need not wait until events and a thousand orders are written. The client may have been woken on our
  // processor, so it is yielded.
  for (const auto& waiting : done.replies) handler_.reply(waiting.link, waiting.reply);
  if (!done.replies.empty()) sched_yield();
  files_.append(store_->last_event(), done.events);
  if (files_.behind(*store_)) handler_.files_behind();
  for (const auto& order : done.orders) handler_.order(order);
  last_asked_.reset();
  last_whole_.reset();
  handler_.told(done.told);
  if (files_.switched()) note_files();
}

void Committer::note_files() {
  io::StoreBatch last;
  files_.note(last);
  if (const auto noted = store_->commit(last); !noted) log_.error(noted.error().text);
}

std::optional<Duration> Committer::wait() const {
  const bool retry = failing_ || files_.behind(*store_);
  if (failing_ || !unsaved_since_) return retry ? std::optional(kRetry) : std::nullopt;
  const auto rest = std::max(Duration{0}, Duration(*unsaved_since_ + kUnsaved - Steady::now()));
  return retry ? std::min(rest, kRetry) : rest;
}

}  // namespace rollcall::mbatchd
