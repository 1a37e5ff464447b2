// start_checks: reports in advance what would keep the daemons of this host from starting, or from serving all users.
//
// Shared by `lsadmin ckconfig` and `lsf_daemons start`. It looks at this host, and changes nothing. common/conf reports errors in
// the files; what the daemons refuse later they report at their start.
#pragma once

#include <string>
#include <vector>

#include "common/conf/batch_settings.hpp"
#include "common/conf/cluster_files.hpp"

namespace rollcall::elim {

// One line each: why `lsf_daemons start` by this user would fail on this host. Directories and the key are checked only for the
// user who starts the daemons: the key's owner, or whoever would make it.
std::vector<std::string> start_obstacles(const conf::ClusterFiles& files, const conf::BatchSettings& batch);

// One line each, for problems that do not stop a start: munged is missing where root runs the daemons, an administrator does not
// exist.
std::vector<std::string> start_warnings(const conf::ClusterFiles& files);

}  // namespace rollcall::elim
