// terminal_text: text of foreign origin made harmless for a terminal, a log, a mail or an event file. Functions.
//
// A control character is one of C0 (0x00 to 0x1f), DEL, or of C1 (0x80 to 0x9f, as one byte or as UTF-8: 0xc2 0x80 to
// 0xc2 0x9f): a terminal obeys it. mbatchd refuses them in what users give (submission_check.hpp); this is the one place that
// takes them out of what is printed, since older stores, event files and other daemons may hold them. JSON escapes them
// itself.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace rollcall {

enum class Controls {
  none,             // one line of text
  newline_and_tab,  // a command line, a table
};

// The offset of the first control character that is not `allowed`; npos: there is none.
std::size_t find_control(std::string_view text, Controls allowed);

// The text with '?' for each control character that is not `kept`; newline and tab, where they are not kept, are blanks.
std::string terminal_text(std::string_view text, Controls kept);

}  // namespace rollcall
