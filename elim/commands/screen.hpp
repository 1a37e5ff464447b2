// Screen: the terminal of lsmon and lsload --watch, redrawn every few seconds. Without a terminal the outputs follow one another.
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
// The terminal's present size; no limits without a terminal.
show::ScreenSize screen_size();
// Draws the output in place of the last one.
std::string frame_of(const std::string& picture);
// Waits; false where the user has ended it (INT, TERM, HUP), so that the caller can end normally.
bool wait_or_end(std::chrono::milliseconds interval);

}  // namespace rollcall::elim
