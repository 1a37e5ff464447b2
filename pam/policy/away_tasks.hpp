// AwayTasks: the tasks whose connection is gone and who may be back, each with its deadline. A value.
//
// A host that is cut off leaves many at once, so the next deadline is found without looking at all of them. Owned by the Roll.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <vector>

#include "common/base/job_clock.hpp"
#include "pam/policy/tasks.hpp"

namespace rollcall::pam {

// Why a task counts as lost.
struct LossCause {
  enum class Kind : std::uint8_t { unknown, link, starter_killed, no_answer };
  Kind kind = Kind::unknown;
  pid_t pid = 0;  // of the TaskStarter that was killed
};

struct Away {
  TimePoint until;
  bool expected = false;  // the job was being ended when the link went
  LossCause cause;        // where it is known already: its inner TaskStarter is ending the task
};

class AwayTasks {
 public:
  void add(Tid tid, const Away& away);  // in place of what was there for it
  void remove(Tid tid);                 // does nothing where it is not away
  const Away* find(Tid tid) const;

  std::size_t size() const { return away_.size(); }
  std::optional<TimePoint> next() const;
  std::vector<Tid> due(TimePoint now) const;  // ascending

 private:
  std::map<Tid, Away> away_;
  std::set<std::pair<TimePoint, Tid>> times_;
};

}  // namespace rollcall::pam
