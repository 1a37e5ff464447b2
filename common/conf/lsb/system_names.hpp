// SystemNames: which users, groups and hosts of the files the system knows. Only ckconfig asks: the answer of a name service
// changes no set. Pure; the caller looks the names up.
#pragma once

#include <functional>
#include <string>

#include "common/conf/lsb/lsb_files.hpp"

namespace rollcall::conf {

// True: there is surely no such name. False also where nobody can be asked.
struct SystemNames {
  std::function<bool(const std::string&name)> no_user, no_group, no_host;
};

// Warnings: hosts without an address and administrators that do not exist.
void check_system_names(const ClusterFiles& files, const SystemNames& system, Problems& problems);
// Warnings: administrators and users of queues, members of user groups and users of Limit sections that do not exist.
void check_system_names(const LsbFiles& lsb, const SystemNames& system, Problems& problems);

}  // namespace rollcall::conf
