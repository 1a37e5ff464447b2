#include "sched/policy/forward/choice.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include "sched/policy/forward/value_terms.hpp"

namespace rollcall::sched::forward {
namespace {

using Kind = conf::ForwardChoice::Kind;

std::int64_t free_slots(const Slots& slots) { return std::int64_t{slots.available} - slots.pending; }
std::int64_t preemptable_slots(const Slots& slots) { return std::int64_t{slots.preemptable} - slots.pending; }

// What a queue answers to what the job asks. Figures may change without changing it.
struct Answer {
  int total = 0;
  bool free = false, preemptable = false, room = false;
  friend bool operator==(const Answer&, const Answer&) = default;
};

Answer answer_of(const ForwardJob& job, const Figures& figures, const Settings& settings) {
  return {.total = figures.slots.total,
          .free = free_slots(figures.slots) >= job.min_slots,
          .preemptable = settings.choice.kind == Kind::count_preemptable &&
                         preemptable_slots(figures.slots) >= job.min_slots,
          .room = figures.job_room.value_or(1) >= 1 &&
                  figures.slot_room.value_or(job.min_slots) >= job.min_slots};
}

// Jobs may wait in the remote queue.
bool waits_remotely(const Settings& settings) {
  return settings.room_before_preemption || !settings.choice.pending_when_no_slots;
}

std::optional<Tier> tier_of(const Answer& answer, const Settings& settings) {
  const bool room = answer.room && waits_remotely(settings);
  if (answer.free) return Tier::free;
  if (room && settings.room_before_preemption) return Tier::room;
  if (answer.preemptable) return Tier::preemptable;
  if (room) return Tier::room;
  return std::nullopt;
}

// Almost all names differ in length or in their first letter, so that few are compared as a whole.
bool same(const std::string& a, const std::string& b) {
  return a.size() == b.size() && a[0] == b[0] && a == b;
}

// The first of `asked` that is not in `there`.
std::optional<std::uint32_t> first_lacking(const std::vector<std::string>& asked,
                                           const std::vector<std::string>& there) {
  for (std::size_t i = 0; i < asked.size(); ++i)
    if (std::none_of(there.begin(), there.end(),
                     [&](const std::string& name) { return same(name, asked[i]); }))
      return static_cast<std::uint32_t>(i);
  return std::nullopt;
}

// Too many returns, and no answer since then that differs.
bool barred(const ForwardJob& job, const RemoteQueue& queue, const Settings& settings) {
  const Returns& returns = queue.returns;
  if (returns.times < kMostReturns) return false;
  if (settings.retry_after && returns.ago >= *settings.retry_after) return false;
  if (!queue.figures) return true;
  return returns.then && answer_of(job, *queue.figures, settings) == answer_of(job, *returns.then, settings);
}

void leave_out(Verdict& verdict, LeftOut why, std::uint32_t lacking = 0) {
  verdict.why = why;
  verdict.lacking = lacking;
}

// False where the queue lacks what the job asks for, whatever its load is.
bool has_resources(const ForwardJob& job, const RemoteQueue& queue, Verdict& verdict) {
  if (const auto type = first_lacking(job.types, queue.types))
    leave_out(verdict, LeftOut::lacks_type, *type);
  else if (const auto boolean = first_lacking(job.booleans, queue.booleans))
    leave_out(verdict, LeftOut::lacks_boolean, *boolean);
  else if (const auto value = first_unmet(job.values, queue.values))
    leave_out(verdict, LeftOut::lacks_value, *value);
  else if (queue.figures->slots.total < job.min_slots)
    leave_out(verdict, LeftOut::too_small);
  else
    return true;
  return false;
}

// Writes to the verdict in its place: to hand these values over by copies took half the time of a choice.
void judge(const ForwardJob& job, const RemoteQueue& queue, const Settings& settings, Verdict& verdict) {
  if (queue.figures) {
    verdict.free = free_slots(queue.figures->slots);
    verdict.preemptable = preemptable_slots(queue.figures->slots);
    verdict.mixed_types = job.same_type && queue.types.size() > 1;
  }
  if (!queue.connected) return leave_out(verdict, LeftOut::disconnected);
  if (queue.figures && !has_resources(job, queue, verdict)) return;
  if (barred(job, queue, settings)) return leave_out(verdict, LeftOut::returned);
  if (settings.choice.kind == Kind::off && !settings.remote_resource)
    verdict.tier = Tier::listed;
  else if (!queue.figures)
    verdict.tier = Tier::unknown;
  else if (settings.choice.kind == Kind::off)
    verdict.tier = Tier::available;
  else
    verdict.tier = tier_of(answer_of(job, *queue.figures, settings), settings);
  if (!verdict.tier) leave_out(verdict, waits_remotely(settings) ? LeftOut::no_room : LeftOut::no_slots);
}

// Compared number by number; the smaller one is offered first.
using Rank = std::array<std::int64_t, 4>;

std::int64_t order_of(Tier tier, const Settings& settings) {
  if (settings.room_before_preemption && tier == Tier::room) return static_cast<int>(Tier::preemptable);
  if (settings.room_before_preemption && tier == Tier::preemptable) return static_cast<int>(Tier::room);
  return static_cast<int>(tier);
}

Rank rank_of(const Verdict& verdict, const RemoteQueue& queue, const Settings& settings) {
  const conf::ForwardChoice& choice = settings.choice;
  const Tier tier = *verdict.tier;
  const std::int64_t order = order_of(tier, settings);
  if (tier == Tier::listed || tier == Tier::unknown) return {order};
  if (tier == Tier::available) return {order, -std::int64_t{queue.figures->slots.available}};
  const bool by_preemption =
      tier == Tier::preemptable ||
      (tier == Tier::room && choice.kind == Kind::count_preemptable && !settings.room_before_preemption);
  const std::int64_t lowest = queue.lowest_preemptable.value_or(std::numeric_limits<int>::max());
  return {order, choice.high_queue_priority ? -std::int64_t{queue.priority} : 0,
          by_preemption && choice.preemptable_queue_priority ? lowest : 0,
          by_preemption ? -verdict.preemptable : -verdict.free};
}

// The queues with the smallest ranks. Few are wanted of many, so nothing is sorted.
class Best {
 public:
  void add(std::size_t queue, const Rank& rank) {
    std::size_t place = count_;
    while (place > 0 && rank < ranks_[place - 1]) --place;  // equal ones stay behind: the order of SNDJOBS_TO
    if (place == kMostOffers) return;
    count_ = std::min(count_ + 1, kMostOffers);
    for (std::size_t i = count_ - 1; i > place; --i) ranks_[i] = ranks_[i - 1], queues_[i] = queues_[i - 1];
    ranks_[place] = rank;
    queues_[place] = queue;
  }
  std::vector<std::size_t> queues() const {
    return {queues_.begin(), queues_.begin() + static_cast<int>(count_)};
  }

 private:
  std::size_t count_ = 0;
  std::array<Rank, kMostOffers> ranks_{};
  std::array<std::size_t, kMostOffers> queues_{};
};

}  // namespace

Choice choose(const ForwardJob& job, std::span<const RemoteQueue> queues, const Settings& settings) {
  Choice choice;
  choice.verdicts.resize(queues.size());
  Best best;
  for (std::size_t i = 0; i < queues.size(); ++i) {
    Verdict& verdict = choice.verdicts[i];
    judge(job, queues[i], settings, verdict);
    if (verdict.tier) best.add(i, rank_of(verdict, queues[i], settings));
  }
  choice.offers = best.queues();
  for (std::size_t i = 0; i < choice.offers.size(); ++i)
    choice.verdicts[choice.offers[i]].place = static_cast<int>(i) + 1;
  return choice;
}

}  // namespace rollcall::sched::forward
