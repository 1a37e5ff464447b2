// The subcommands of lsadmin. Each takes the words behind its name and gives the exit status.
#pragma once

#include <string>
#include <vector>

#include "common/io/command.hpp"

namespace rollcall::elim {

using Words = std::vector<std::string>;

// About files alone; no daemon is needed.
int ckconfig(io::Stage& stage, const Words& words);
int showconf(io::Stage& stage, const Words& words);
// "Checking configuration files ..." and what was found; false where there are errors.
bool check_configuration(io::Stage& stage, bool verbose);

// About daemons.
int reconfig(io::Stage& stage, const Words& words);
int limstartup(io::Stage& stage, const Words& words);
int limshutdown(io::Stage& stage, const Words& words);
int limrestart(io::Stage& stage, const Words& words);
int limlock(io::Stage& stage, const Words& words);
int limunlock(io::Stage& stage, const Words& words);
int limdebug(io::Stage& stage, const Words& words);

}  // namespace rollcall::elim
