// The subcommands of lsadmin. Each takes the words behind its name and gives the exit status.
//
// With -json, before the subcommand or anywhere behind it, each prints one JSON document, and asks nobody anything.
#pragma once

#include <string>
#include <vector>

#include "common/io/command.hpp"

namespace rollcall::elim {

using Words = std::vector<std::string>;

// What a subcommand runs with.
struct Admin {
  io::Stage& stage;
  std::string subcommand;
  bool json = false;
};

// About files alone; no daemon is needed.
int ckconfig(const Admin& admin, const Words& words);
int showconf(const Admin& admin, const Words& words);
// Prints "Checking configuration files ..." and what was found. As JSON: only errors, or where that was asked for.
conf::Problems check_configuration(const Admin& admin, bool verbose);

// About daemons.
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
