// hosts_down: the hosts that the master LIM reports as unavailable, so that commands need not wait for each of them. Blocking.
#pragma once

#include <set>
#include <string>

#include "common/conf/cluster_files.hpp"

namespace rollcall::io {

// Official names; none where no master LIM answers within about a second, since then the state is unknown.
std::set<std::string> hosts_down(const conf::ClusterFiles& files);

// The message for one of them. `insist`: the command that tries it nevertheless.
std::string skipped_text(const std::string& insist);

}  // namespace rollcall::io
