// The commands that run something on other hosts: one function for each, which main.cpp lists.
#pragma once

#include "common/io/command.hpp"

namespace rollcall::res {

io::Command blaunch_command();
io::Command lsrun_command();
io::Command lsgrun_command();

}  // namespace rollcall::res
