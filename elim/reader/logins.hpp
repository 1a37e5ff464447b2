// Logins: who is logged in, and when their terminals were last used. Functions. They read utmp, or the sessions of systemd where
// the system has no utmp.
#pragma once

#include <vector>

#include "elim/policy/load/proc_texts.hpp"
#include "elim/policy/load/terminal_use.hpp"
#include "elim/reader/files_below.hpp"

namespace rollcall::load {

// Sessions whose first process is gone are skipped: after a crash they stay in utmp.
std::vector<Login> current_logins(const FilesBelow& files);

// Distinct users among them.
double distinct_users(const std::vector<Login>& logins);

// Their terminals, each with the time of its last input or output.
std::vector<TerminalTime> terminal_times(const FilesBelow& files, const std::vector<Login>& logins);

}  // namespace rollcall::load
