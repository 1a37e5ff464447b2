#include "sched/mbatchd/history.hpp"

#include <algorithm>
#include <deque>
#include <limits>
#include <optional>

#include "common/base/numbers.hpp"
#include "sched/mbatchd/clients.hpp"
#include "sched/policy/answers/answers.hpp"
#include "sched/policy/events/history_selection.hpp"

namespace rollcall::mbatchd {
namespace {

using wire::BatchReply;

// Rows that are read at once, as one part of the answer: other clients wait meanwhile. A page without rows for this client is an
// empty part.
constexpr std::size_t kPage = 100;

BatchReply failure(const io::StoreError& error) { return refusal(BatchReply::Refusal::FAILED, error.text); }

// Walks through the store's events: ids one after the other, or all of them by time.
class Walk {
 public:
  Walk(io::JobStore& store, std::vector<std::int32_t> ids, io::EventQuery query)
      : store_(store), ids_(std::move(ids)), query_(query), all_(ids_.empty()) {
    query_.most = kPage;
  }

  // Hands one page to `take`. False at the end.
  template <class Take>
  io::StoreResult<bool> page(const Take& take) {
    if (!all_ && next_id_ == ids_.size()) return false;
    if (!all_) query_.id = ids_[next_id_];
    const auto found = store_.events(query_);
    if (!found) return found.error();
    for (const auto& one : *found) take(one.event);
    if (!found->empty()) query_.after = found->back().seq;
    if (found->size() == kPage) return true;
    if (all_) return false;
    ++next_id_;
    query_.after = 0;
    return next_id_ < ids_.size();
  }

 private:
  io::JobStore& store_;
  std::vector<std::int32_t> ids_;
  std::size_t next_id_ = 0;
  io::EventQuery query_;
  bool all_;
};

std::vector<std::int32_t> ids_of(const wire::JobFilter& filter) {
  std::vector<std::int32_t> ids;
  for (const auto& key : filter.keys()) ids.push_back(key.id());
  for (const auto& list : filter.index_lists()) ids.push_back(list.id());
  std::sort(ids.begin(), ids.end());
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  return ids;
}

// Parts of events: `fits` selects them, and may keep state from event to event.
Parts walked(io::JobStore& store, std::vector<std::int32_t> ids, const io::EventQuery& query,
             std::function<bool(const wire::JobEvent&)> fits) {
  return [walk = Walk(store, std::move(ids), query),
          fits = std::move(fits)]() mutable -> sched::answers::AnswerPart {
    auto part = sched::answers::AnswerPart::empty();
    auto& events = *part->mutable_events();
    const auto more = walk.page([&](const wire::JobEvent& event) {
      if (fits(event)) *events.add_events() = sched::events::sent_event(event);
    });
    if (!more) return failure(more.error());
    part->set_last(!*more);
    return part;
  };
}

}  // namespace

Parts events_answer(io::JobStore& store, const wire::AskEvents& ask, const sched::Identity& who) {
  io::EventQuery query;
  // A job's events are selected by its submission, so its JOB_NEW is read however old it is.
  const bool by_time_of_system = ask.system();
  if (by_time_of_system) query.from_us = ask.from_us();
  if (ask.to_us() > 0) query.to_us = ask.to_us();
  auto jobs = std::make_shared<sched::events::JobsAsked>(ask, who);
  return walked(store, ask.system() ? std::vector<std::int32_t>{} : ids_of(ask.filter()), query,
                [ask, jobs](const wire::JobEvent& event) {
                  if (event.key().id() == 0) return ask.system() && sched::events::fits_system(ask, event);
                  return !ask.system() && jobs->wants(event);
                });
}

Parts finished_answer(io::JobStore& store, const wire::AskFinished& ask, const sched::Identity& who) {
  io::EventQuery query;
  query.finishes = true;
  return walked(store, ids_of(ask.filter()), query, [ask, who](const wire::JobEvent& event) {
    return event.has_finish() && sched::events::fits(ask, who, event.finish());
  });
}

namespace {

// The jobs that AskJobs names and that are in the store alone.
class OldJobs {
 public:
  OldJobs(io::JobStore& store, const wire::AskJobs& ask, Parts parts)
      : store_(store), ask_(ask), ids_(ids_of(ask.filter())), parts_(std::move(parts)) {}

  sched::answers::AnswerPart next() {
    if (over_) return {};
    if (!memory_over_) {
      auto part = parts_();
      if (!part || part->has_refusal()) return over_ = true, std::move(part);
      for (auto& word : *part->mutable_jobs()->mutable_unknown()) unknown_.push_back(std::move(word));
      part->mutable_jobs()->clear_unknown();
      memory_over_ = part->last();
      over_ = memory_over_ && ids_.empty() && unknown_.empty();
      part->set_last(over_);
      return part;
    }
    return unknown_.empty() ? page() : tell_unknown();
  }

 private:
  sched::answers::AnswerPart page() {
    auto part = sched::answers::AnswerPart::empty();
    auto& jobs = *part->mutable_jobs();
    const auto found = store_.jobs(ids_[next_], after_, kPage);
    if (!found) return over_ = true, failure(found.error());
    for (const auto& record : *found) {
      after_ = record.key().index();
      if (record.cleaned_us() == 0 || !named(record.key())) continue;
      auto& view = *jobs.add_jobs();
      *view.mutable_record() = record;
      add_submission(record.submission(), jobs);
    }
    if (found->size() < kPage) {
      ++next_;
      after_ = -1;
    }
    over_ = next_ == ids_.size();
    part->set_last(over_);
    return part;
  }

  void add_submission(std::uint64_t number, BatchReply::Jobs& jobs) {
    if (number == sent_) return;
    sent_ = number;
    const auto asked = store_.submission(number);
    if (asked && *asked)
      sched::answers::send_submission(**asked, ask_.submissions(), (*jobs.mutable_submissions())[number]);
  }

  // Memory does not know these jobs; the store may.
  sched::answers::AnswerPart tell_unknown() {
    auto part = sched::answers::AnswerPart::empty();
    auto& jobs = *part->mutable_jobs();
    for (std::size_t asked = 0; asked < kPage / 4 && !unknown_.empty(); ++asked, unknown_.pop_front())
      if (!in_store(unknown_.front())) jobs.add_unknown(unknown_.front());
    over_ = unknown_.empty() && ids_.empty();
    part->set_last(over_);
    return part;
  }
  // "ID" or "ID[INDEX]". The store has no index of the ids of other clusters ("ID@CLUSTER").
  bool in_store(std::string_view word) const {
    constexpr int kMost = std::numeric_limits<int>::max();
    if (word.find('@') != word.npos) return false;
    const auto bracket = word.find('[');
    const auto id = parse_whole(word.substr(0, bracket), 1, kMost);
    std::optional<int> index = -1;
    if (bracket != word.npos)
      index = parse_whole(word.substr(bracket + 1, word.find(']', bracket) - bracket - 1), 0, kMost);
    if (!id || !index) return false;
    const auto found = store_.jobs(*id, *index < 0 ? -1 : *index - 1, 1);
    return found && !found->empty() && (*index < 0 || found->front().key().index() == *index);
  }

  bool named(const wire::JobKey& key) const {
    for (const auto& one : ask_.filter().keys())
      if (one.id() == key.id() && (one.index() == 0 || one.index() == key.index())) return true;
    for (const auto& list : ask_.filter().index_lists())
      for (const auto& range : list.indices())
        if (list.id() == key.id() && key.index() >= range.first() && key.index() <= range.last() &&
            (key.index() - range.first()) % std::max(1, range.step()) == 0)
          return true;
    return false;
  }

  io::JobStore& store_;
  wire::AskJobs ask_;
  std::vector<std::int32_t> ids_;
  Parts parts_;
  std::deque<std::string> unknown_;  // ids that memory does not know, until the store was asked
  bool memory_over_ = false, over_ = false;
  std::size_t next_ = 0;
  int after_ = -1;
  std::uint64_t sent_ = 0;
};

}  // namespace

Parts with_old_jobs(io::JobStore& store, const wire::AskJobs& ask, Parts parts) {
  return [jobs = std::make_shared<OldJobs>(store, ask, std::move(parts))] { return jobs->next(); };
}

}  // namespace rollcall::mbatchd
