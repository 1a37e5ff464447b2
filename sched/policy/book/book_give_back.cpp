// The Book: other clusters' jobs that wait in a queue which the files do not have any more.
#include <map>

#include "sched/policy/book/book_memory.hpp"
#include "sched/policy/book/forwarded_jobs.hpp"

namespace rollcall::sched::book {
namespace {

// In the order of their names, so that the lines have one.
std::map<std::string, std::vector<JobKey>> waiting_in_removed_queues(const Memory& m) {
  std::map<std::string, std::vector<JobKey>> waiting;
  for (const auto& [name, queue] : m.queues) {
    if (queue.imported.jobs == 0 || m.queue_row(name)) continue;
    for (const auto& [order, key] : queue.pending)
      if (const auto& record = m.find(key)->record; record.has_from() && !on_lent_slots(record))
        waiting[name].push_back(key);
  }
  return waiting;
}

std::string line_of(const std::string& queue, const std::map<std::string, std::size_t>& of_cluster) {
  std::string words;
  for (const auto& [cluster, count] : of_cluster)
    words += (words.empty() ? "" : ", ") + std::to_string(count) + " of cluster " + cluster;
  return "queue " + queue + " is removed: the jobs of other clusters that waited in it are given back (" +
         words + ")";
}

}  // namespace

ForwardedJobs::Done ForwardedJobs::give_back_of_removed_queues(WallTime now) {
  Memory& m = *memory_;
  Done done;
  for (const auto& [queue, keys] : waiting_in_removed_queues(m)) {
    std::map<std::string, std::size_t> of_cluster;
    for (const JobKey key : keys) {
      BookEntry& entry = m.at(key);
      ++of_cluster[entry.job->record.from().cluster()];
      m.step(entry, event::GivenBack{"queue " + queue + " was removed there"}, now, done.effects);
    }
    done.lines.push_back(line_of(queue, of_cluster));
  }
  return done;
}

}  // namespace rollcall::sched::book
