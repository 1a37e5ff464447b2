// ShownLines: the valid lines of a section as written, for commands that show them (bqueues -l, bapp -l, bparams). A value.
//
// Code that acts on a parameter uses the typed view (docs/decisions/0076).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "common/conf/section_file.hpp"

namespace rollcall::conf {

struct ShownLine {
  std::string keyword;  // as it is written
  std::string text;
};
using ShownLines = std::vector<ShownLine>;

// In the order of the file; default values too.
ShownLines shown_lines(const Row& row);
// The given ones of `keywords`, in that order and spelling.
ShownLines shown_lines(const Row& row, std::initializer_list<std::string_view> keywords);

}  // namespace rollcall::conf
