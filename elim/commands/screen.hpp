// The terminal as lsmon and lsload --watch use it: drawn anew every few seconds. Where standard output is no terminal,
// one picture follows the other.
#pragma once

#include <chrono>
#include <string>

#include "elim/policy/show/fit_picture.hpp"

namespace rollcall::elim {

bool output_is_terminal();
// A terminal, and NO_COLOR is not set.
bool output_takes_colour();
// The locale's character set is UTF-8.
bool output_is_unicode();
// Of the terminal as it is now; without limits where standard output is none.
show::ScreenSize screen_size();
// The picture, in place of the one before.
std::string frame_of(const std::string& picture);
// Waits; false where the user has ended it (INT, TERM, HUP), so that the caller can end as a command should.
bool wait_or_end(std::chrono::milliseconds interval);

}  // namespace rollcall::elim
