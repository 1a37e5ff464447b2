// fit_picture: cuts the output of lsmon or lsload --watch to the terminal's size, and says how much is left out. A function.
//
// An output longer than the screen would scroll, and the next one would be drawn over its rest. Rules: lsload(1).
#pragma once

#include <cstddef>
#include <string>

namespace rollcall::elim::show {

// 0: without a limit.
struct ScreenSize {
  std::size_t rows = 0, columns = 0;
};

// Lines, each with its newline.
struct Picture {
  std::string title;   // always shown
  std::string table;   // a header, and a line for each host
  std::string graphs;  // a line for each index; "": none
};

std::string fit_picture(const Picture& picture, const ScreenSize& screen);

}  // namespace rollcall::elim::show
