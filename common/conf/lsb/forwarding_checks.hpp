// forwarding_checks: what a site's files say of forwarding and could not mean: other clusters that are none, and values without effect. Pure.
#pragma once

#include "common/conf/cluster_files.hpp"
#include "common/conf/lsb/lsb_files.hpp"

namespace rollcall::conf {

// Each is a warning at its keyword. Rules: "IBM Spectrum LSF 10.1", lsb.queues(5) and lsb.users(5).
void check_forwarding(const LsbFiles& files, const ClusterFiles& cluster, Problems& problems);

}  // namespace rollcall::conf
