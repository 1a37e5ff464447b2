// submit_script: reads the #BSUB lines of job scripts, and makes the line that bjobs shows for a script. Functions over text; the
// grammar is at the top of submit_script.cpp.
//
// The script runs unchanged; only its #BSUB lines are checked. All of them count, at any place in the script (docs/decisions/0027).
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
// The words of all #BSUB lines. Error: a quote that is not closed, with its line.
Result<std::vector<ScriptWords>> bsub_lines(std::string_view script);

// True if the text is a script for bsub: it has a #BSUB line, and begins with #! or with a #BSUB line.
bool has_bsub_lines(std::string_view script);

// The text after "#!" on the first line that is not empty; "": that line has no "#!".
std::string script_shell(std::string_view script);

// The non-empty lines joined with ";", at most 4094 bytes.
std::string script_line(std::string_view script);

// Splits the words of a #BSUB line at blanks; "...", '...' and \ quote, and nothing is expanded. A word that begins with an
// unquoted # begins a comment.
Result<std::vector<std::string>> option_words(std::string_view text);

// The script with arguments words[1], words[2] ... (-Zs): its first line sets them, so that line numbers stay the same. Error:
// there are arguments, and the script is not for a Bourne shell.
Result<std::string> script_with_words(std::string_view script, const std::vector<std::string>& words);

}  // namespace rollcall::sched::submit
