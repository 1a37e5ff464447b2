// Logins: who is logged in, and when one of their terminals was last used. Reads utmp, or the sessions of systemd where
// the system keeps no utmp. Functions.
#pragma once

#include <optional>
#include <vector>

#include "elim/policy/proc_texts.hpp"
#include "elim/reader/files_below.hpp"

namespace rollcall::load {

// Sessions whose first process is gone are left out: nobody takes them out of utmp after a crash.
std::vector<Login> current_logins(const FilesBelow& files);

// Distinct users among them.
double distinct_users(const std::vector<Login>& logins);

// Seconds since 1970 of the last input or output on a terminal of theirs; nothing where none has one.
std::optional<long long> last_terminal_use(const FilesBelow& files, const std::vector<Login>& logins);

}  // namespace rollcall::load
