// SystemNames: checks that users, groups and hosts named in the files exist on this system. Only ckconfig uses it: a name service
// never changes what a set of files means. Pure; the caller looks the names up.
#pragma once

#include <functional>
#include <string>

#include "common/conf/lsb/lsb_files.hpp"

namespace rollcall::conf {

// Each function is true if the name certainly does not exist; false also if the name service cannot answer.
struct SystemNames {
  std::function<bool(const std::string&name)> no_user, no_group, no_host;
};

// Warnings: hosts without an address and administrators that do not exist.
void check_system_names(const ClusterFiles& files, const SystemNames& system, Problems& problems);
// Warnings: administrators and users of queues, members of user groups and users of Limit sections that do not exist.
void check_system_names(const LsbFiles& lsb, const SystemNames& system, Problems& problems);

}  // namespace rollcall::conf
