// name_lookup: hosts and users by the site's name services, asked through getent(1).
//
// For static programs, whose libc cannot load the modules of name services. getent can, and comes with every glibc. It is run
// only if a number, a file or a variable is not enough: pam offers its numeric addresses first, and HOME is nearly always set.
// docs/decisions/0011.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace rollcall::io {

// The numeric addresses of a host, each once, in the resolver's order. None: the look-up failed (no getent, no answer in 10 s);
// an empty list: the host is unknown.
std::optional<std::vector<std::string>> look_up_host(const std::string& name);

// The home directory of a user; "" where it is unknown.
std::string look_up_home(uid_t user);
// The name of a user; "" where it is unknown.
std::string look_up_user(uid_t user);
// The number of a user or group; none where it is unknown.
std::optional<std::uint32_t> look_up_uid(const std::string& user);
std::optional<std::uint32_t> look_up_gid(const std::string& group);
// True: the name services know no such user. False where they know one, or do not answer.
bool no_such_user(const std::string& name);
bool no_such_group(const std::string& name);

}  // namespace rollcall::io
