// start_daemon: has lsf_daemons start a daemon of this or another host, as lsadmin and badmin do. Blocking.
#pragma once

#include <string>

#include "common/conf/cluster_files.hpp"

namespace rollcall::io {

// "" once it answers, or why it does not. Here, or through LSF_RSH (ssh) on another host, where the programs must have the same
// path. `quiet`: its output goes to standard error.
std::string start_daemon(const conf::ClusterFiles& files, const std::string& host, const std::string& daemon,
                         bool quiet);

}  // namespace rollcall::io
