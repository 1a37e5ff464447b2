// lsadmin: the subcommands of lsadmin. Each takes the words after its name and gives the exit status.
//
// With -json, before or after the subcommand, each prints one JSON document and asks no questions.
#pragma once

#include <string>
#include <vector>

#include "common/io/command.hpp"

namespace rollcall::elim {

using Words = std::vector<std::string>;

// The environment of a subcommand.
struct Admin {
  io::Stage& stage;
  std::string subcommand;
  bool json = false;
};

// Subcommands for files; they need no daemon.
int ckconfig(const Admin& admin, const Words& words);
int showconf(const Admin& admin, const Words& words);
// Prints "Checking configuration files ..." and the result. As JSON: only where there are errors, or the check itself was asked
// for.
conf::Problems check_configuration(const Admin& admin, bool verbose);

// Subcommands for daemons.
int reconfig(const Admin& admin, const Words& words);
int limstartup(const Admin& admin, const Words& words);
int limshutdown(const Admin& admin, const Words& words);
int limrestart(const Admin& admin, const Words& words);
int limlock(const Admin& admin, const Words& words);
int limunlock(const Admin& admin, const Words& words);
int limdebug(const Admin& admin, const Words& words);
int resstartup(const Admin& admin, const Words& words);
int resshutdown(const Admin& admin, const Words& words);
int resrestart(const Admin& admin, const Words& words);
int resdebug(const Admin& admin, const Words& words);

}  // namespace rollcall::elim
