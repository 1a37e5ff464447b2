// hosts_down: the hosts that the master LIM calls unavailable, for commands that would otherwise wait for each of them. Blocking.
#pragma once

#include <set>
#include <string>

#include "common/conf/cluster_files.hpp"

namespace rollcall::io {

// Official names; none where no master LIM answers within a second or so, since then nobody knows.
std::set<std::string> hosts_down(const conf::ClusterFiles& files);

// The line for one of them. `insist`: the command that asks it all the same.
std::string skipped_text(const std::string& insist);

}  // namespace rollcall::io
