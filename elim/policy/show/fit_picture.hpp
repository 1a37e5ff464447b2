// fit_picture: what of a picture of lsmon or lsload --watch a terminal has room for, and how much it has not. A function.
//
// A picture that is longer than the screen would scroll, and the next one be drawn over what is left of it. Rules: lsload(1).
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
  std::string title;   // always there
  std::string table;   // a header, and a line for each host
  std::string graphs;  // a line for each index; "": none
};

std::string fit_picture(const Picture& picture, const ScreenSize& screen);

}  // namespace rollcall::elim::show
