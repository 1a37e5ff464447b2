#include "sched/mbatchd/queries.hpp"

#include <memory>
#include <optional>
#include <utility>

#include "common/io/local_time.hpp"
#include "sched/mbatchd/history.hpp"
#include "sched/policy/answers/answers.hpp"
#include "sched/policy/answers/steady_answer.hpp"

namespace rollcall::mbatchd {

using Refusal = wire::BatchReply::Refusal;

namespace {

// `ask`, which outlives it, is called once.
template <class Value>
std::function<const Value&()> once(const std::function<Value()>& ask) {
  if (!ask) return {};
  return [&ask, made = std::make_shared<std::optional<Value>>()]() -> const Value& {
    if (!*made) *made = ask();
    return **made;
  };
}

}  // namespace

void Queries::ask(io::LinkId link, const sched::Identity& who, const wire::BatchRequest& request) {
  links_.promise(link);
  asked_.push_back({link, who, request});
}

void Queries::answer_all(Waiters& waiters) {
  for (const auto& one : std::exchange(asked_, {})) answer(one, waiters);
}

void Queries::answer(const Asked& asked, Waiters& waiters) {
  const auto& [link, who, request] = asked;
  if (!clients_.has(link)) return;
  if (request.has_await_job() || request.has_await()) {
    links_.answer(link, [] { return std::nullopt; });  // it may ask other things while it waits
    return request.has_await_job() ? waiters.await(link, request.await_job(), who)
                                   : waiters.await(link, request.await(), who, io::wall_now());
  }
  if (request.has_events()) return clients_.answer(link, events_answer(store_, request.events(), who));
  if (request.has_finished()) return clients_.answer(link, finished_answer(store_, request.finished(), who));
  answer_view(asked);
}

void Queries::answer_view(const Asked& asked) {
  const auto view = [this] {
    return sched::answers::AnswerView{
        jobs_,          hosts_,           keeper_.snapshot(), io::wall_now(),   whole_,
        remote_.queues, remote_.clusters, remote_.leases,     remote_.borrowed, once(remote_.awaited)};
  };
  auto parts = sched::answers::answer(asked.request, asked.who, view());
  if (!parts)
    return clients_.reply(asked.link,
                          refusal(Refusal::BAD_REQUEST, "this mbatchd does not know what is asked"));
  const auto stamp = [this] { return std::pair(configuration_, keeper_.times_anew()); };
  const auto begin = [request = std::make_shared<const wire::BatchRequest>(asked.request),
                      who = asked.who](const sched::answers::AnswerView& now) {
    return sched::answers::answer(*request, who, now);
  };
  using Stamp = decltype(stamp());
  Clients::Parts guarded = [answer = sched::answers::SteadyAnswer<Stamp>(std::move(*parts), begin, stamp),
                            view, this]() mutable {
    auto part = answer(view());
    jobs_.pack();
    return part;
  };
  if (asked.request.has_jobs() && asked.request.jobs().history())
    guarded = with_old_jobs(store_, asked.request.jobs(), std::move(guarded));
  clients_.answer(asked.link, std::move(guarded));
}

std::vector<wire::BatchReply::Reason> Queries::reasons(sched::JobKey key) {
  const WallTime now = io::wall_now();
  if (reasons_)
    reasons_->look_at(keeper_.snapshot(), now);
  else
    reasons_ = std::make_unique<sched::cycle::PendingReasons>(keeper_.snapshot(), now);
  return sched::answers::counted_reasons({jobs_, hosts_, keeper_.snapshot(), now}, key, *reasons_);
}

}  // namespace rollcall::mbatchd
