#include "sched/policy/forward/verdict_text.hpp"

#include <algorithm>

#include "common/base/table_cells.hpp"
#include "sched/policy/forward/value_terms.hpp"
#include "sched/policy/values/shown_slots.hpp"

namespace rollcall::sched::forward {
namespace {

std::string number(std::int64_t value) { return std::to_string(value); }
std::string number(std::optional<int> value) { return value ? std::to_string(*value) : "-"; }
std::string slots(std::int64_t count) { return number(count) + (count == 1 ? " slot" : " slots"); }
std::string seconds(Duration time) {
  return number(std::chrono::duration_cast<std::chrono::seconds>(time).count()) + " s";
}

std::string free_words(const Verdict& verdict, const Slots& counted) {
  return number(shown_slots(verdict.free)) + " free (" + number(shown_slots(counted.available)) +
         " available - " + number(shown_slots(counted.pending)) + " pending)";
}
std::string preemptable_words(const Verdict& verdict, const Slots& counted) {
  return number(shown_slots(verdict.preemptable)) + " by preemption (" +
         number(shown_slots(counted.preemptable)) + " preemptable - " + number(shown_slots(counted.pending)) +
         " pending)";
}

// What of its slots was counted.
std::string slot_words(const Verdict& verdict, const Slots& counted, const Settings& settings) {
  std::string text = free_words(verdict, counted);
  if (settings.choice.kind == conf::ForwardChoice::Kind::count_preemptable)
    text += ", " + preemptable_words(verdict, counted);
  return text;
}

std::string tier_words(const Verdict& verdict, const RemoteQueue& queue, const Settings& settings) {
  switch (*verdict.tier) {
    case Tier::listed:
      return "in the order of SNDJOBS_TO";
    case Tier::available:
      return number(shown_slots(queue.figures->slots.available)) + " available";
    case Tier::free:
      return free_words(verdict, queue.figures->slots);
    case Tier::preemptable:
      return preemptable_words(verdict, queue.figures->slots) +
             (queue.lowest_preemptable ? ", from priority " + number(queue.lowest_preemptable) + " up" : "");
    case Tier::room:
      return "may wait there: " + slot_words(verdict, queue.figures->slots, settings);
    case Tier::unknown:
      return "no update has come yet";
  }
  return "";
}

std::string returned_words(const RemoteQueue& queue, const Settings& settings) {
  const std::string text =
      "the job came back " + number(queue.returns.times) + " times; next try when its counters differ";
  if (!settings.retry_after) return text;
  return text + ", or in " + seconds(std::max(*settings.retry_after - queue.returns.ago, Duration{0}));
}

std::string no_room_words(const RemoteQueue& queue) {
  return queue.figures->job_room.value_or(1) < 1
             ? "no room under IMPT_JOBBKLG"
             : "room for " + slots(shown_slots(*queue.figures->slot_room)) + " under IMPT_SLOTBKLG";
}

std::string left_out_words(const Verdict& verdict, const ForwardJob& job, const RemoteQueue& queue,
                           const Settings& settings) {
  switch (verdict.why) {
    case LeftOut::disconnected:
      return "its cluster is not connected";
    case LeftOut::no_peer:
      return "its cluster is not in lsf.shared, or RemoteClusters leaves it out";
    case LeftOut::closed:
      return queue.closed;
    case LeftOut::refused:
      return queue.refused;
    case LeftOut::lacks_type:
      return "no host of type " + job.types.at(verdict.lacking);
    case LeftOut::lacks_boolean:
      return "no host with " + job.booleans.at(verdict.lacking);
    case LeftOut::lacks_value:
      return "no host with " + text(job.values.at(verdict.lacking));
    case LeftOut::too_small:
      return slots(queue.figures->slots.total) + " in all";
    case LeftOut::returned:
      return returned_words(queue, settings);
    case LeftOut::no_slots:
      return "too few slots: " + slot_words(verdict, queue.figures->slots, settings) +
             "; PENDING_WHEN_NOSLOTS is set";
    case LeftOut::no_room:
      return "too few slots: " + slot_words(verdict, queue.figures->slots, settings) + "; " +
             no_room_words(queue);
  }
  return "";
}

constexpr std::size_t kWidths[] = {6, 12, 6, 6, 6, 6, 6, 6, 6, 6, 5, 7, 6};

std::string row_of(const std::string& name, std::size_t widest, std::span<const std::string> cells,
                   const std::string& why) {
  std::string line = left(name, widest);
  for (std::size_t i = 0; i < cells.size(); ++i)
    line += i == 1 ? " " + left(cells[i], kWidths[i] - 1) : right(cells[i], kWidths[i]);
  return line + "  " + why + "\n";
}

std::string room(std::optional<int> under_limit) {
  return under_limit ? number(shown_slots(*under_limit)) : "-";
}

std::vector<std::string> cells_of(const Verdict& verdict, const RemoteQueue& queue) {
  std::vector<std::string> cells{verdict.place > 0 ? number(verdict.place) : "-",
                                 verdict.tier ? std::string(text(*verdict.tier)) : "-"};
  if (!queue.figures) {
    cells.resize(std::size(kWidths), "-");
    return cells;
  }
  const Slots& counted = queue.figures->slots;
  for (const int count :
       {counted.total, counted.available, counted.running, counted.pending, counted.preemptable})
    cells.push_back(number(shown_slots(count)));
  const auto age = std::chrono::duration_cast<std::chrono::seconds>(queue.age).count();
  for (std::string cell :
       {number(shown_slots(verdict.free)), room(queue.figures->job_room), room(queue.figures->slot_room),
        number(queue.priority), number(queue.lowest_preemptable), number(age)})
    cells.push_back(std::move(cell));
  return cells;
}

// Of the numbers before it.
std::string age_words(const RemoteQueue& queue) {
  if (!queue.figures) return "";
  return ", " + std::to_string(std::chrono::duration_cast<std::chrono::seconds>(queue.age).count()) +
         " s old";
}

}  // namespace

std::string_view text(Tier tier) {
  constexpr std::string_view kTexts[] = {"listed", "free", "preemptable", "room", "available", "unknown"};
  return kTexts[static_cast<std::size_t>(tier)];
}

std::string words_of(const Verdict& verdict, const ForwardJob& job, const RemoteQueue& queue,
                     const Settings& settings) {
  std::string words =
      verdict.tier ? tier_words(verdict, queue, settings) : left_out_words(verdict, job, queue, settings);
  if (verdict.mixed_types) words += "; its hosts are of several types";
  return words;
}

std::string line_of(const Choice& choice, const ForwardJob& job, std::span<const RemoteQueue> queues,
                    const Settings& settings) {
  std::string line;
  for (std::size_t i = 0; i < queues.size(); ++i)
    line += (i == 0 ? "" : "; ") + queues[i].name.queue + "@" + queues[i].name.cluster + ": " +
            words_of(choice.verdicts[i], job, queues[i], settings) + age_words(queues[i]);
  return line;
}

std::string table_of(const Choice& choice, const ForwardJob& job, std::span<const RemoteQueue> queues,
                     const Settings& settings) {
  static const std::string kHeads[] = {"OFFER", "TIER", "TOTAL", "AVAIL", "RUN",    "PEND", "PREEM",
                                       "FREE",  "JOBS", "SLOTS", "PRIO",  "LOWEST", "AGE"};
  static_assert(std::size(kHeads) == std::size(kWidths));
  std::size_t widest = 5;
  for (const RemoteQueue& queue : queues)
    widest = std::max(widest, queue.name.queue.size() + 1 + queue.name.cluster.size());
  std::string table = row_of("QUEUE", widest, kHeads, "WHY");
  for (std::size_t i = 0; i < queues.size(); ++i)
    table += row_of(queues[i].name.queue + "@" + queues[i].name.cluster, widest,
                    cells_of(choice.verdicts[i], queues[i]),
                    words_of(choice.verdicts[i], job, queues[i], settings));
  return table;
}

}  // namespace rollcall::sched::forward
