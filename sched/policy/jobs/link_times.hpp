// LinkTimes: times for the connections between hosts of a parallel job: the patience with a silent host, and the interval of usage
// reports. A pure function of a ConfigView.
//
// DJOB_HB_INTERVAL, DJOB_RU_INTERVAL   of the profile, else the queue, else lsb.params, else LSB_DJOB_... of lsf.conf; scaled with
//                                      the number of hosts
// none of them                         SBD_SLEEP_TIME, not scaled
// DJOB_COMMFAIL_ACTION                 of the profile, else the queue, else lsb.params
#pragma once

#include <string>
#include <vector>

#include "common/base/link_patience.hpp"
#include "sched/policy/jobs/job_terms.hpp"

namespace rollcall::sched::jobs {

struct LinkTimes {
  LinkPatience patience;
  Duration usage{0};
  bool usage_is_own = false;  // from DJOB_RU_INTERVAL, so hosts are told; else they use SBD_SLEEP_TIME
};
LinkTimes link_times(const ConfigView& config, const JobTerms& terms, std::size_t hosts);

// The interval that orders to the hosts carry; zero: they use SBD_SLEEP_TIME.
inline Duration told_usage_interval(const LinkTimes& times) {
  return times.usage_is_own ? times.usage : Duration{0};
}

// LSB_DJOB_HB_INTERVAL, LSB_DJOB_RU_INTERVAL, LSB_DJOB_COMMFAIL_ACTION, LSF_RES_ALIVE_TIMEOUT as NAME=VALUE words.
std::vector<std::string> link_words(const LinkTimes& times);

}  // namespace rollcall::sched::jobs
