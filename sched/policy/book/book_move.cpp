// The Book: btop and bbot.
#include <algorithm>
#include <limits>
#include <vector>

#include "sched/policy/book/book_memory.hpp"

namespace rollcall::sched::book {
namespace {

constexpr JobKey kBeforeAll{std::numeric_limits<std::int32_t>::min(), 0};
constexpr JobKey kAfterAll{std::numeric_limits<std::int32_t>::max(),
                           std::numeric_limits<std::int32_t>::max()};

// Distance of order numbers after room was made: about forty halvings fit in before it must be made again.
constexpr double kRoom = 1.0 / 1024;

class Moving {
 public:
  // Jobs that are moved to make room are saved through `effects`.
  Moving(Memory& memory, const wire::MoveJob& request, const Identity& who, const std::string& queue,
         Effects& effects)
      : m_(memory),
        request_(request),
        who_(who),
        pending_(memory.queues[queue].pending),
        all_(memory.administers(queue, who)),
        effects_(effects) {}

  // The order number for the requested place among the jobs that the client may pass: an administrator all, an owner only their
  // own.
  double order() {
    const int position = std::max(1, request_.position());
    if (request_.to_bottom()) {
      const auto reference = nth(pending_.rbegin(), pending_.rend(), position);
      if (!reference) return m_.next_order++;
      const auto next = pending_.upper_bound({*reference, kAfterAll});
      return next == pending_.end() ? m_.next_order++ : between(*reference, next->first);
    }
    const auto reference = nth(pending_.begin(), pending_.end(), position);
    if (!reference) return m_.next_order++;
    const auto first = pending_.lower_bound({*reference, kBeforeAll});
    return first == pending_.begin() ? *reference - 1 : between(std::prev(first)->first, *reference);
  }

 private:
  // An order number between those of two neighbours.
  double between(double low, double high) {
    const double middle = low + (high - low) / 2;
    return middle > low && middle < high ? middle : room_behind(low);
  }

  // There is no number left between `low` and the next one: moves as few of the following jobs as possible further back, and
  // returns a number between `low` and the first of them.
  double room_behind(double low) {
    std::vector<std::pair<JobKey, std::size_t>> to_move;  // to which place; elements of an array share one
    std::size_t places = 0;
    double end = low, step = 0;
    for (auto it = pending_.upper_bound({low, kAfterAll}); it != pending_.end(); ++it) {
      if (it->first > end) {
        end = it->first;
        step = (end - low) / static_cast<double>(++places + 1);
        if (step >= kRoom) break;
      }
      to_move.emplace_back(it->second, places);
    }
    if (step < kRoom) {
      step = 1;
      m_.next_order = std::max(m_.next_order, low + static_cast<double>(places) + 2);
    }
    for (const auto& [key, place] : to_move) {
      BookEntry& entry = *m_.entry(key);
      const Memory::Change change(m_, entry);
      entry.job->record.set_order(low + static_cast<double>(place + 1) * step);
      effects_.push_back(effect::SaveJob{key});
    }
    return low + step;
  }

  // The order number of the `position`-th job that the client may pass; of the last one if there are fewer. None: there is none.
  template <class Iterator>
  std::optional<double> nth(Iterator it, Iterator end, int position) const {
    const auto own = m_.users.find(who_.user);
    std::optional<double> reference;
    for (; it != end && position > 0; ++it) {
      const JobKey moved = key_of(request_.key());
      if (it->second.id == moved.id && (moved.index == 0 || moved.index == it->second.index)) continue;
      if (!all_ && (own == m_.users.end() || m_.jobs.at(it->second).user != &own->second)) continue;
      reference = it->first;
      --position;
    }
    return reference;
  }

  Memory& m_;
  const wire::MoveJob& request_;
  const Identity& who_;
  const PendingOrder& pending_;
  bool all_;
  Effects& effects_;
};

}  // namespace

Applied ClientCommands::move_job(const wire::MoveJob& request, const Identity& who, WallTime now) {
  Applied applied;
  applied.reply.set_last(true);
  auto& line = *applied.reply.mutable_outcomes()->add_outcomes();
  const JobKey key = key_of(request.key());
  const std::string name = "Job <" + text(key) + ">";
  std::vector<JobKey> keys = key.index == 0 ? jobs_.elements(key.id) : std::vector<JobKey>{key};
  std::erase_if(keys, [this](JobKey k) { return memory_->find(k) == nullptr; });
  if (keys.empty()) {
    line = failure(name + ": " + std::string(kNoMatch), jobs::Refusal::NO_JOB);
    return applied;
  }
  if (!jobs_.may_change(*jobs_.find(keys.front()), who)) {
    line = failure(name + ": " + std::string(kDenied), jobs::Refusal::NOT_ALLOWED);
    return applied;
  }
  // Users see a job whose start waits for its go-ahead as pending: the start is taken back.
  for (const JobKey k : keys) memory_->step(*memory_->entry(k), event::StartNotTaken{}, now, applied.effects);
  std::string why = "Job has already started or finished";
  for (const JobKey k : keys)
    if (const auto& record = memory_->find(k)->record; waits_elsewhere(record))
      why = "Job waits in cluster " + record.forwarded().cluster() +
            ", which has an order of its own; only jobs that wait in this cluster can be moved";
  std::erase_if(keys, [this](JobKey k) { return !pending(memory_->find(k)->status()); });
  if (keys.empty()) {
    line = failure(name + ": " + why, jobs::Refusal::FAILED);
    return applied;
  }
  const std::string queue = jobs_.find(keys.front())->record.queue();
  const double order = Moving(*memory_, request, who, queue, applied.effects).order();
  for (const JobKey k : keys) {
    BookEntry& entry = *memory_->entry(k);
    const Memory::Change change(*memory_, entry);
    entry.job->record.set_order(order);
    applied.effects.push_back(effect::SaveJob{k});
  }
  wire::JobEvent event;
  auto& move = *event.mutable_move();
  move.set_user(who.user);
  move.set_uid(who.uid);
  move.set_position(std::max(1, request.position()));
  move.set_to_bottom(request.to_bottom());
  record_event(applied.effects, key, now, std::move(event));
  applied.effects.push_back(effect::ScheduleSoon{});
  line = outcome(name + " has been moved to position " + std::to_string(std::max(1, request.position())) +
                 (request.to_bottom() ? " from bottom." : " from top."));
  return applied;
}

}  // namespace rollcall::sched::book
