// OrderGate: which orders about forwarded jobs may leave to another cluster in its present connection. It sends nothing.
//
// An order may be older than the connection, for it waits for its commit. A cluster may refuse an offer and accept the same attempt
// when it is offered again. So an attempt is offered once in a connection: then its refusal says that the cluster does not have it.
//
//   cluster \ event | serves | greeted | lost   | first offer | offer again | another order | answered  | ended
//   ----------------+--------+---------+--------+-------------+-------------+---------------+-----------+---------
//   closed          | closed | open    | closed | drop        | drop        | drop          | -         | -
//   open            | closed | open    | closed | may leave   | drop        | may leave     | counted   | forgotten
//
// A cluster that leaves kMostUnanswered offers of the connection without an answer is offered nothing more until it answers.
// A cluster is closed until it has said what it holds. The Book then orders again what the cluster lacks (LifeElsewhere), so nothing is
// lost with a dropped order. docs/decisions/0090.
#pragma once

#include <map>
#include <set>
#include <string>

#include "sched/policy/values/engine.hpp"

namespace rollcall::sched::peers {

class OrderGate {
 public:
  static constexpr std::size_t kMostUnanswered = 1000;

  void serves(const std::string& cluster) { lost(cluster); }  // a new connection
  void greeted(const std::string& cluster) { open_[cluster]; }
  void lost(const std::string& cluster) { open_.erase(cluster); }

  // True: the order may leave.
  bool order(const std::string& cluster) const { return open_.contains(cluster); }
  bool offer(const std::string& cluster, const Attempt& attempt);
  // The cluster has told of the attempt. True: it may be offered jobs from here on, and was not before.
  bool answered(const std::string& cluster, const Attempt& attempt);
  // Offers of this connection that the cluster has not answered.
  std::size_t unanswered(const std::string& cluster) const;
  // The attempt is over and is not ordered any more: frees its note.
  void ended(const std::string& cluster, const Attempt& attempt);

 private:
  struct Open {
    std::set<Attempt> offered, unanswered;  // in the connection
  };
  std::map<std::string, Open> open_;  // by cluster
};

}  // namespace rollcall::sched::peers
