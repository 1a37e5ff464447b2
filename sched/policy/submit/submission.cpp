#include "sched/policy/submit/submission.hpp"

#include <algorithm>
#include <array>

#include "common/base/shell_quote.hpp"
#include "common/conf/words.hpp"
#include "common/resreq/merge.hpp"
#include "sched/policy/submit/submit_script.hpp"
#include "sched/policy/values/submit_values.hpp"

namespace rollcall::sched::submit {
namespace {

using S = wire::Submission;

// Variables that describe the job in which bsub runs: they are not passed on to the job that it submits.
constexpr std::array<std::string_view, 42> kOfTheOuterJob{"LSB_ACCT_FILE",
                                                          "LSB_AFFINITY_HOSTFILE",
                                                          "LSB_BATCH_JID",
                                                          "LSB_CHKFILENAME",
                                                          "LSB_DJOB_HB_INTERVAL",
                                                          "LSB_DJOB_HOSTFILE",
                                                          "LSB_DJOB_NUMPROC",
                                                          "LSB_DJOB_RANKFILE",
                                                          "LSB_DJOB_RU_INTERVAL",
                                                          "LSB_ECHKPNT_RSH_CMD",
                                                          "LSB_EFFECTIVE_RSRCREQ",
                                                          "LSB_EXEC_CLUSTER",
                                                          "LSB_HOSTS",
                                                          "LSB_INTERACTIVE",
                                                          "LSB_JOBEXIT_INFO",
                                                          "LSB_JOBEXIT_STAT",
                                                          "LSB_JOBFILENAME",
                                                          "LSB_JOBID",
                                                          "LSB_JOBINDEX",
                                                          "LSB_JOBINDEX_END",
                                                          "LSB_JOBINDEX_STEP",
                                                          "LSB_JOBNAME",
                                                          "LSB_JOBRES_CALLBACK",
                                                          "LSB_JOBRES_PID",
                                                          "LSB_MAX_NUM_PROCESSORS",
                                                          "LSB_MCPU_HOSTS",
                                                          "LSB_OUTDIR",
                                                          "LSB_OUTPUTFILE",
                                                          "LSB_QUEUE",
                                                          "LSB_SUB_HOST",
                                                          "LSB_SUB_RES_REQ",
                                                          "LSB_TASKID",
                                                          "LSB_TASKINDEX",
                                                          "LSB_TRAPSIGS",
                                                          "LSF_PM_TASKID",
                                                          "LSF_TS",
                                                          "LSF_TSOPT_NUM",
                                                          "LSF_TS_OPTIONS",
                                                          "PM_SOURCE",
                                                          "LS_JOBPID",
                                                          "LS_SUBCWD",
                                                          "LS_EXEC_T"};

std::vector<std::string> own_environment(const std::vector<std::string>& all) {
  std::vector<std::string> own;
  for (const auto& variable : all)
    if (std::find(kOfTheOuterJob.begin(), kOfTheOuterJob.end(), variable_name(variable)) ==
            kOfTheOuterJob.end() &&
        variable.find('=') != variable.npos)
      own.push_back(variable);
  return own;
}

std::string variable(const SubmitContext& context, std::string_view name) {
  for (const auto& word : context.environment)
    if (variable_name(word) == name && word.size() > name.size()) return word.substr(name.size() + 1);
  return "";
}

Result<void> apply_use(Draft& draft, const OptionUse& use, const SubmitContext& context) {
  auto applied = use.option->apply(draft, use.value, context);
  if (!applied) return usage_error(use.where + std::string(use.option->name) + ": " + applied.error().text);
  return applied;
}

Result<std::vector<OptionUse>> script_options(const std::string& script) {
  auto lines = bsub_lines(script);
  if (!lines) return lines.error();
  std::vector<OptionUse> uses;
  for (const auto& line : *lines) {
    auto split =
        split_submit_words(line.words, SubmitForm::script_line, "line " + std::to_string(line.line) + ": ");
    if (!split) return split.error();
    for (auto& use : split->options) uses.push_back(std::move(use));
  }
  return uses;
}

bool has_group(const std::vector<OptionUse>& uses, std::string_view group) {
  return std::any_of(uses.begin(), uses.end(),
                     [&](const OptionUse& use) { return use.option->group == group; });
}

// Defaults from the user's environment for options that were not given.
void apply_defaults(Draft& draft, const SubmitContext& context) {
  if (const auto queues = variable(context, "LSB_DEFAULTQUEUE"); draft.job.queues().empty())
    for (const auto& queue : conf::split_words(queues)) draft.job.add_queues(queue);
  if (draft.job.project().empty()) draft.job.set_project(variable(context, "LSB_DEFAULTPROJECT"));
  if (draft.job.job_group().empty()) draft.job.set_job_group(variable(context, "LSB_DEFAULT_JOBGROUP"));
  if (draft.job.user_group().empty()) draft.job.set_user_group(variable(context, "LSB_DEFAULT_USERGROUP"));
}

Result<std::string> merged_resreq(const std::vector<std::string>& texts, const resreq::Syntax& syntax) {
  resreq::ResReq all;
  for (const auto& text : texts) {
    const auto parsed = resreq::parse(text, syntax);
    if (parsed.error) return usage_error("-R: " + resreq::caret_lines(text, *parsed.error));
    auto both = resreq::merge(all, parsed.value);
    if (!both) return usage_error("-R: " + both.error().text);
    all = std::move(*both);
  }
  return resreq::print(all);
}

// bmod -J NAME leaves the slots of an array as they are, -J %N the name.
bool array_slots_alone(const OptionUse& use) {
  return use.option->name == "-J" && use.value.starts_with('%');
}
OptionFields modified_fields(const OptionUse& use) {
  if (use.option->name != "-J" || use.reset) return use.option->fields;
  return {array_slots_alone(use) ? S::kArraySlotsFieldNumber : S::kJobNameFieldNumber};
}
Result<void> modify(Draft& draft, const OptionUse& use, const SubmitContext& context) {
  if (!array_slots_alone(use)) return apply_use(draft, use, context);
  const auto slots = parse_slots(std::string_view(use.value).substr(1));
  if (!slots) return usage_error("-J: found " + use.value + ", expected % and a whole number from 1");
  draft.job.set_array_slots(slots->least);
  return {};
}

Result<void> check_together(const wire::Submission& job) {
  const auto refuse = [](const char* text) { return usage_error(text); };
  if (job.command().empty()) return refuse("found no command, expected one");
  if (job.command().find('\0') != std::string::npos || job.script().find('\0') != std::string::npos)
    return refuse("found a NUL in the command, expected a text");
  if (job.interactive() != S::NONE && job.waits()) return refuse("-K: found with -I, expected one of them");
  if (job.interactive() != S::NONE && job.indices_size() > 0)
    return refuse("-I: found with an array of jobs, expected one job");
  if (job.interactive() != S::NONE && job.rerunnable())
    return refuse("-I: found with -r, expected one of them");
  if (job.begin_us() != 0 && job.terminate_us() != 0 && job.terminate_us() <= job.begin_us())
    return refuse("-t: found a time that is not behind that of -b, expected a later one");
  return {};
}

}  // namespace

std::string command_line(const std::vector<std::string>& words) {
  if (words.size() == 1) return words.front();
  std::string line;
  for (const auto& word : words) {
    if (!line.empty()) line += ' ';
    line += word.empty() || word.find_first_of(" \t\n") != word.npos ? shell_quote(word) : word;
  }
  return line;
}

Result<Draft> draft_submission(const SplitWords& line, const std::optional<JobScript>& script,
                               const SubmitContext& context) {
  Draft draft;
  if (script) {
    const auto uses = script_options(script->text);
    if (!uses) return uses.error();
    for (const auto& use : *uses)
      if (!has_group(line.options, use.option->group))
        if (const auto applied = apply_use(draft, use, context); !applied) return applied.error();
  }
  for (const auto& use : line.options)
    if (const auto applied = apply_use(draft, use, context); !applied) return applied.error();
  apply_defaults(draft, context);

  if (script && script->run) {
    auto text = script->takes_words ? script_with_words(script->text, line.operands)
                                    : Result<std::string>(script->text);
    if (!text) return text.error();
    draft.job.set_script(std::move(*text));
    draft.job.set_command(line.operands.empty() ? script_line(script->text) : command_line(line.operands));
    if (draft.job.shell().empty()) draft.job.set_shell(script_shell(script->text));
  } else {
    draft.job.set_command(command_line(line.operands));
  }
  draft.job.set_cwd(context.cwd);
  draft.job.set_home(context.home);
  draft.job.set_umask(context.umask);
  draft.job.set_from_host(context.from_host);
  return draft;
}

Result<wire::Submission> finish_submission(const Draft& draft, const SubmitContext& context) {
  wire::Submission job = draft.job;
  if (job.nodes() > 0) job.set_exclusive(true);  // whole hosts
  auto merged = merged_resreq(draft.resreqs, context.syntax);
  if (!merged) return merged.error();
  job.set_resreq(std::move(*merged));

  auto environment = choose_environment(draft.environment_options, own_environment(context.environment));
  if (!environment) return usage_error("-env: " + environment.error().text);
  for (const auto& changed : draft.extra_environment) {
    std::erase_if(*environment,
                  [&](const std::string& word) { return variable_name(word) == variable_name(changed); });
    environment->push_back(changed);
  }
  // LSB_JOB_REPORT_MAIL of bsub's environment counts, even if -env leaves it out.
  const std::string report = variable(context, "LSB_JOB_REPORT_MAIL");
  const bool told = std::any_of(environment->begin(), environment->end(), [](const auto& word) {
    return variable_name(word) == "LSB_JOB_REPORT_MAIL";
  });
  if (!report.empty() && !told) environment->push_back("LSB_JOB_REPORT_MAIL=" + report);
  job.clear_environment();
  for (auto& word : *environment) job.add_environment(std::move(word));

  if (const auto checked = check_together(job); !checked) return checked.error();
  return job;
}

Result<Modification> parse_bmod(const std::vector<std::string>& words, const SubmitContext& context) {
  auto split = split_submit_words(words, SubmitForm::bmod);
  if (!split) return split.error();
  if (split->options.empty()) return usage_error("nothing to change; give an option such as -W");
  if (split->operands.empty()) return usage_error("no job ID given");
  Modification changes;
  Draft draft;
  for (const auto& use : split->options) {
    if (!changes.text.empty()) changes.text += ' ';
    changes.text += std::string(use.option->name) + (use.reset ? "n" : "");
    if (use.option->value == SubmitOption::Value::required && !use.reset)
      changes.text += " " + shell_quote(use.value);
    for (const int field : modified_fields(use))
      if (std::find(changes.fields.begin(), changes.fields.end(), field) == changes.fields.end())
        changes.fields.push_back(field);
    if (use.reset) continue;
    if (const auto applied = modify(draft, use, context); !applied) return applied.error();
  }
  if (draft.job.indices_size() > 0)
    return usage_error(
        "-J: found indices, expected NAME or %SLOTS; the elements of an array cannot be changed");
  auto merged = merged_resreq(draft.resreqs, context.syntax);
  if (!merged) return merged.error();
  draft.job.set_resreq(std::move(*merged));
  changes.changed = std::move(draft.job);
  changes.job_words = std::move(split->operands);
  return changes;
}

}  // namespace rollcall::sched::submit
