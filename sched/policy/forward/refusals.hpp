// Refusals: what other clusters have refused in this session, and what they would refuse for the same reason, so that not every waiting
// job has to be offered to learn it. A value; mbatchd of the submission cluster owns one. A session is MBD_SLEEP_TIME.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "common/conf/lsb/lsb_queues.hpp"

namespace rollcall::sched::forward {

class Refusals {
 public:
  // Of one cluster: no further offer is made to it in the session, whatever it refuses for.
  static constexpr int kMost = 1000;

  // As the cluster says: the refusal holds for the job alone, or also for ...
  enum class Scope { job, user, queue, cluster };

  void begin_session();
  // `user`: as this cluster has it.
  void refused(const conf::RemoteQueue& queue, const std::string& user, Scope scope, const std::string& why);
  // The cluster has told how the queue stands: what the queue refused is asked again.
  void told(const conf::RemoteQueue& queue);

  // The cluster has refused kMost offers.
  bool too_many(const std::string& cluster) const;
  // Why no job is offered to the queue; "": jobs are.
  std::string closed(const conf::RemoteQueue& queue) const;
  // The queues that refuse the user's jobs, each with why.
  std::vector<std::pair<conf::RemoteQueue, std::string>> to_user(const std::string& user) const;
  bool any() const { return !counts_.empty(); }

 private:
  using Name = std::pair<std::string, std::string>;  // cluster, queue
  static Name name_of(const conf::RemoteQueue& queue) { return {queue.cluster, queue.queue}; }

  std::map<std::string, int> counts_;  // by cluster
  std::map<std::string, std::string> clusters_;
  std::map<Name, std::string> queues_;
  std::map<std::string, std::map<Name, std::string>> users_;
};

}  // namespace rollcall::sched::forward
