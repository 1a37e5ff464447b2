#include "sched/policy/peers/verdict_rows.hpp"

#include "sched/policy/forward/verdict_text.hpp"
#include "sched/policy/peers/queue_news.hpp"

namespace rollcall::sched::peers {

std::vector<wire::ForwardVerdict> rows_of(const forward::Choice& choice, const forward::ForwardJob& job,
                                          std::span<const forward::RemoteQueue> queues,
                                          const forward::Settings& settings) {
  std::vector<wire::ForwardVerdict> rows(queues.size());
  for (std::size_t i = 0; i < queues.size(); ++i) {
    const forward::RemoteQueue& queue = queues[i];
    const forward::Verdict& verdict = choice.verdicts.at(i);
    wire::ForwardVerdict& row = rows[i];
    row.set_queue(queue.name.queue);
    row.set_cluster(queue.name.cluster);
    row.set_connected(queue.connected);
    row.set_offer(static_cast<std::uint32_t>(verdict.place));
    if (verdict.tier) row.set_tier(std::string(forward::text(*verdict.tier)));
    row.set_why(forward::words_of(verdict, job, queue, settings));
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

}  // namespace rollcall::sched::peers
