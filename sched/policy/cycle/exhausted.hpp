// Exhausted, Frontier: failed searches of this cycle, remembered so that demands which ask for no less skip them. Within a cycle
// resources only become fewer. So hosts that were too small for one demand are too small for these too, and where one demand
// found no hosts, they find none either.
//
// A demand asks for no less than another if
//   equal       select, hosts and their order, queue, span, same
//   no less     minimum of slots, amount of each resource of rusage, -x
//
// Only failures for lack of resources count, not failures by a limit. docs/cycle-memory.md: what give-back and time will change.
#pragma once

#include <unordered_map>
#include <vector>

#include "sched/policy/cycle/ranking.hpp"
#include "sched/policy/cycle/snapshot.hpp"

namespace rollcall::sched::cycle {

// A demand with one of its alternatives of rusage.
struct Asking {
  const Snapshot::DemandEntry* entry = nullptr;
  const Alternative* alternative = nullptr;
};

// Demands that found no hosts at all.
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

// How far demands of one select have come in one list of hosts: no host before that place is of use to them.
class Frontier {
 public:
  // `generation`: of the list's order; places noted in another generation are forgotten.
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
