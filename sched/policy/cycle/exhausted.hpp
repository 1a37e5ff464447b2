// Exhausted, Frontier: what demands of this cycle have learnt for those that ask for no less. Within a cycle resources only become
// fewer, so a host that was no use to one demand is none to whoever asks for the same hosts and for no less of anything; and where
// one found nothing, those find nothing either.
//
//   the same                                   | no less
//   select, hosts and their order, queue,      | slots at the least, amount of every resource of rusage, -x
//   span, same                                 |
//
// Only failures for lack of resources count, not failures by a limit. docs/cycle-memory.md: how give-back and time will live with it.
#pragma once

#include <unordered_map>
#include <vector>

#include "sched/policy/cycle/ranking.hpp"
#include "sched/policy/cycle/snapshot.hpp"

namespace rollcall::sched::cycle {

// A demand with one of its alternatives.
struct Asking {
  const Snapshot::DemandEntry* entry = nullptr;
  const Alternative* alternative = nullptr;
};

// Who found no hosts at all.
class Exhausted {
 public:
  void note(const Asking& asking, const Ranking* ranking);
  bool covers(const Asking& asking, const Ranking* ranking) const;

 private:
  struct Failed {
    Asking asking;
    const Ranking* ranking = nullptr;
  };
  std::unordered_map<const Select*, std::vector<Failed>> failed_;
};

// How far demands of one select have come in one list of hosts: all hosts before that place are no use to them.
class Frontier {
 public:
  // `generation`: of the list's order; places of another one are void.
  std::size_t passed(const Asking& asking, unsigned generation);
  void note(const Asking& asking, std::size_t at);

 private:
  struct Known {
    Asking asking;
    std::size_t at = 0;
  };
  unsigned generation_ = 0;
  std::vector<Known> known_;
};

}  // namespace rollcall::sched::cycle
