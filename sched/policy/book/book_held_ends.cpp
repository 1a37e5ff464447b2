// The Book: ends of jobs whose parts in other clusters are out of reach (docs/decisions/0106).
//
// A cluster that takes slots back ends the part there a minute after it has asked for it. Where the clusters are cut off from each other the
// tasks' death is all that the job's first host learns, and the job ends with their exit code. Such an end is held, and the job UNKWN,
// until the cluster says whether it has taken the part back: then the job is requeued. It is not acknowledged meanwhile, so that the host
// reports it again to a restarted mbatchd.
#include <utility>

#include "sched/policy/book/book_memory.hpp"

namespace rollcall::sched::book {
namespace {

std::string listed(const std::set<std::string>& clusters) {
  std::string list;
  for (const std::string& cluster : clusters) list += (list.empty() ? "" : ", ") + cluster;
  return list;
}

}  // namespace

void Memory::end(BookEntry& entry, const report::Over& told, WallTime now, Effects& effects) {
  const wire::JobRecord& record = entry.job->record;
  std::set<std::string> silent;
  if (jobs::may_be_of_a_recall(record, told))
    for (const auto& host : record.hosts())
      if (const HostId id(host.name()); !id.ours() &&
                                        id.cluster() != HostId(record.hosts(0).name()).cluster() &&
                                        !hosts.link(host.name()).connected)
        silent.insert(std::string(id.cluster()));
  if (const auto held = held_ends.find(entry.job->key());
      held != held_ends.end() && held->second.told.attempt == told.attempt)
    silent.merge(held->second.awaits);  // reported again
  if (silent.empty()) return step(entry, event::Ended{told}, now, effects);
  const int code = (told.exit_status >> 8) & 0xff;
  const std::string how =
      code != 0 ? "exit code " + std::to_string(code) : "signal " + std::to_string(told.exit_status & 0x7f);
  const std::string why = "it ended with " + how + " while its part in cluster " + listed(silent) +
                          " is out of reach: whether that cluster has ended it is awaited";
  held_ends[entry.job->key()] = {record.hosts(0).name(), told, std::move(silent),
                                 std::nullopt};  // the post-execution is reported again, too
  step(entry, event::EndHeld{why}, now, effects);
}

void Memory::awaits_no_more(const std::string& cluster, WallTime now, Effects& effects) {
  std::vector<JobKey> settled;
  for (auto& [key, held] : held_ends)
    if (held.awaits.erase(cluster) != 0 && held.awaits.empty()) settled.push_back(key);
  for (const JobKey key : settled) {
    const auto held = held_ends.find(key);
    if (held == held_ends.end()) continue;
    const HeldEnd end = std::move(held->second);
    held_ends.erase(held);
    if (BookEntry* const of = entry(key)) let_end(*of, end, now, effects);
  }
}

// Its host waits for two acknowledgements: of the job's end, and of the end of its post-execution.
void Memory::let_end(BookEntry& entry, const HeldEnd& held, WallTime now, Effects& effects) {
  step(entry, event::Ended{held.told}, now, effects);
  if (!held.post) return;
  step(entry, event::PostEnded{held.post->failed}, now, effects);
  effects.push_back(effect::OrderAcknowledge{held.host, held.told.attempt});
}

void Memory::look_at_held_end(BookEntry& entry, WallTime now, Effects& effects) {
  const wire::JobRecord& record = entry.job->record;
  const auto held = held_ends.find(entry.job->key());
  if (held == held_ends.end()) return;
  const bool present = placed(record.status()) && held->second.told.attempt.number == record.attempt();
  if (present && !record.kill_asked()) return;
  const HeldEnd end = std::move(held->second);
  held_ends.erase(held);
  if (present) return let_end(entry, end, now, effects);
  // The job is requeued, and its end was acknowledged with that.
  if (end.post) effects.push_back(effect::OrderAcknowledge{end.host, end.told.attempt});
}

}  // namespace rollcall::sched::book
