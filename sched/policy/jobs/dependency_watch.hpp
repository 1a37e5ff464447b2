// DependencyWatch: the submissions that wait for one job id, and which of them a change of its jobs concerns. A value. The Book has
// one for each id that others wait for.
//
// A condition on an array as a whole is answered from its tally (dependency.hpp). Equal conditions of many submissions share one
// entry with the last answer. A change that leaves the answer unchanged concerns no submission, so that an array of n elements with
// m dependents costs n + m, not n times m. Conditions on a number of elements (numdone(A, >= 5)) are kept by that number: a change
// concerns those whose number the count reaches, leaves or passes.
//
//   condition on the id       | kept by                       | a change of one element concerns
//   --------------------------+-------------------------------+--------------------------------------------
//   done(A), exit(A, > 2), *  | the condition, with its truth | submissions of conditions whose truth changes
//   numrun(A, >= 5), ...      | kind, then number             | submissions whose number the counts pass
//   done(A[3])                | index                         | submissions with that index
//   done(A[*])                | -                             | of every such submission the same element
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <tuple>

#include "sched/policy/jobs/dependency_truth.hpp"

namespace rollcall::sched::jobs {

class DependencyWatch {
 public:
  using Submission = std::uint64_t;  // its number

  // Adds the dependency's conditions on `id`. `tally`: the present one of that id.
  void add(Submission submission, const Dependency& dependency, std::int32_t id, const JobTally& tally);
  void remove(Submission submission, const Dependency& dependency, std::int32_t id);
  bool empty() const { return waiting_.empty(); }

  struct Concerned {
    std::set<Submission> whole;                  // evaluate all of their elements
    const std::set<Submission>* same = nullptr;  // of these evaluate the element of the same index
  };
  // Element `index` (0: a job that is no element) has changed; `tally` is the new one. It is compared with the tally that add() or
  // the last call saw.
  Concerned changed(std::int32_t index, const JobTally& tally);

 private:
  using Key = std::tuple<Condition, std::optional<Comparison>, std::int64_t, bool>;
  struct Watched {
    JobCondition condition;
    std::optional<DependencyTruth> truth;  // none: the submissions were told different ones
    std::set<Submission> submissions;
  };
  struct Counted {
    std::optional<DependencyNumbers> seen;  // none: likewise
    std::map<std::int64_t, std::set<Submission>> by_number;
  };
  static Key key_of(const JobCondition& condition);
  static void pass(const Counted& counted, std::int64_t from, std::int64_t to,
                   std::set<Submission>& concerned);

  std::set<Submission> waiting_;
  std::map<Key, Watched> whole_;
  std::map<Condition, Counted> counted_;
  std::map<std::int32_t, std::set<Submission>> by_index_;
  std::set<Submission> each_;
};

}  // namespace rollcall::sched::jobs
