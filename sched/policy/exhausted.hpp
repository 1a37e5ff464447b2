// Exhausted: what found no hosts in this cycle. Within a cycle resources only become fewer, so whoever asks for the same hosts
// and for no less of anything finds none either, and need not look.
//
//   the same                                   | no less
//   select, hosts and their order, queue,      | slots at the least, amount of every resource of rusage, -x
//   span, same                                 |
//
// Only who was kept away by what there is counts, not who was by a limit of its own.
#pragma once

#include <unordered_map>
#include <vector>

#include "sched/policy/ranking.hpp"
#include "sched/policy/snapshot.hpp"

namespace rollcall::sched {

class Exhausted {
 public:
  void note(const Snapshot::DemandEntry& entry, const Alternative& alternative, const Ranking* ranking);
  bool covers(const Snapshot::DemandEntry& entry, const Alternative& alternative, const Ranking* ranking) const;

 private:
  struct Failed {
    const Snapshot::DemandEntry* entry = nullptr;
    const Alternative* alternative = nullptr;
    const Ranking* ranking = nullptr;
  };
  std::unordered_map<const Select*, std::vector<Failed>> failed_;
};

}  // namespace rollcall::sched
