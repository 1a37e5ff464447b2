// commands: the ls* commands, each in a file of its own; main.cpp makes one program of them.
#pragma once

#include "common/io/command.hpp"

namespace rollcall::elim {

io::Command lsid_command();
io::Command lsclusters_command();
io::Command lsinfo_command();
io::Command lshosts_command();
io::Command lsload_command();
io::Command lsmon_command();
io::Command lsplace_command();
io::Command lseligible_command();
io::Command lsresreq_command();
io::Command lsadmin_command();

}  // namespace rollcall::elim
