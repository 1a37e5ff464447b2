// The refusal of LIM and RES for a user who may not lock, stop or restart them. A function.
#pragma once

#include <sys/types.h>

#include <string>

namespace rollcall {

// `owner`: who runs the daemon. `owner_name` may be "": this host has no such user.
std::string who_may_control(uid_t owner, const std::string& owner_name);

}  // namespace rollcall
