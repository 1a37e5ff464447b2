// Job scripts: the #BSUB lines in them, and the one line that bjobs shows for them. Functions over text; the grammar is at
// the top of submit_script.cpp.
//
// A script is run as it is, so nothing in it can be wrong but its #BSUB lines. All of them count, wherever they stand
// (docs/decisions/0027).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.hpp"

namespace rollcall::sched::submit {

struct ScriptWords {
  int line = 0;  // of the script, from 1
  std::vector<std::string> words;
};
// The words of all #BSUB lines. The error names the line: a quote that is not closed.
Result<std::vector<ScriptWords>> bsub_lines(std::string_view script);

// True where the text is a script for bsub: it has a #BSUB line, and begins with #! or with a #BSUB line.
bool has_bsub_lines(std::string_view script);

// What stands behind "#!" on the first line that is not empty; "" where that is no such line.
std::string script_shell(std::string_view script);

// The lines joined with ";", empty ones left out; of a long script the first 4094 bytes.
std::string script_line(std::string_view script);

// Words as a #BSUB line and LSB_BSUB options have them: blanks between, "..." '...' and \ quote, nothing is expanded; a
// word that begins with an unquoted # ends the line.
Result<std::vector<std::string>> option_words(std::string_view text);

// The script as it runs when it is called with words[1], words[2] ... (-Zs): the shell sets its arguments in its first line,
// so that every line keeps its number. An error where there are some and no Bourne shell reads the script.
Result<std::string> script_with_words(std::string_view script, const std::vector<std::string>& words);

}  // namespace rollcall::sched::submit
