// What the files in force mean for the Book: its parameters, who may use a queue, what a job is told. Pure functions of a
// ConfigView; nothing is kept here. What holds for one job by its queue and its profile is in job_terms.hpp.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/wire/batch.pb.h"
#include "sched/policy/jobs/job_terms.hpp"
#include "sched/policy/values/book_config.hpp"

namespace rollcall::sched::jobs {

// Parameters of lsb.params that the Book asks for.
struct BookParameters {
  std::int64_t clean_period_s = 3600;       // CLEAN_PERIOD
  std::int32_t max_job_id = 999'999;        // MAX_JOBID
  std::int32_t max_array_size = 1000;       // MAX_JOB_ARRAY_SIZE
  std::optional<int> most_requeues;         // MAX_JOB_REQUEUE
  bool exit_after_preexec_retries = false;  // LOCAL_MAX_PREEXEC_RETRY_ACTION=EXIT
  std::int64_t steady_after_s = 30;   // SBD_SLEEP_TIME: a connection that lasts so long is no flapping one
  std::int64_t longest_pause_s = 60;  // MAX_REQUEUE_PAUSE, without it MBD_SLEEP_TIME; 0: none
  std::uint64_t most_stored_mb = 4096;      // MAX_USER_JOB_STORAGE; 0: any number
  std::int64_t unknown_after_s = 90;  // MAX_SBD_FAIL times SBD_SLEEP_TIME: how long a host may be silent
};
BookParameters book_parameters(const ConfigView& config);

// Members of USERS, ADMINISTRATORS and user groups: users, groups of lsb.users, groups of the system, all; "~" takes out.
bool names_user(const ConfigView& config, const std::vector<std::string>& words, const Identity& who);
// Whether a user of that name, whose groups are not known, is a member of a group of lsb.users; none: no such group.
std::optional<bool> in_user_group(const ConfigView& config, std::string_view group, const std::string& user);

// Hosts of a name: a host, a host group, "all"; none: no such thing.
std::optional<std::vector<std::string>> hosts_named(const ConfigView& config, std::string_view name);

// The effective limits and the reservation, each one line for standard error; {} where nothing is limited.
std::vector<std::string> limit_notices(const ConfigView& config, const wire::Limits& effective,
                                       const std::string& rusage);

// NAME=VALUE words that mbatchd gives to the job: pam.md 3.1 and 3.2, as far as it knows them.
std::vector<std::string> job_environment(const ConfigView& config, const Job& job, const std::string& resreq);

}  // namespace rollcall::sched::jobs
