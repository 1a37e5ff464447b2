// submission: makes the Submission for mbatchd from a command line, the #BSUB lines of a script and the changes of esubs; for bmod
// the changed fields. Functions over values; sched/client starts esubs and talks to mbatchd, sched/commands reads files.
//
//   split_submit_words -> draft_submission -> (esubs: esub_parameters.hpp) -> finish_submission
//
// The command line overrides the script. Rules: bsub(1), bmod(1); docs/decisions/0027.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/base/civil_time.hpp"
#include "common/base/result.hpp"
#include "common/resreq/resreq.hpp"
#include "common/wire/job.pb.h"
#include "sched/policy/submit/submit_options.hpp"

namespace rollcall::sched::submit {

// The environment and the settings of bsub's caller.
struct SubmitContext {
  std::int64_t limit_unit_kb = 1;  // LSF_UNIT_FOR_LIMITS
  resreq::Syntax syntax;
  std::string gpu_default;  // LSB_GPU_REQ: defaults of -gpu
  std::int64_t now = 0;     // seconds since 1970
  LocalTime local = utc_time;
  std::vector<std::string> environment;  // NAME=VALUE words
  std::string cwd;                       // absolute
  std::string home;
  std::uint32_t umask = 022;
  std::string from_host;
};

// A submission under way: esubs may still change it.
struct Draft {
  wire::Submission job;
  std::vector<std::string> resreqs;  // -R
  std::vector<std::string> environment_options;
  std::vector<std::string> extra_environment;  // NAME=VALUE of esubs
  std::vector<std::string> esub_notices;       // settings of esubs without effect here
  std::string esub_words;                      // -a as it was typed
  bool spool_input = false;                    // -is: bsub sends the file's contents
  bool spool_command = false;                  // -Zs: bsub sends the contents of the command's file
  bool id_only = false;                        // -id
  bool json = false;                           // -json
  bool verbose = false;  // --verbose: prints limits and options without effect to standard error
};

// A script from standard input, or a file that is submitted as a script; its #BSUB lines count. `run`: the job runs the text;
// false: it runs the operands. `takes_words`: with -Zs the operands are the script's name and its arguments.
struct JobScript {
  std::string text;
  bool run = true;
  bool takes_words = false;
};
Result<Draft> draft_submission(const SplitWords& line, const std::optional<JobScript>& script,
                               const SubmitContext& context);

// Merges the parts of the draft and checks it as a whole. Errors: no command, requirements that contradict one another, options
// that exclude one another.
Result<wire::Submission> finish_submission(const Draft& draft, const SubmitContext& context);

// The words of a command line as one line, for the job's shell and bjobs. Words with blanks are quoted, so that the shell sees the
// same words.
std::string command_line(const std::vector<std::string>& words);

struct Modification {
  wire::Submission changed;
  std::vector<int> fields;             // ModifyJobs.fields
  std::vector<std::string> job_words;  // the operands: ids of jobs
  std::string text;                    // the options as typed
};
Result<Modification> parse_bmod(const std::vector<std::string>& words, const SubmitContext& context);

}  // namespace rollcall::sched::submit
