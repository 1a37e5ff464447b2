// The b* commands that ask mbatchd, and those that give orders to jobs, queues and hosts.
#pragma once

#include <vector>

#include "common/io/command.hpp"

namespace rollcall::sched {

// All of them, for main.cpp.
std::vector<io::Command> query_commands();

io::Command bjobs_command();
io::Command bhosts_command();
io::Command bqueues_command();
io::Command bpeek_command();
io::Command bmod_command();
io::Command bhist_command();
io::Command bacct_command();
io::Command badmin_command();
std::vector<io::Command> information_commands();  // busers bparams bclusters bmgroup bugroup bapp blimits
std::vector<io::Command> order_commands();        // bkill bstop bresume brequeue brun bswitch btop bbot
std::vector<io::Command> waiting_commands();      // bwait bpost bread

}  // namespace rollcall::sched
