// Dependency: the condition of bsub -w or bwait -w: states that other jobs must have reached. A value with a parser. The states
// of jobs come from JobFacts, which the Book implements.
//
// Names of jobs are bound to ids once, at submission (bound()), so that a later job with the same name changes nothing. The
// Submission keeps the bound text. Grammar: at the top of dependency_parse.cpp. Rules: bsub(1), -w; docs/decisions/0023.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/base/result.hpp"
#include "sched/policy/values/job.hpp"

namespace rollcall::sched::jobs {

inline constexpr std::size_t kLongestDependency = 16 * 1024;  // bytes
inline constexpr int kDeepestDependency = 100;                // nested parentheses and "!"
inline constexpr std::size_t kMostConditions = 1024;
// Different names with "*": each is compared with all jobs of the user.
inline constexpr std::size_t kMostPatterns = 64;

enum class Condition {
  done,
  ended,
  exit,
  started,
  post_done,
  post_err,
  numdone,
  numended,
  numexit,
  numhold,
  numpend,
  numrun,
  numstart,
};
std::string_view text(Condition condition);

enum class Comparison { equal, unequal, above, below, at_least, at_most };
std::string_view text(Comparison comparison);

// One condition of an expression: done(12), exit("name", > 2), numdone(12, >= 5), done(12[*]).
struct JobCondition {
  Condition condition{};
  std::string name;  // of a job; may end in "*"; "": by id
  std::int32_t id = 0;
  std::int32_t index = 0;                // id[3]; 0: the job, or all elements
  bool each = false;                     // id[*]: the element of the same index
  std::optional<Comparison> comparison;  // exit: of the code; num*: of the number of elements
  std::int64_t number = 0;
  bool all_elements = false;  // num*(id, *): all elements of the array
};

// The expression as a tree in one vector.
class Dependency {
 public:
  // Errors are usage errors with the place: "at character N: found X, expected Y".
  static Result<Dependency> parse(std::string_view text);
  // Parses text() of a bound dependency, without the bounds for users: binding may have made it longer and deeper.
  static Result<Dependency> parse_bound(std::string_view text);

  bool empty() const { return nodes_.empty(); }
  const std::vector<JobCondition>& conditions() const { return conditions_; }
  bool per_element() const;  // it contains id[*], so that its state differs from element to element

  std::string text() const;  // parse(text()) gives an equal dependency

  // Replaces names by ids. `ids`: the job ids of its user that a name matches, newest first; a name with "*" means all of them, any
  // other name the newest. Errors, in one line: no job has the name or id; the bound condition has too many jobs.
  using Ids = std::function<std::vector<std::int32_t>(std::string_view name)>;
  using Known = std::function<bool(std::int32_t id)>;
  Result<Dependency> bound(const Ids& ids, const Known& known) const;

 private:
  friend class DependencyParser;
  friend class DependencyEvaluation;
  struct Node {
    enum class Kind { condition, both, either, no } kind{};
    std::uint32_t first = 0, second = 0;  // a condition's place in conditions_; operands' places in nodes_
  };
  std::string text_of(std::uint32_t node, int strength) const;
  std::vector<Node> nodes_;  // the last one is the root
  std::vector<JobCondition> conditions_;
};

// Counts of a job, or of all elements of an array, that conditions compare.
struct JobTally {
  std::uint32_t elements = 0;        // 1: a job that is no array
  std::uint32_t pend = 0, hold = 0;  // PEND; PSUSP
  std::uint32_t run = 0;             // RUN, UNKWN, ZOMBI
  std::uint32_t suspended = 0;       // SSUSP, USUSP
  std::uint32_t by_user = 0;         // of `suspended`: USUSP
  std::uint32_t started = 0;         // of `suspended`: their process runs, or did
  std::uint32_t done = 0, exit = 0;
  std::uint32_t post_open = 0, post_err = 0;  // of the finished ones: post-execution still runs; it failed
  std::map<int, std::uint32_t> exit_codes;    // of `exit`: how many by code
  std::uint32_t finished() const { return done + exit; }
  std::uint32_t by_system() const { return suspended - by_user; }  // SSUSP
  friend bool operator==(const JobTally&, const JobTally&) = default;
};
class JobFacts {
 public:
  virtual ~JobFacts() = default;
  virtual const JobTally* tally(std::int32_t id) const = 0;  // nullptr: no such job (any more)
  virtual const Job* find(JobKey key) const = 0;             // one element of an array
};
// Adds a job to a tally by its status (`sign` 1), or takes it out (-1). A job that waits in another cluster counts as pending.
void count(JobTally& tally, const wire::JobRecord& record, int sign);

enum class DependencyState { none, satisfied, not_yet, never };
std::string_view text(DependencyState state);

// `index`: of the element that waits; 0: of a job that is no element.
DependencyState evaluate(const Dependency& dependency, std::int32_t index, const JobFacts& facts);

// The exit code, 0 to 255, of a status of wait(2); 128+n for death by signal n.
int exit_code_of_status(std::int32_t exit_status);

}  // namespace rollcall::sched::jobs
