// What fuzz targets share: how they say that something does not hold, and an input as lines.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

namespace rollcall::fuzz {

// Ends the program where `held` is false, with the line that requires it.
inline void require(bool held, int line = __builtin_LINE()) {
  if (held) return;
  std::fprintf(stderr, "what line %d requires does not hold\n", line);
  std::abort();
}

// The lines of a text; one more than it has newlines.
inline std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines(1);
  for (const char c : text)
    if (c == '\n')
      lines.emplace_back();
    else
      lines.back().push_back(c);
  return lines;
}

}  // namespace rollcall::fuzz
