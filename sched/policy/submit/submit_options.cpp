// words   = { option } [ "--" ] { operand }
// option  = NAME                 an option without a value
//         | NAME value           of two words
//         | "-" LETTER value     one word, of options of one letter: -n4 -M2000 -qlong; a NAME that is one goes first
//         | NAME "n"             bmod alone: back to the default; -xn -Bn too
// The first operand of bsub begins the job's command; operands of bmod are job ids.
#include "sched/policy/submit/submit_options.hpp"

#include <algorithm>

#include "sched/policy/submit/submit_apply.hpp"

namespace rollcall::sched::submit {
namespace {

using S = wire::Submission;
using L = wire::Limits;
constexpr auto kWord = SubmitOption::Value::required;
constexpr auto kFlag = SubmitOption::Value::none;
constexpr int limit(int field) { return kLimitFields + field; }

constexpr auto job_options() {
  return std::to_array<SubmitOption>({
      {"-J",
       kWord,
       "-J",
       {S::kJobNameFieldNumber, S::kArraySlotsFieldNumber},
       apply::array_name,
       "NAME[INDICES]%SLOTS the job's name; with indices an array of jobs"},
      {"-Jd", kWord, "-Jd", {S::kDescriptionFieldNumber}, apply::description, "TEXT describes the job"},
      {"-q",
       kWord,
       "-q",
       {S::kQueuesFieldNumber},
       apply::queues,
       "\"QUEUE ...\" the first of these that takes the job"},
      {"-P", kWord, "-P", {S::kProjectFieldNumber}, apply::project, "PROJECT"},
      {"-G", kWord, "-G", {S::kUserGroupFieldNumber}, apply::user_group, "USER_GROUP"},
      {"-app",
       kWord,
       "-app",
       {S::kApplicationFieldNumber},
       apply::application,
       "PROFILE application profile of lsb.applications"},
      {"-g", kWord, "-g", {S::kJobGroupFieldNumber}, apply::job_group, "JOB_GROUP"},
      {"-n",
       kWord,
       "-n",
       {S::kMinSlotsFieldNumber, S::kMaxSlotsFieldNumber},
       apply::slots,
       "MIN[,MAX] slots"},
      {"-nnodes", kWord, "-n", {}, apply::nodes, "N whole hosts"},
      {"-R",
       kWord,
       "-R",
       {S::kResreqFieldNumber},
       apply::resreq,
       "RES_REQ lsf.resreq(7); several are merged",
       "",
       true},
      {"-m",
       kWord,
       "-m",
       {S::kAskedHostsFieldNumber},
       apply::hosts,
       "\"HOST[!][+PREF] ...\" hosts and host groups"},
      {"-w",
       kWord,
       "-w",
       {S::kDependencyFieldNumber},
       apply::dependency,
       "EXPRESSION condition on other jobs, such as done(12)"},
      {"-b",
       kWord,
       "-b",
       {S::kBeginUsFieldNumber},
       apply::begin,
       "[[[YEAR:]MONTH:]DAY:]HOUR:MINUTE earliest start"},
      {"-t",
       kWord,
       "-t",
       {S::kTerminateUsFieldNumber},
       apply::terminate,
       "[[[YEAR:]MONTH:]DAY:]HOUR:MINUTE termination time"},
      {"-H", kFlag, "-H", {}, apply::hold, "held until bresume"},
      {"-x", kFlag, "-x", {S::kExclusiveFieldNumber}, apply::exclusive, "alone on its hosts"},
      {"-r", kFlag, "-r", {S::kRerunnableFieldNumber}, apply::rerunnable, "rerun if its host fails"},
      {"-rn", kFlag, "-r", {}, apply::never_rerun, "never rerun"},
      {"-Q",
       kWord,
       "-Q",
       {S::kRequeueExitsFieldNumber},
       apply::requeue_exits,
       "\"CODE ... EXCLUDE(CODE)\" exit codes that requeue"},
      {"-f",
       kWord,
       "-f",
       {S::kTransfersFieldNumber},
       apply::transfer,
       "\"LOCAL OP REMOTE\" copies a file; OP: > < << ><",
       "",
       true},
      {"-gpu",
       kWord,
       "-gpu",
       {S::kGpuFieldNumber},
       apply::gpu,
       "\"num=N:mode=shared|exclusive_process:j_exclusive=yes|no\""},
      {"-alloc_flags", kWord, "-alloc_flags", {}, apply::alloc_flags, "FLAGS kept, without effect here"},
  });
}

constexpr auto limit_options() {
  return std::to_array<SubmitOption>({
      {"-W",
       kWord,
       "-W",
       {limit(L::kRunSFieldNumber)},
       apply::run_time,
       "[HOURS:]MINUTES[/HOST|/MODEL] run time"},
      {"-c", kWord, "-c", {limit(L::kCpuSFieldNumber)}, apply::cpu, "[HOURS:]MINUTES[/HOST|/MODEL] CPU time"},
      {"-M",
       kWord,
       "-M",
       {limit(L::kMemoryKbFieldNumber)},
       apply::memory,
       "SIZE[!] memory; ! ends it at once"},
      {"-v", kWord, "-v", {limit(L::kSwapKbFieldNumber)}, apply::swap, "SIZE swap"},
      {"-S", kWord, "-S", {limit(L::kStackKbFieldNumber)}, apply::stack, "SIZE stack, each process"},
      {"-C", kWord, "-C", {limit(L::kCoreKbFieldNumber)}, apply::core, "SIZE core file, each process"},
      {"-D", kWord, "-D", {limit(L::kDataKbFieldNumber)}, apply::data, "SIZE data segment, each process"},
      {"-F", kWord, "-F", {limit(L::kFileKbFieldNumber)}, apply::file_size, "SIZE files, each process"},
      {"-p", kWord, "-p", {limit(L::kProcessesFieldNumber)}, apply::processes, "N processes"},
      {"-T", kWord, "-T", {limit(L::kThreadsFieldNumber)}, apply::threads, "N threads"},
      {"-wa",
       kWord,
       "-wa",
       {S::kWarningSignalFieldNumber},
       apply::warning_signal,
       "SIGNAL before the job is ended"},
      {"-wt",
       kWord,
       "-wt",
       {S::kWarningSecondsFieldNumber},
       apply::warning_time,
       "[HOURS:]MINUTES before the end it is sent"},
  });
}

constexpr auto place_options() {
  return std::to_array<SubmitOption>({
      {"-o",
       kWord,
       "-o",
       {S::kOutputFileFieldNumber, S::kOutputOverwriteFieldNumber},
       apply::output,
       "FILE output is added to; %J the job's id, %I its index"},
      {"-oo",
       kWord,
       "-o",
       {S::kOutputFileFieldNumber, S::kOutputOverwriteFieldNumber},
       apply::output_over,
       "FILE the same, overwritten"},
      {"-e",
       kWord,
       "-e",
       {S::kErrorFileFieldNumber, S::kErrorOverwriteFieldNumber},
       apply::errors,
       "FILE standard error is added to"},
      {"-eo",
       kWord,
       "-e",
       {S::kErrorFileFieldNumber, S::kErrorOverwriteFieldNumber},
       apply::errors_over,
       "FILE the same, overwritten"},
      {"-i", kWord, "-i", {S::kInputFileFieldNumber}, apply::input, "FILE standard input"},
      {"-is", kWord, "-i", {}, apply::input_spooled, "FILE standard input, copied when the job is submitted"},
      {"-cwd", kWord, "-cwd", {S::kAskedCwdFieldNumber}, apply::cwd, "DIRECTORY the job's working directory"},
      {"-outdir",
       kWord,
       "-outdir",
       {S::kOutputDirFieldNumber},
       apply::output_dir,
       "DIRECTORY the job's output directory"},
      {"-env",
       kWord,
       "-env",
       {},
       apply::environment,
       "\"all|none[,NAME][,NAME=VALUE][,~NAME]\" the job's environment",
       "",
       true},
      {"-L",
       kWord,
       "-L",
       {S::kLoginShellFieldNumber, S::kShellFieldNumber},
       apply::shell,
       "SHELL initialises the job's environment"},
      {"-E", kWord, "-E", {S::kPreExecFieldNumber}, apply::pre_exec, "COMMAND on the job's host before it"},
      {"-Ep",
       kWord,
       "-Ep",
       {S::kPostExecFieldNumber},
       apply::post_exec,
       "COMMAND on the job's host after it"},
      {"-a",
       kWord,
       "-a",
       {},
       apply::esubs,
       "\"TYPE ...\" runs esub.TYPE: openmpi, mpich, mpich2, intelmpi, srun, auto ..."},
      {"-u", kWord, "-u", {S::kMailUserFieldNumber}, apply::mail_user, "USER gets the job's mail"},
      {"-B", kFlag, "-B", {S::kMailAtStartFieldNumber}, apply::mail_start, "mail when the job starts"},
      {"-N",
       kFlag,
       "-N",
       {S::kMailReportFieldNumber},
       apply::mail_end,
       "mail when the job ends, the output goes to -o"},
      {"-I", kFlag, "-I", {}, apply::plain, "interactive: its output comes here"},
      {"-Ip", kFlag, "-I", {}, apply::terminal, "interactive, with a terminal"},
      {"-Is", kFlag, "-I", {}, apply::terminal_shell, "interactive, with a terminal as a shell has it"},
      {"-K", kFlag, "-K", {}, apply::waits, "waits for the job's end; exits as the job does"},
      {"-id", kFlag, "-id", {}, apply::id_only, "prints the job's id alone"},
      {"-json", kFlag, "-json", {}, apply::json, "prints JSON alone"},
      {"--verbose",
       kFlag,
       "--verbose",
       {},
       apply::verbose,
       "prints the job's limits, and options without effect"},
      {"-Zs",
       kFlag,
       "-Zs",
       {},
       apply::spool_command,
       "the script that is the command is copied when it is submitted"},
      {"-Z",
       kWord,
       "-Z",
       {S::kCommandFieldNumber, S::kScriptFieldNumber},
       apply::command,
       "COMMAND of the job (bmod)"},
  });
}

// Options of LSF that are refused by name.
constexpr auto other_options() {
  constexpr std::string_view kReserve = "advance reservations are not supported in this release";
  constexpr std::string_view kMulti =
      "not supported in this release: SNDJOBS_TO of the queue says which clusters may have the job";
  constexpr std::string_view kAffinity = "affinity is not supported in this release";
  constexpr std::string_view kCsm = "IBM Cluster System Manager (CSM) is not supported";
  constexpr std::string_view kX11 = "X11 forwarding is not supported; use ssh -X and bsub -Is";
  constexpr std::string_view kCheckpoint = "checkpointing is not supported in this release";
  constexpr std::string_view kData = "the LSF data manager is not supported";
  constexpr std::string_view kLater = "not supported in this release";
  constexpr std::string_view kFile =
      "submission files are not supported in this release; use a script with #BSUB lines";
  const auto word = [](std::string_view name, std::string_view why) {
    return SubmitOption{name, kWord, name, {}, nullptr, "", why};
  };
  const auto flag = [](std::string_view name, std::string_view why) {
    return SubmitOption{name, kFlag, name, {}, nullptr, "", why};
  };
  return std::to_array<SubmitOption>(
      {word("-U", kReserve),
       word("-sla", "service classes are not supported in this release"),
       word("-sp", "user-assigned job priorities are not supported in this release"),
       word("-ext", "external schedulers are not supported in this release"),
       word("-extsched", "external schedulers are not supported in this release"),
       word("-Lp", "license projects are not supported"),
       word("-clusters", kMulti),
       word("-hostfile", kLater),
       word("-k", kCheckpoint),
       word("-W+", kLater),
       word("-We", "estimated run times are not supported in this release; -W limits the run time"),
       word("-pack",
            "many submissions from one file are not supported in this release; submit an array with -J"),
       word("-network", kLater),
       word("-freq", kLater),
       word("-smt", kCsm),
       word("-cn_cu", kCsm),
       word("-cn_mem", kCsm),
       word("-ln_mem", kCsm),
       word("-ln_slots", kCsm),
       word("-core_isolation", kCsm),
       word("-jsm", kCsm),
       word("-step_cgroup", kCsm),
       word("-stage", kCsm),
       word("-nocsm", kCsm),
       word("-csm", kCsm),
       word("-data", kData),
       word("-datagrp", kData),
       word("-rcacct", kLater),
       word("-eptl", kLater),
       word("-ptl", kLater),
       word("-notify", kLater),
       word("-mig", "job migration is not supported in this release"),
       word("-s", "a signal for the end of the run window is not supported in this release"),
       word("-rnc", "resizable jobs are not supported in this release"),
       word("-jsdl", kFile),
       word("-jsdl_strict", kFile),
       word("-yaml", kFile),
       word("-aps", "absolute priorities are not supported in this release"),
       word("-Wep", "estimated run times are not supported in this release"),
       word("-affinity", kAffinity),
       flag("-ar", "resizable jobs are not supported in this release"),
       flag("-hl", "limits for each host are not supported in this release"),
       flag("-ul",
            "passing on your shell's limits is not supported in this release; give them with -C -D -F -M -S "
            "-v"),
       flag("-ti", kLater),
       flag("-Ne",
            "mail for failed jobs alone is not supported in this release; -N sends mail for every job"),
       flag("-tty", "not supported in this release; -Ip and -Is give a terminal on the job's first host"),
       flag("-datachk", kData),
       flag("-We+", "estimated run times are not supported in this release"),
       flag("-IS", kX11),
       flag("-ISp", kX11),
       flag("-ISs", kX11),
       flag("-IX", kX11),
       flag("-XF", kX11)});
}

// Joins the four tables at compile time, so that it costs bsub no time at its start.
template <std::size_t... sizes>
constexpr auto one_table(const std::array<SubmitOption, sizes>&... parts) {
  std::array<SubmitOption, (sizes + ...)> all;
  auto* next = all.begin();
  ((next = std::copy(parts.begin(), parts.end(), next)), ...);
  return all;
}
constexpr auto kSubmitOptions = one_table(job_options(), limit_options(), place_options(), other_options());

// Whether only bmod has the option.
bool of_bmod_alone(const SubmitOption& option) { return option.name == "-Z"; }

const SubmitOption* find(std::string_view name) {
  for (const auto& option : submit_options())
    if (option.name == name) return &option;
  return nullptr;
}

bool usable(const SubmitOption& option, SubmitForm form) {
  if (form == SubmitForm::bmod) return !option.fields.empty() || !option.not_there.empty();
  return !of_bmod_alone(option);
}

Error refusal(const std::string& where, std::string_view name, std::string_view why) {
  return usage_error(where + std::string(name) + ": " + std::string(why));
}

}  // namespace

std::span<const SubmitOption> submit_options() { return kSubmitOptions; }

Result<SplitWords> split_submit_words(const std::vector<std::string>& words, SubmitForm form,
                                      const std::string& where) {
  SplitWords split;
  std::size_t i = 0;
  for (; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (word == "--") {
      ++i;
      break;
    }
    if (word.size() < 2 || word[0] != '-') {
      if (form != SubmitForm::bmod) break;
      split.operands.push_back(word);
      continue;
    }
    OptionUse use;
    use.where = where;
    use.option = find(word);
    if (form == SubmitForm::bmod && word.ends_with('n') && !(use.option && usable(*use.option, form))) {
      const SubmitOption* const shorter = find(std::string_view(word).substr(0, word.size() - 1));
      use.reset = shorter && !shorter->fields.empty();
      if (use.reset) use.option = shorter;
    }
    if (use.option && !usable(*use.option, form))
      return refusal(where, word,
                     form == SubmitForm::bmod ? "bmod has no such option, only bsub has it"
                                              : "bsub has no such option, only bmod has it");
    if (!use.option) {
      const SubmitOption* const letter = find(std::string_view(word).substr(0, 2));
      if (!letter || letter->value == kFlag || !usable(*letter, form) || word.size() == 2)
        return refusal(
            where, word,
            form == SubmitForm::bmod ? "unknown option; see \"bmod -h\"" : "unknown option; see \"bsub -h\"");
      use.option = letter;
      use.value = word.substr(2);
    } else if (!use.reset && use.option->value == kWord) {
      if (i + 1 == words.size()) return refusal(where, word, "option requires a value");
      use.value = words[++i];
    }
    if (!use.option->not_there.empty()) return refusal(where, use.option->name, use.option->not_there);
    split.options.push_back(std::move(use));
  }
  split.operands.insert(split.operands.end(), words.begin() + static_cast<std::ptrdiff_t>(i), words.end());
  if (form == SubmitForm::script_line && !split.operands.empty())
    return usage_error(where + "found \"" + split.operands.front() + "\", expected an option");
  return split;
}

}  // namespace rollcall::sched::submit
