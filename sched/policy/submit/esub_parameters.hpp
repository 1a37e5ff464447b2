// esub_parameters: how bsub and its esubs talk: the files LSB_SUB_PARM_FILE (what was asked for), LSB_SUB_MODIFY_FILE and
// LSB_SUB_MODIFY_ENVFILE (what an esub changes). Functions over text. Rules: "External submission executables".
//
//   file  = { line LF }       line = NAME "=" value | blank | "#" comment
//   value = a word as sh(1) reads one: "..." with \ before " \ $ `, '...', or letters
//
// An esub may read the first file with the dot command of a shell.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sched/policy/submit/submission.hpp"

namespace rollcall::sched::submit {

// LSB_SUB_PARM_FILE: what is set, in the order of LSF's list; sizes in KB, times in seconds.
std::string esub_parameters(const Draft& draft);

// NAME=VALUE pairs of a file; errors name the line.
Result<std::vector<std::pair<std::string, std::string>>> esub_pairs(std::string_view text);

// LSB_SUB_MODIFY_FILE over the draft: "SUB_RESET" takes an option back. Errors: a value that the option does not take. A
// name that is known and has no effect here, or that nobody knows, becomes a notice.
Result<void> apply_esub_changes(Draft& draft, std::string_view text, const SubmitContext& context);

// LSB_SUB_MODIFY_ENVFILE.
Result<void> apply_esub_environment(Draft& draft, std::string_view text);

// The esubs of a submission in order, each with its arguments: LSB_ESUB_METHOD's, "" for esub itself, those of -a:
// "openmpi check(a,b)". Errors: a name that is none.
struct EsubCall {
  std::string name;  // "": esub
  std::vector<std::string> arguments;
};
Result<std::vector<EsubCall>> esub_calls(std::string_view method, std::string_view asked);

}  // namespace rollcall::sched::submit
