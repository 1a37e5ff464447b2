#include "sched/policy/forward/verdict_rows.hpp"

#include "sched/policy/forward/verdict_text.hpp"

namespace rollcall::sched::forward {

wire::RemoteSlots slots_of(const Figures& figures) {
  wire::RemoteSlots slots;
  slots.set_total(figures.slots.total);
  slots.set_available(figures.slots.available);
  slots.set_running(figures.slots.running);
  slots.set_pending(figures.slots.pending);
  slots.set_preemptable(figures.slots.preemptable);
  if (figures.job_room) slots.set_job_room(*figures.job_room);
  if (figures.slot_room) slots.set_slot_room(*figures.slot_room);
  return slots;
}

Figures figures_of(const wire::RemoteSlots& slots) {
  Figures figures;
  figures.slots = {slots.total(), slots.available(), slots.running(), slots.pending(), slots.preemptable()};
  if (slots.has_job_room()) figures.job_room = slots.job_room();
  if (slots.has_slot_room()) figures.slot_room = slots.slot_room();
  return figures;
}

std::vector<wire::ForwardVerdict> rows_of(const Choice& choice, const ForwardJob& job,
                                          std::span<const RemoteQueue> queues, const Settings& settings) {
  std::vector<wire::ForwardVerdict> rows(queues.size());
  for (std::size_t i = 0; i < queues.size(); ++i) {
    const RemoteQueue& queue = queues[i];
    const Verdict& verdict = choice.verdicts.at(i);
    wire::ForwardVerdict& row = rows[i];
    row.set_queue(queue.name.queue);
    row.set_cluster(queue.name.cluster);
    row.set_connected(queue.connected);
    row.set_offer(static_cast<std::uint32_t>(verdict.place));
    if (verdict.tier) row.set_tier(std::string(text(*verdict.tier)));
    row.set_why(words_of(verdict, job, queue, settings));
    row.set_returned(queue.returns.times);
    if (!queue.figures) continue;
    *row.mutable_figures() = slots_of(*queue.figures);
    row.set_free(verdict.free);
    row.set_preemptable(verdict.preemptable);
    row.set_priority(queue.priority);
    if (queue.lowest_preemptable) row.set_lowest_preemptable(*queue.lowest_preemptable);
    row.set_age_s(std::chrono::duration_cast<std::chrono::seconds>(queue.age).count());
  }
  return rows;
}

}  // namespace rollcall::sched::forward
