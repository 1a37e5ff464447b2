// ForwardFigures: what the counters between the clusters of a ForwardWorld must be: a second, plain count of them beside that of
// OutboundForwards and InboundForwards.
//
// It is not a test. A ForwardCluster owns one for each life of its mbatchd.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sched/policy/book/book.hpp"
#include "sched/policy/cycle/snapshot.hpp"
#include "sched/policy/forward/choice.hpp"
#include "sched/policy/forward/remote_queues.hpp"
#include "sched/policy/peers/inbound_forwards.hpp"
#include "sched/policy/peers/outbound_forwards.hpp"

namespace rollcall::sched {

class ForwardFigures {
 public:
  // ---- of the submission cluster
  // Of its present connection.
  void heard(const std::string& cluster, const wire::QueueFigures& figures);
  // The attempt is still in the Book as it was forwarded.
  void came_back(const Attempt& attempt, const book::Book& book);
  // The queues for a job of `slots`, the best first; of each other cluster the queue of that name.
  static std::vector<conf::RemoteQueue> choice(const forward::RemoteQueues& queues, const std::string& queue,
                                               const std::vector<std::string>& clusters, int slots);
  // "", or where the counters of connected clusters are not the newest figures and the jobs that these do not have yet.
  std::string broken(const peers::OutboundForwards& out, const book::Book& book) const;

  // ---- of the executing cluster
  static wire::QueueFigures told(const std::string& cluster, const peers::InboundForwards& in,
                                 const cycle::Snapshot& snapshot, const book::Book& book, WallTime now);
  // "", or what the figures do not count as the Book's jobs say.
  static std::string broken(const wire::QueueFigures& figures, const std::string& cluster,
                            const book::Book& book);

 private:
  using Name = std::pair<std::string, std::string>;  // cluster, queue
  struct Newest {                                    // of the figures, without jobs that came back since
    std::uint64_t accounts_for = 0;
    long long pending = 0;
    std::optional<int> job_room;
  };
  std::map<Name, Newest> newest_;
};

}  // namespace rollcall::sched
