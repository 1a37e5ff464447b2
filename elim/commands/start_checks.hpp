// start_checks: what would keep the daemons of this host from starting, or from serving all users, told before it is tried.
//
// Shared by `lsadmin ckconfig` and `lsf_daemons start`. It looks at this host, and changes nothing. What is wrong in the files
// themselves is common/conf's matter; what the daemons themselves refuse later they say at their start.
#pragma once

#include <string>
#include <vector>

#include "common/conf/batch_settings.hpp"
#include "common/conf/cluster_files.hpp"

namespace rollcall::elim {

// One line each; what `lsf_daemons start` of this user would fail of on this host. Directories and the key are looked at only by
// the user who starts the daemons: the key's owner, or who would make it.
std::vector<std::string> start_obstacles(const conf::ClusterFiles& files, const conf::BatchSettings& batch);

// One line each; what goes without being refused: a missing munged where the daemons are root's, an administrator who is no user.
std::vector<std::string> start_warnings(const conf::ClusterFiles& files);

}  // namespace rollcall::elim
