// What the tests of choose() share: queues and settings in a few words, and offers as names.
#pragma once

#include <string>
#include <vector>

#include "sched/policy/forward/choice.hpp"

namespace rollcall::sched::forward {

using Kind = conf::ForwardChoice::Kind;

// A queue of 100 slots with room for pending jobs.
inline RemoteQueue remote_queue(const std::string& cluster, int available, int pending, int preemptable = 0) {
  RemoteQueue queue;
  queue.name = {"HighPriority", cluster};
  queue.figures = Figures{{100, available, 100 - available, pending, preemptable}, 50, {}};
  queue.priority = 40;
  return queue;
}

inline Settings settings_of(conf::ForwardChoice choice) {
  Settings settings;
  settings.choice = choice;
  return settings;
}

inline ForwardJob job_of(int slots) {
  ForwardJob job;
  job.min_slots = job.max_slots = slots;
  return job;
}

// "east west": the clusters that are offered the job, in order; "": it pends.
inline std::string offers(const ForwardJob& job, const std::vector<RemoteQueue>& queues,
                          const Settings& settings) {
  std::string text;
  for (const std::size_t offer : choose(job, queues, settings).offers)
    text += (text.empty() ? "" : " ") + queues[offer].name.cluster;
  return text;
}

}  // namespace rollcall::sched::forward
