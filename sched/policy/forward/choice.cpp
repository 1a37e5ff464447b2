#include "sched/policy/forward/choice.hpp"

#include <algorithm>
#include <array>

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

Answer answer_of(const ForwardJob& job, const Slots& slots, bool room, const Settings& settings) {
  return {.total = slots.total,
          .free = free_slots(slots) >= job.min_slots,
          .preemptable =
              settings.choice.kind == Kind::count_preemptable && preemptable_slots(slots) >= job.min_slots,
          .room = room};
}

Answer answer_of(const ForwardJob& job, const QueueTable::Row& row, const Settings& settings) {
  return answer_of(job, row.slots, row.job_room >= 1 && row.slot_room >= job.min_slots, settings);
}

Answer answer_of(const ForwardJob& job, const Figures& figures, const Settings& settings) {
  const bool room =
      figures.job_room.value_or(1) >= 1 && figures.slot_room.value_or(job.min_slots) >= job.min_slots;
  return answer_of(job, figures.slots, room, settings);
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

// One job, and a table of queues: judges them one by one.
class Judge {
 public:
  Judge(const ForwardJob& job, const QueueTable& table, const Settings& settings)
      : job_(job), table_(table), settings_(settings), asked_(table, job) {}

  // Writes to the verdict in its place: to hand these values over by copies took half the time of a choice.
  void judge(std::size_t queue, Verdict& verdict) const {
    const QueueTable::Row& row = table_.rows()[queue];
    if (row.told) {
      verdict.free = free_slots(row.slots);
      verdict.preemptable = preemptable_slots(row.slots);
      verdict.mixed_types = job_.same_type && row.several_types;
    }
    if (!row.offered) return leave_out(verdict, why_not_offered(table_.queues()[queue]));
    if (row.refused) return leave_out(verdict, LeftOut::refused);
    if (row.told && !has_resources(queue, row, verdict)) return;
    if (row.returned && barred(job_, table_.queues()[queue], settings_))
      return leave_out(verdict, LeftOut::returned);
    verdict.tier = tier(row);
    if (!verdict.tier) leave_out(verdict, waits_remotely(settings_) ? LeftOut::no_room : LeftOut::no_slots);
  }

 private:
  static LeftOut why_not_offered(const RemoteQueue& queue) {
    if (queue.connected) return LeftOut::closed;
    return queue.peer ? LeftOut::disconnected : LeftOut::no_peer;
  }

  // False where the queue lacks what the job asks for, whatever its load is.
  bool has_resources(std::size_t queue, const QueueTable::Row& row, Verdict& verdict) const {
    if (!asked_.met_by(queue)) {
      const auto lacking = asked_.lacking_in(queue);
      leave_out(verdict, lacking.is_type ? LeftOut::lacks_type : LeftOut::lacks_boolean, lacking.which);
      return false;
    }
    if (row.has_values && !job_.values.empty())
      if (const auto value = first_unmet(job_.values, table_.queues()[queue].values)) {
        leave_out(verdict, LeftOut::lacks_value, *value);
        return false;
      }
    if (row.slots.total >= job_.min_slots) return true;
    leave_out(verdict, LeftOut::too_small);
    return false;
  }

  std::optional<Tier> tier(const QueueTable::Row& row) const {
    const bool off = settings_.choice.kind == Kind::off;
    if (off && !settings_.remote_resource) return Tier::listed;
    if (!row.told) return Tier::unknown;
    if (off) return Tier::available;
    return tier_of(answer_of(job_, row, settings_), settings_);
  }

  const ForwardJob& job_;
  const QueueTable& table_;
  const Settings& settings_;
  const QueueTable::Asked asked_;
};

// Compared number by number; the smaller one is offered first.
using Rank = std::array<std::int64_t, 4>;

std::int64_t order_of(Tier tier, const Settings& settings) {
  if (settings.room_before_preemption && tier == Tier::room) return static_cast<int>(Tier::preemptable);
  if (settings.room_before_preemption && tier == Tier::preemptable) return static_cast<int>(Tier::room);
  return static_cast<int>(tier);
}

Rank rank_of(const Verdict& verdict, const QueueTable::Row& row, const Settings& settings) {
  const conf::ForwardChoice& choice = settings.choice;
  const Tier tier = *verdict.tier;
  const std::int64_t order = order_of(tier, settings);
  if (tier == Tier::listed || tier == Tier::unknown) return {order};
  if (tier == Tier::available) return {order, -std::int64_t{row.slots.available}};
  const bool by_preemption =
      tier == Tier::preemptable ||
      (tier == Tier::room && choice.kind == Kind::count_preemptable && !settings.room_before_preemption);
  return {order, choice.high_queue_priority ? -std::int64_t{row.priority} : 0,
          by_preemption && choice.preemptable_queue_priority ? row.lowest_preemptable : 0,
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

Choice choose(const ForwardJob& job, const QueueTable& table, const Settings& settings) {
  const std::size_t count = table.queues().size();
  const Judge judge(job, table, settings);
  Choice choice;
  choice.verdicts.resize(count);
  Best best;
  for (std::size_t i = 0; i < count; ++i) {
    Verdict& verdict = choice.verdicts[i];
    judge.judge(i, verdict);
    if (verdict.tier) best.add(i, rank_of(verdict, table.rows()[i], settings));
  }
  choice.offers = best.queues();
  for (std::size_t i = 0; i < choice.offers.size(); ++i)
    choice.verdicts[choice.offers[i]].place = static_cast<int>(i) + 1;
  return choice;
}

bool none_takes_the_user(const Choice& choice) {
  return std::all_of(choice.verdicts.begin(), choice.verdicts.end(), [](const Verdict& verdict) {
    return !verdict.tier && (verdict.why == LeftOut::disconnected || verdict.why == LeftOut::closed ||
                             verdict.why == LeftOut::refused);
  });
}

}  // namespace rollcall::sched::forward
