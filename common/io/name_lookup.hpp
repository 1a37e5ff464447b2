// Name look-ups: hosts and users by the site's name services, asked through getent(1).
//
// For static programs, whose libc cannot load the modules of name services. getent can, comes with every glibc, and is
// run only where a number, a file or a variable does not do: pam offers its numeric addresses first, and HOME is nearly
// always set. docs/decisions/0011.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

namespace rollcall::io {

// The numeric addresses of a host, each once, in the resolver's order. Nothing: the look-up itself failed (no getent, no
// answer in 10 s); an empty list: there is no such host.
std::optional<std::vector<std::string>> look_up_host(const std::string& name);

// The home directory of a user; "" where it cannot be found out.
std::string look_up_home(uid_t user);
// What a user is called; "" where it cannot be found out.
std::string look_up_user(uid_t user);
// True: the name services know no user of this name. False where they know one, or cannot be asked.
bool no_such_user(const std::string& name);
bool no_such_group(const std::string& name);

}  // namespace rollcall::io
