// esub_parameters: the files between bsub and its esubs: LSB_SUB_PARM_FILE (the options given), LSB_SUB_MODIFY_FILE and
// LSB_SUB_MODIFY_ENVFILE (an esub's changes). Functions over text. Rules: "External submission executables".
//
//   file  = { line LF }       line = NAME "=" value | blank | "#" comment
//   value = a word as sh(1) reads one: "..." with \ before " \ $ `, '...', or letters
//
// Shells can read the first file with their dot command.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sched/policy/submit/submission.hpp"

namespace rollcall::sched::submit {

// LSB_SUB_PARM_FILE: the options that are set, in the order of LSF's list; sizes in KB, times in seconds.
std::string esub_parameters(const Draft& draft);

// NAME=VALUE pairs of a file; errors name the line.
Result<std::vector<std::pair<std::string, std::string>>> esub_pairs(std::string_view text);

// Applies LSB_SUB_MODIFY_FILE to the draft; "SUB_RESET" takes an option back. Errors: a value that is invalid for the option. Names
// that are unknown, or have no effect here, become notices.
Result<void> apply_esub_changes(Draft& draft, std::string_view text, const SubmitContext& context);

// Applies LSB_SUB_MODIFY_ENVFILE.
Result<void> apply_esub_environment(Draft& draft, std::string_view text);

// The esubs of a submission in order, with their arguments: those of LSB_ESUB_METHOD, esub itself, those of -a
// ("openmpi check(a,b)"). Errors: an invalid name.
struct EsubCall {
  std::string name;  // "": esub
  std::vector<std::string> arguments;
};
Result<std::vector<EsubCall>> esub_calls(std::string_view method, std::string_view asked);

}  // namespace rollcall::sched::submit
