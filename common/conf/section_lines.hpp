// The lines of a section file as its grammar sees them: comments taken off, continued lines joined, included files and
// the branches of #if time() that hold put in their place. Pure; the text comes from the caller.
//
// It knows no section: section_file.cpp makes rows of these lines. The grammar is at the top of section_lines.cpp.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "common/conf/section_file.hpp"

namespace rollcall::conf {

struct SectionLine {
  std::string text;  // never empty, no blanks round it
  Place place;       // of its first line
};

std::vector<SectionLine> section_lines(std::string_view text, const std::string& file_name,
                                       const SectionSyntax& syntax, Problems& problems);

}  // namespace rollcall::conf
