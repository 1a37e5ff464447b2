// DependencyWatch: of one job id: which submissions wait for it, and which of them a change of it concerns. A value of the Book,
// one for each id that others wait for.
//
// Conditions on an array as a whole are answered from its tally (dependency.hpp). Equal conditions of many submissions are one
// here, and its answer is kept: a change that leaves the answer as it was concerns nobody, so that an array of n elements with m
// dependents costs n + m and not n times m. Conditions on a number of elements (numdone(A, >= 5)) are kept by that number: a change
// concerns those with a number beside it.
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

  // Of the dependency's conditions those on `id`, whose tally is as given.
  void add(Submission submission, const Dependency& dependency, std::int32_t id, const JobTally& tally);
  void remove(Submission submission, const Dependency& dependency, std::int32_t id);
  bool empty() const { return waiting_.empty(); }

  struct Concerned {
    std::set<Submission> whole;                  // to be evaluated, all of their elements
    const std::set<Submission>* same = nullptr;  // of these the element of the same index
  };
  // Something of element `index` (0: of a job that is no array) has changed, and the tally is now as given. What add() and the
  // last call saw is what it is compared with.
  Concerned changed(std::int32_t index, const JobTally& tally);

 private:
  using Key = std::tuple<Condition, std::optional<Comparison>, std::int64_t, bool>;
  struct Watched {
    JobCondition condition;
    std::optional<DependencyTruth> truth;  // none: the submissions have seen different ones
    std::set<Submission> submissions;
  };
  struct Counted {
    std::optional<DependencyNumbers> seen;  // none: the same
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
