#include "sched/mbatchd/history.hpp"

#include <algorithm>
#include <unordered_map>

#include "sched/mbatchd/clients.hpp"
#include "sched/policy/answers.hpp"

namespace rollcall::mbatchd {
namespace {

using wire::BatchReply;

constexpr std::size_t kPage = 500;  // events read at once: less than the time of a turn
// Pages that hold nothing for this client are passed over, but not for so long that others wait.
constexpr int kMostEmptyPages = 20;

BatchReply failure(const io::StoreError& error) { return refusal(BatchReply::Refusal::FAILED, error.text); }

// Walks through the store's events: ids one after the other, or all of them by time.
class Walk {
 public:
  Walk(io::JobStore& store, std::vector<std::int32_t> ids, io::EventQuery query)
      : store_(store), ids_(std::move(ids)), query_(query), all_(ids_.empty()) {
    query_.most = kPage;
  }

  // Hands one page to `take`. False where there is nothing left.
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

// Parts of events: `fits` says which of them, and may keep what it has seen.
Parts walked(io::JobStore& store, std::vector<std::int32_t> ids, const io::EventQuery& query,
             std::function<bool(const wire::JobEvent&)> fits) {
  return [walk = Walk(store, std::move(ids), query), fits = std::move(fits)]() mutable -> std::optional<BatchReply> {
    BatchReply part;
    auto& events = *part.mutable_events();
    std::size_t bytes = 0;
    for (int pages = 0; pages < kMostEmptyPages && bytes < sched::kAnswerPart; ++pages) {
      const auto more = walk.page([&](const wire::JobEvent& event) {
        if (!fits(event)) return;
        auto& sent = *events.add_events();
        sent = sched::sent_event(event);
        bytes += sent.ByteSizeLong();
      });
      if (!more) return failure(more.error());
      part.set_last(!*more);
      if (part.last()) break;
    }
    return part;
  };
}

}  // namespace

Parts events_answer(io::JobStore& store, const wire::AskEvents& ask, const sched::Identity& who) {
  io::EventQuery query;
  // A job's events fit or not by its submission, so its JOB_NEW must be seen, however old it is.
  const bool by_time_of_system = ask.system();
  if (by_time_of_system) query.from_us = ask.from_us();
  if (ask.to_us() > 0) query.to_us = ask.to_us();
  auto jobs = std::make_shared<std::unordered_map<std::int32_t, std::shared_ptr<const wire::Submission>>>();
  return walked(store, ask.system() ? std::vector<std::int32_t>{} : ids_of(ask.filter()), query,
                [ask, who, jobs](const wire::JobEvent& event) {
                  if (event.key().id() == 0) return ask.system() && sched::fits_system(ask, event);
                  if (ask.system()) return false;
                  if (event.has_new_job())
                    (*jobs)[event.key().id()] = std::make_shared<wire::Submission>(event.new_job().asked());
                  const auto asked = jobs->find(event.key().id());
                  if (asked == jobs->end() || event.at_us() < ask.from_us()) return false;
                  return sched::fits(ask, who, sched::key_of(event.key()), *asked->second);
                });
}

Parts finished_answer(io::JobStore& store, const wire::AskFinished& ask, const sched::Identity& who) {
  io::EventQuery query;
  query.finishes = true;
  return walked(store, ids_of(ask.filter()), query, [ask, who](const wire::JobEvent& event) {
    return event.has_finish() && sched::fits(ask, who, event.finish());
  });
}

}  // namespace rollcall::mbatchd
