// ForwardFigures: the counters between the clusters of a ForwardWorld, as mbatchd keeps them (ForwardOut and ForwardIn): what one cluster
// knows of the others' queues, and which offers are in what it tells of its own.
//
// It is not a test. A ForwardCluster owns one for each life of its mbatchd.
#pragma once

#include <map>
#include <string>

#include "sched/policy/book/book.hpp"
#include "sched/policy/cycle/snapshot.hpp"
#include "sched/policy/forward/choice.hpp"
#include "sched/policy/forward/remote_queues.hpp"

namespace rollcall::sched {

class ForwardFigures {
 public:
  // Numbers of forwards begin at `first`.
  explicit ForwardFigures(std::uint64_t first) : first_(first), queues_(first) {}

  // ---- of the submission cluster
  // By cluster name. `so`: it has said what it holds.
  void connected(const std::string& cluster, bool so);
  std::uint64_t forwarded(const Attempt& attempt, const conf::RemoteQueue& queue, int slots);
  // Attempts that are not elsewhere any more: over, or killed before the other cluster had heard of them.
  void forget_ended(const book::JobTable& jobs);
  void heard(const std::string& cluster, const wire::QueueFigures& figures);
  // The queues for a job of `slots`, the best first; of each other cluster the queue of that name.
  std::vector<conf::RemoteQueue> choice(const std::string& queue, const std::vector<std::string>& clusters,
                                        int slots) const;
  // "", or where the counters are not the newest figures and the jobs that these do not have yet.
  std::string broken(const book::Book& book) const;

  // ---- of the executing cluster
  void took_in(const std::string& cluster, const std::string& queue, std::uint64_t number);
  void forget(const std::string& cluster) { numbers_.erase(cluster); }
  wire::QueueFigures told(const std::string& cluster, const cycle::Snapshot& snapshot, const book::Book& book,
                          WallTime now) const;
  // "", or what the figures do not count as the Book's jobs say.
  static std::string broken(const wire::QueueFigures& figures, const std::string& cluster,
                            const book::Book& book);

 private:
  using Name = std::pair<std::string, std::string>;  // cluster, queue
  struct Forward {
    conf::RemoteQueue queue;
    std::uint64_t number = 0;
  };

  void left(const Attempt& attempt);

  std::uint64_t first_;
  forward::RemoteQueues queues_;
  std::map<std::string, std::uint64_t> connections_, updates_;
  std::map<Attempt, Forward> forwards_;
  std::map<Name, forward::Update> newest_;
  std::map<std::string, std::map<std::string, std::uint64_t>> numbers_;  // by cluster and queue
};

}  // namespace rollcall::sched
