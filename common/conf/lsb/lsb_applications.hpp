// LsbApplications: the typed view of lsb.applications: profiles that a job names with -app. Values.
//
// Every parameter read here acts on the jobs of the profile (sched/policy/jobs/job_terms.hpp). Every other parameter of LSF's
// gets a warning that says why it has no effect.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/conf/lsb/job_defaults.hpp"
#include "common/conf/shown_lines.hpp"

namespace rollcall::conf {

struct ApplicationProfile {
  std::string name;
  JobDefaults jobs;
  std::vector<std::string> environment;  // ENV_VARS: NAME=VALUE words, each name once
  std::optional<int> nice;               // none: the queue's
  std::optional<RequeueExits> requeue_exits;
  std::optional<bool> rerunnable;
  std::optional<PreemptFor> preempt_for;  // none: that of lsb.params
  Place place;
  ShownLines shown;  // what bapp -l shows as it is written
};

// "NAME='VALUE',NAME='VALUE'", all of it perhaps in double quotes. A name that comes again has its last value.
Result<std::vector<std::string>> parse_env_vars(std::string_view text);

std::vector<ApplicationProfile> read_lsb_applications(const SectionFile& file, const LimitUnit& unit,
                                                      Problems& problems);

}  // namespace rollcall::conf
