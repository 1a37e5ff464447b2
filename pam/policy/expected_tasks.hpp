// How many tasks must register before a job counts as started. A function of what the caller read.
//
// The rules, the first that applies:
//   1. pam's own -n
//   2. the launcher's own -n, -np, --ntasks, where its table knows them
//      or so many on each host (-npernode, -ppn) times the distinct hosts of the allocation; where it names hosts of its
//      own, or there is no allocation, rule 7
//   3. the number of task ids in LSB_PJL_TASK_GEOMETRY
//   4. LSF_PAM_HOSTLIST_USE=unique: the number of distinct hosts
//   5. LSB_DJOB_NUMPROC
//   6. the words of LSB_HOSTS; else the sum of LSB_MCPU_HOSTS; else the lines of LSB_DJOB_HOSTFILE
//   7. none: what has registered once no further one came for two seconds
#pragma once

#include <optional>
#include <string>

#include "common/base/host_list.hpp"
#include "common/base/result.hpp"

namespace rollcall::pam {

// The allocation as the environment gives it; "" and none where a variable is not set.
struct AllocationText {
  std::string lsb_hosts;
  std::string lsb_mcpu_hosts;
  std::string hostfile_name;                    // LSB_DJOB_HOSTFILE
  std::optional<std::string> hostfile_content;  // what is in it, where it could be read
};

// The hosts of the allocation: of LSB_HOSTS, else LSB_MCPU_HOSTS, else the file; an empty list where none is
// given. With `geometry` ("" = none) its groups placed on them. Configuration errors name the variable.
Result<HostList> allocated_hosts(const AllocationText& text, const std::string& geometry = {});

struct ExpectedInputs {
  std::optional<int> option;    // pam -n
  std::optional<int> launcher;  // tasks_in_words() or JobPlace::tasks
  std::optional<int> per_host;  // tasks_per_host()
  std::string geometry;         // LSB_PJL_TASK_GEOMETRY
  bool unique_hosts = false;    // LSF_PAM_HOSTLIST_USE=unique
  std::string djob_numproc;     // LSB_DJOB_NUMPROC
  AllocationText allocation;
};

struct Expected {
  std::optional<int> count;  // none: rule 7
  std::string rule;          // for -v: "8 task ids in LSB_PJL_TASK_GEOMETRY"
};

// Configuration errors (one line, naming the variable) if the text that decides is invalid.
Result<Expected> expected_tasks(const ExpectedInputs& inputs);

}  // namespace rollcall::pam
