// A command as other users may see it, in answers and in event files. A function.
#pragma once

#include <string>

namespace rollcall::sched {

// Its lines joined with ";", and without control characters, which a terminal would obey.
std::string shown_command(std::string command);

}  // namespace rollcall::sched
