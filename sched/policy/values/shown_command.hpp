// shown_command: a job's command as other users see it, in answers and in event files. A function.
#pragma once

#include <string>

namespace rollcall::sched {

// Joins its lines with ";" and removes control characters.
std::string shown_command(std::string command);

}  // namespace rollcall::sched
