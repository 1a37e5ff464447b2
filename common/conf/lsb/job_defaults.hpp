// JobDefaults: what queues (lsb.queues) and application profiles (lsb.applications) both set for their jobs: limits,
// requirements, programs before, after and around a job. A value; part of the views lsb_queues.hpp and lsb_applications.hpp.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/conf/limit_unit.hpp"
#include "common/conf/lsb/parallel_links.hpp"
#include "common/conf/lsb/preemption_limits.hpp"
#include "common/conf/lsb/values.hpp"
#include "common/conf/row_reader.hpp"

namespace rollcall::conf {

// "[default] max".
template <class T>
struct Limit {
  std::optional<T> standard;  // for a job that sets none
  std::optional<T> most;
};

// RES_REQ, RESUME_COND or STOP_COND as written, to check its resource names against the cluster's.
struct GivenRequirement {
  std::string keyword, text;
  Place place;
};

struct JobDefaults {
  std::string description;
  std::string res_req, stop_cond, resume_cond;  // requirement strings, not parsed here
  std::vector<GivenRequirement> requirements;   // those of the three that are given
  std::string pre_exec, post_exec, job_starter;
  JobControls job_controls;
  std::vector<std::string> terminate_when;  // WINDOW LOAD PREEMPT USER
  RequeueExits requeue_exits;
  std::optional<int> most_requeues;    // MAX_JOB_REQUEUE
  std::optional<int> preexec_retries;  // LOCAL_MAX_PREEXEC_RETRY, else MAX_PREEXEC_RETRY
  std::optional<int>
      remote_preexec_retries;  // of other clusters' jobs: REMOTE_MAX_PREEXEC_RETRY, else MAX_PREEXEC_RETRY
  Limit<TimeLimit> cpu_limit, run_limit;
  Limit<long long> memory_limit;  // KB, whatever LSF_UNIT_FOR_LIMITS is
  Limit<long long> process_limit, thread_limit;
  std::optional<long long> file_limit, data_limit, stack_limit, core_limit, swap_limit;  // KB
  std::vector<int> task_limit;  // PROCLIMIT or TASKLIMIT: [min [default]] max
  int nice = 0;
  ParallelLinks links;  // DJOB_*
  PreemptionLimits preemption_limits;
  // Limits of two words of which one is invalid: keyword and the valid word. A valid maximum is then the default too.
  std::vector<std::pair<std::string, std::string>> limits_in_force;
};

// The keywords that are read here.
const std::vector<std::string>& job_default_keywords();
JobDefaults read_job_defaults(const Row& row, const LimitUnit& unit, Problems& problems);
// LOCAL_MAX_PREEXEC_RETRY, else MAX_PREEXEC_RETRY; lsb.params has the same pair with another bound.
std::optional<int> read_preexec_retries(RowReader& cells, int most_of_local);
// REMOTE_MAX_PREEXEC_RETRY, else MAX_PREEXEC_RETRY.
std::optional<int> read_remote_preexec_retries(RowReader& cells);
// The row as it takes effect: without invalid values; a limit with an invalid default shows its maximum.
Row cells_in_force(const Row& row, const JobDefaults& defaults, const Problems& problems);

}  // namespace rollcall::conf
