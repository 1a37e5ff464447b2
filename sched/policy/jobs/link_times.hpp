// LinkTimes: what the files in force say of the connections of a parallel job: how long a silent host is waited for, how often
// usage is told. A pure function of a ConfigView.
//
// DJOB_HB_INTERVAL, DJOB_RU_INTERVAL   of the profile, else of the queue, else of lsb.params, else LSB_DJOB_... of lsf.conf: scaled with the job's hosts
// none of them                          SBD_SLEEP_TIME, as it is
// DJOB_COMMFAIL_ACTION                  of the profile, else of the queue, else of lsb.params
#pragma once

#include <string>
#include <vector>

#include "common/base/link_patience.hpp"
#include "sched/policy/jobs/job_terms.hpp"

namespace rollcall::sched::jobs {

struct LinkTimes {
  LinkPatience patience;
  Duration usage{0};
  bool usage_is_own = false;  // of DJOB_RU_INTERVAL: the host is told; else it knows SBD_SLEEP_TIME
};
LinkTimes link_times(const ConfigView& config, const JobTerms& terms, std::size_t hosts);

// What the hosts of a job are told: zero where they know it.
inline Duration told_usage_interval(const LinkTimes& times) {
  return times.usage_is_own ? times.usage : Duration{0};
}

// LSB_DJOB_HB_INTERVAL, LSB_DJOB_RU_INTERVAL, LSB_DJOB_COMMFAIL_ACTION, LSF_RES_ALIVE_TIMEOUT as NAME=VALUE words.
std::vector<std::string> link_words(const LinkTimes& times);

}  // namespace rollcall::sched::jobs
