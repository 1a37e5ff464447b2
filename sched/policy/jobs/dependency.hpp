// Dependency: what bsub -w and bwait -w say: which jobs must have come how far. A value with a parser; what has become of
// jobs is asked through JobFacts (the Book answers).
//
// Names of jobs are bound to ids once, at submission (bind), so that a job of the same name that comes later changes
// nothing; the bound text is kept in the Submission. Grammar: at the top of dependency_parse.cpp. Rules: bsub(1), -w;
// docs/decisions/0023.
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
inline constexpr int kDeepestDependency = 100;                // parentheses and "!" inside one another
inline constexpr std::size_t kMostConditions = 1024;
inline constexpr std::size_t kMostPatterns =
    64;  // different names with "*": each is compared with all jobs of the user

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
  bool all_elements = false;  // num*(id, *): as many as there are
};

// The expression as a tree in one vector.
class Dependency {
 public:
  // Errors are usage errors: "found X, expected Y", with the place.
  static Result<Dependency> parse(std::string_view text);
  // What text() of a bound one gave: binding may have made it longer and deeper than anybody may write.
  static Result<Dependency> parse_bound(std::string_view text);

  bool empty() const { return nodes_.empty(); }
  const std::vector<JobCondition>& conditions() const { return conditions_; }
  bool per_element() const;  // id[*] is in it: elements differ

  std::string text() const;  // parse(text()) is the same

  // Names become ids. `ids`: newest first, those that a name can mean (of its user); with "*" all of them count, else the
  // newest. Errors: one line; a name or an id that nothing has.
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

// What conditions ask for of a job, or of an array as a whole.
struct JobTally {
  std::uint32_t elements = 0;        // 1 for a job that is no array
  std::uint32_t pend = 0, hold = 0;  // PEND; PSUSP
  std::uint32_t run = 0;             // RUN, UNKWN, ZOMBI
  std::uint32_t suspended = 0;       // SSUSP, USUSP
  std::uint32_t by_user = 0;         // of these: USUSP
  std::uint32_t started = 0;         // of these: their process runs, or did
  std::uint32_t done = 0, exit = 0;
  std::uint32_t post_open = 0, post_err = 0;  // of the finished: post-execution runs; has failed
  std::map<int, std::uint32_t> exit_codes;    // of the exited
  std::uint32_t finished() const { return done + exit; }
  std::uint32_t by_system() const { return suspended - by_user; }  // SSUSP
  friend bool operator==(const JobTally&, const JobTally&) = default;
};
class JobFacts {
 public:
  virtual ~JobFacts() = default;
  virtual const JobTally* tally(std::int32_t id) const = 0;  // nullptr: not known (any longer)
  virtual const Job* find(JobKey key) const = 0;             // one element of an array
};
// What a job's status adds to a tally (or takes from it).
void count(JobTally& tally, const wire::JobRecord& record, int sign);

enum class DependencyState { none, satisfied, not_yet, never };
std::string_view text(DependencyState state);

// `index`: of the element whose dependency this is; 0: of no array.
DependencyState evaluate(const Dependency& dependency, std::int32_t index, const JobFacts& facts);

// The code of a word of wait(2): 0..255, death by signal n is 128+n.
int exit_code_of_status(std::int32_t exit_status);

}  // namespace rollcall::sched::jobs
