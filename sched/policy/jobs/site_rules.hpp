// site_rules: what the configuration means for the Book: its parameters, members of user and host groups, notices to users, the
// environment of jobs. Pure functions of a ConfigView. Rules for one job by its queue and its profile are in job_terms.hpp.
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

// Parameters of lsb.params for the Book.
struct BookParameters {
  std::int64_t clean_period_s = 3600;       // CLEAN_PERIOD
  std::int32_t max_job_id = 999'999;        // MAX_JOBID
  std::int32_t max_array_size = 1000;       // MAX_JOB_ARRAY_SIZE
  std::optional<int> most_requeues;         // MAX_JOB_REQUEUE
  bool exit_after_preexec_retries = false;  // LOCAL_MAX_PREEXEC_RETRY_ACTION=EXIT
  std::int64_t steady_after_s = 30;         // SBD_SLEEP_TIME: a connection that lasts so long is steady
  std::int64_t longest_pause_s = 60;        // MAX_REQUEUE_PAUSE, else MBD_SLEEP_TIME; 0: no pauses
  std::uint64_t most_stored_mb = 4096;      // MAX_USER_JOB_STORAGE; 0: unlimited
  std::int64_t unknown_after_s = 90;  // MAX_SBD_FAIL times SBD_SLEEP_TIME: how long a host may be silent
};
BookParameters book_parameters(const ConfigView& config);

// Whether the words of USERS, ADMINISTRATORS or a user group name this user: users, groups of lsb.users, groups of the system, all;
// "~" excludes.
bool names_user(const ConfigView& config, const std::vector<std::string>& words, const Identity& who);
// Whether a user of that name, whose groups are not known, is a member of a group of lsb.users; none: no such group.
std::optional<bool> in_user_group(const ConfigView& config, std::string_view group, const std::string& user);

// The hosts that a name means: a host, a host group, "all" (of ours); on lease too: host@cluster, all@cluster, "allremote", and members
// of groups. None: no such host or group, or no lease has it.
std::optional<std::vector<std::string>> hosts_named(const ConfigView& config, std::string_view name);

// Whether HOSTS of the queue has the host. Of a partition or a compute unit it is not known: it may have it.
bool queue_uses(const ConfigView& config, const conf::QueueRow& queue, const HostId& host);

// Lines for bsub's standard error: the effective limits and the reservation; empty: the job has none.
std::vector<std::string> limit_notices(const ConfigView& config, const wire::Limits& effective,
                                       const std::string& rusage);

struct ArrayRange {
  std::int32_t step = 1, end = 0;
};
// Of the array that the element is of; none: it is no element.
std::optional<ArrayRange> range_of(const wire::Submission& asked, std::int32_t index);

// NAME=VALUE words that mbatchd adds to the job's environment.
std::vector<std::string> job_environment(const ConfigView& config, const Job& job, const std::string& resreq);

}  // namespace rollcall::sched::jobs
