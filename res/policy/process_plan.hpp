// process_plan: from what was submitted to the words that are executed. Functions.
//
// A command is one line for /bin/sh -c. A script is run from a file that the shell (the program round this) writes as
// the job's user; by the interpreter of its #! line, or by /bin/sh. The shell that runs the job survives TERM USR1 USR2
// INT HUP, while what it starts gets them as they are by default: its first line is "$LSB_TRAPSIGS", and a "#" that comes
// from an expansion is a word and no comment ("trap # 15 10 12 2 1"). The line takes the place of a first line that is a
// comment, so that the shell's messages have the script's own line numbers.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/wire/res.pb.h"

namespace rollcall::res {

inline constexpr std::string_view kTrapSignals =
    "trap # 15 10 12 2 1";  // LSB_TRAPSIGS: TERM USR1 USR2 INT HUP

struct ProcessPlan {
  std::vector<std::string> argv;
  std::optional<std::string> script;  // what the file `script_path` must hold
};

// `script_path`: where the script would be written.
ProcessPlan job_process(const wire::ToRes::StartJob& start, const std::string& script_path);

// The words of a "#!" line at the beginning of `script` (blank lines may stand before it); none: there is no such line.
std::vector<std::string> interpreter_of(std::string_view script);

// JOB_STARTER with the command in it: "%USRCMD" is replaced, and without it the command stands at the end.
std::string with_starter(std::string_view starter, std::string_view command);

// PRE_EXEC, POST_EXEC: by /bin/sh -c.
std::vector<std::string> hook_words(std::string_view command);

}  // namespace rollcall::res
