// TaskGeometry: which tasks share a host, as LSB_PJL_TASK_GEOMETRY says it: "{(2,5,7)(0,6)(1,3)(4)}". A
// value.
//
// It chooses groups, never host names: group i goes to the i-th distinct host of the allocation ("Using
// Platform LSF HPC" 7.3, task geometry). Invariant: the task ids of all groups together are 0..tasks()-1,
// each once.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "common/base/host_list.hpp"
#include "common/base/result.hpp"

namespace rollcall {

class TaskGeometry {
 public:
  // Scripts write it with and without backslashes before braces, parentheses and commas, and with blanks: all
  // are read. Errors say at which byte (from 1), what was found and what was expected.
  static Result<TaskGeometry> parse(std::string_view text);

  // The ids of each group, in the order written.
  const std::vector<std::vector<int>>& groups() const { return groups_; }
  int tasks() const { return tasks_; }

  // "{(2,5,7)(0,6)}", without blanks and backslashes.
  std::string text() const;

  // The list of hosts this geometry needs: group i on the i-th distinct host, as many slots as it has tasks.
  // More groups than distinct hosts is an error.
  Result<HostList> place_on(const HostList& allocation) const;

  friend bool operator==(const TaskGeometry&, const TaskGeometry&) = default;

 private:
  std::vector<std::vector<int>> groups_;
  int tasks_ = 0;
};

}  // namespace rollcall
