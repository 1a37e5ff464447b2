// group_checks: warnings for groups of lsb.hosts and lsb.users that have no member, or that lead back to themselves. Functions.
#pragma once

#include "common/conf/lsb/lsb_hosts.hpp"
#include "common/conf/lsb/lsb_users.hpp"
#include "common/conf/problems.hpp"

namespace rollcall::conf {

void check_groups(const std::vector<HostGroup>& groups, Problems& problems);
void check_groups(const std::vector<UserGroup>& groups, Problems& problems);

}  // namespace rollcall::conf
