// forwarding_checks: what a site's files say of other clusters and could not mean: clusters that are none (HOSTS, SNDJOBS_TO, lsb.hosts),
// a default MXJ that limits borrowed hosts, values of forwarding without effect. Pure.
#pragma once

#include "common/conf/cluster_files.hpp"
#include "common/conf/lsb/lsb_files.hpp"

namespace rollcall::conf {

// Each is a warning at its keyword. Rules: "IBM Spectrum LSF 10.1", lsb.queues(5) and lsb.users(5).
void check_forwarding(const LsbFiles& files, const ClusterFiles& cluster, Problems& problems);

}  // namespace rollcall::conf
