// The subcommands of lsadmin. Each takes the words behind its name and gives the exit status.
#pragma once

#include <string>
#include <vector>

#include "elim/commands/command.hpp"

namespace rollcall::elim {

using Words = std::vector<std::string>;

// About files alone; no daemon is needed.
int ckconfig(Stage& stage, const Words& words);
int showconf(Stage& stage, const Words& words);
// "Checking configuration files ..." and what was found; false where there are errors.
bool check_configuration(Stage& stage, bool verbose);

// About daemons.
int reconfig(Stage& stage, const Words& words);
int limstartup(Stage& stage, const Words& words);
int limshutdown(Stage& stage, const Words& words);
int limrestart(Stage& stage, const Words& words);
int limlock(Stage& stage, const Words& words);
int limunlock(Stage& stage, const Words& words);
int limdebug(Stage& stage, const Words& words);

}  // namespace rollcall::elim
