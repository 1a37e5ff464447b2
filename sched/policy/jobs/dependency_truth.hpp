// What a single condition of a dependency says of a tally: whether it holds, and whether it stays so. Functions; the expression
// round it is dependency_evaluate.cpp's, who asks again and when is dependency_watch.hpp's.
#pragma once

#include <cstdint>

#include "sched/policy/jobs/dependency.hpp"

namespace rollcall::sched::jobs {

struct DependencyTruth {
  bool holds = false;
  bool final = false;
  friend bool operator==(const DependencyTruth&, const DependencyTruth&) = default;
};
// The condition's index is not looked at: the tally is the array's, or that of one element.
DependencyTruth truth_of(const JobCondition& condition, const JobTally& tally);

// Of num*(A, n): the number that is compared with n, and between what it may yet become. The truth changes only when one of the
// three comes to n, leaves it, or passes it.
struct DependencyNumbers {
  std::int64_t now = 0, least = 0, most = 0;
  friend bool operator==(const DependencyNumbers&, const DependencyNumbers&) = default;
};
bool compares_a_number(const JobCondition& condition);  // num*(A, n), but not num*(A, *)
DependencyNumbers numbers_of(Condition condition, const JobTally& tally);

}  // namespace rollcall::sched::jobs
