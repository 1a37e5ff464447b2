// truth_of: whether a single condition of a dependency holds for a tally, and whether that is final. Pure functions.
// dependency_evaluate.cpp evaluates whole expressions; dependency_watch.hpp decides when to evaluate again.
#pragma once

#include <cstdint>

#include "sched/policy/jobs/dependency.hpp"

namespace rollcall::sched::jobs {

struct DependencyTruth {
  bool holds = false;
  bool final = false;
  friend bool operator==(const DependencyTruth&, const DependencyTruth&) = default;
};
// Ignores the condition's index: the caller passes the tally of the array or of the element.
DependencyTruth truth_of(const JobCondition& condition, const JobTally& tally);

// For num*(A, n): the number that is compared with n, and the least and the most that it may still become. The truth can change
// only when one of the three reaches n, leaves it or passes it.
struct DependencyNumbers {
  std::int64_t now = 0, least = 0, most = 0;
  friend bool operator==(const DependencyNumbers&, const DependencyNumbers&) = default;
};
bool compares_a_number(const JobCondition& condition);  // num*(A, n), but not num*(A, *)
DependencyNumbers numbers_of(Condition condition, const JobTally& tally);

}  // namespace rollcall::sched::jobs
