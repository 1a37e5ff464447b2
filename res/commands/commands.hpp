// The commands that run something on other hosts: one function for each, which main.cpp lists.
#pragma once

#include "common/io/command.hpp"

namespace rollcall::res {

// Status of lsrun and lsgrun where the cluster, not the command that was to run, is the reason: -10.
inline constexpr int kLsfProblem = 246;

io::Command blaunch_command();
io::Command lsrun_command();
io::Command lsgrun_command();
io::Command lsrcp_command();

}  // namespace rollcall::res
