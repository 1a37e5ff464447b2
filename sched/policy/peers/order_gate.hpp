// OrderGate: which orders about forwarded jobs may leave to another cluster in its present connection. It sends nothing.
//
// An order may be older than the connection, for it waits for its commit. A cluster may refuse an offer and accept the same attempt
// when it is offered again. So an attempt is offered once in a connection: then its refusal says that the cluster does not have it.
//
//   cluster \ event | serves | greeted | lost   | first offer | offer again | another order | ended
//   ----------------+--------+---------+--------+-------------+-------------+---------------+---------
//   closed          | closed | open    | closed | drop        | drop        | drop          | -
//   open            | closed | open    | closed | may leave   | drop        | may leave     | forgotten
//
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
  void serves(const std::string& cluster) { lost(cluster); }  // a new connection
  void greeted(const std::string& cluster) { open_[cluster]; }
  void lost(const std::string& cluster) { open_.erase(cluster); }

  // True: the order may leave.
  bool order(const std::string& cluster) const { return open_.contains(cluster); }
  bool offer(const std::string& cluster, const Attempt& attempt);
  // The attempt is over and is not ordered any more: frees its note.
  void ended(const std::string& cluster, const Attempt& attempt);

 private:
  std::map<std::string, std::set<Attempt>> open_;  // by cluster: what was offered in the connection
};

}  // namespace rollcall::sched::peers
