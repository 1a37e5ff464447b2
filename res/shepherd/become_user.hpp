// become_user: root becomes a user for good, and every step is checked. A function.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace rollcall::res {

// "" once all ids are the user's and root cannot be had back; else why not, and then the process must end.
std::string become_user(uid_t user, gid_t group, const std::vector<gid_t>& groups);

}  // namespace rollcall::res
