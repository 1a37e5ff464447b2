// The b* commands: one function for each, which main.cpp lists.
#pragma once

#include "common/io/command.hpp"

namespace rollcall::sched {

io::Command bsub_command();

}  // namespace rollcall::sched
