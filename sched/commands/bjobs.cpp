// bjobs: shows jobs. bjobs(1). Parts of the answer are printed as they come, so that any number of jobs takes no room.
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "sched/client/questions.hpp"
#include "sched/commands/asking.hpp"
#include "sched/commands/job_printers.hpp"
#include "sched/commands/patient_printer.hpp"
#include "sched/commands/query_commands.hpp"
#include "sched/policy/show/job_arguments.hpp"
#include "sched/policy/show/job_picks.hpp"
#include "sched/policy/values/job.hpp"

namespace rollcall::sched {
namespace {

using Value = CommandOption::Value;

// -a, -d, -p, -r, -s, and what bjobs says where none fits.
show::JobChoice take_statuses(const CommandWords& words, bool by_id, wire::JobFilter& filter) {
  show::JobChoice choice = by_id ? show::JobChoice::any : show::JobChoice::unfinished;
  const auto add = [&](show::JobChoice which, std::initializer_list<wire::JobStatus> statuses) {
    for (const auto status : statuses) filter.add_statuses(status);
    choice = filter.statuses_size() > static_cast<int>(statuses.size()) ? show::JobChoice::named : which;
  };
  if (words.has("-a")) {
    filter.set_finished_too(true);
    return show::JobChoice::any;
  }
  const auto any_of = [&words](std::initializer_list<const char*> options) {
    return std::any_of(options.begin(), options.end(), [&](const char* option) { return words.has(option); });
  };
  const bool pend = any_of({"-p", "-p0", "-p1", "-p2", "-p3", "-pe", "-pi", "-psum"});
  if (words.has("-d")) add(show::JobChoice::finished, {wire::STATUS_DONE, wire::STATUS_EXIT});
  if (pend) add(show::JobChoice::pending, {wire::STATUS_PEND, wire::STATUS_PSUSP, wire::STATUS_WAIT});
  if (words.has("-r")) add(show::JobChoice::running, {wire::STATUS_RUN, wire::STATUS_PROV});
  if (words.has("-s"))
    add(show::JobChoice::suspended, {wire::STATUS_PSUSP, wire::STATUS_SSUSP, wire::STATUS_USUSP});
  return choice;
}

// -pe, -pi, -x, -fwd, -rusage.
show::JobPicks picks_of(const CommandWords& words) {
  show::JobPicks picks;
  picks.eligible = words.has("-pe");
  picks.ineligible = words.has("-pi");
  picks.exceptional = words.has("-x");
  picks.forwarded = words.has("-fwd");
  picks.reserves = show::resource_words(words.value("-rusage").value_or(""));
  return picks;
}

struct Form {
  std::unique_ptr<JobPrinter> printer;
  bool submissions = false, reasons = false, scripts = false, environments = false;
  bool reason_hosts = false;  // by name
  bool sums = false;
};

bool asks_for_reasons(const CommandWords& words) {
  for (const char* option : {"-p", "-s", "-p1", "-p2", "-p3", "-pe", "-pi"})
    if (words.has(option)) return true;
  return false;
}

show::ReasonForm reason_form(const CommandWords& words, show::ReasonForm plain) {
  if (words.has("--why") || words.has("-why")) return show::ReasonForm::words;
  if (words.has("--no-why") || isatty(STDOUT_FILENO) == 0) return plain;
  return show::ReasonForm::words;
}

std::optional<std::string> format_of(io::Stage& stage, const CommandWords& words) {
  if (const auto given = words.value("-o")) return given;
  for (const char* form : {"-w", "-W", "-A", "-p", "-s", "-pe", "-pi", "-WF", "-WL", "-WP"})
    if (words.has(form))
      return words.has("-json") ? std::optional<std::string>(show::kDefaultJobFields) : std::nullopt;
  const std::string standard = own_or("LSB_BJOBS_FORMAT", programs(stage).bjobs_format);
  if (!standard.empty()) return standard;
  return words.has("-json") ? std::optional<std::string>(show::kDefaultJobFields) : std::nullopt;
}

// None: the error was printed.
using Made = std::optional<Form>;

Made refused_form(io::Stage& stage, const std::string& text) {
  stage.fail(text);
  return std::nullopt;
}

// -script, -env: of jobs that are named, since they are nobody's but their owner's.
Made text_form(io::Stage& stage, const CommandWords& words, bool by_id) {
  const char* option = words.has("-script") ? "-script" : "-env";
  for (const char* other : {"-l", "-UF", "-o", "-json", "-sum", "-psum"})
    if (words.has(other))
      return refused_form(stage,
                          std::string("found ") + option + " with " + other + ", expected one of them");
  if (!by_id) return refused_form(stage, std::string(option) + ": found no job, expected the ID of one");
  Form form;
  form.scripts = words.has("-script");
  form.environments = !form.scripts;
  form.printer = texts_printer(form.scripts ? JobText::script : JobText::environment);
  return form;
}

Made block_form(io::Stage& stage, const CommandWords& words) {
  for (const char* other : {"-o", "-json"})
    if (words.has(other))
      return refused_form(stage, std::string("found -l or -UF with ") + other + ", expected one of them");
  Form form;
  const show::ReasonForm reasons = reason_form(words, show::ReasonForm::named);
  form.printer = blocks_printer(
      {words.has("-UF") ? show::Wrapping::none : show::Wrapping::at_80, reasons, words.has("-gpu")},
      show_time());
  form.submissions = form.reasons = true;
  form.reason_hosts = reasons == show::ReasonForm::named;
  return form;
}

Made field_form(io::Stage& stage, const CommandWords& words, const std::string& format) {
  auto fields = show::JobFields::parse(
      format, {words.has("-hms"), own_or("LSB_UNIT_FOR_JOBS_DISPLAY", programs(stage).jobs_unit)});
  if (!fields) return refused_form(stage, fields.error().text);
  Form form;
  form.submissions = fields->needs_submissions();
  form.reasons = fields->needs_reasons();
  form.printer = words.has("-json")
                     ? json_printer(std::move(*fields), show_time())
                     : fields_printer(std::move(*fields), !words.has("-noheader"), show_time());
  return form;
}

Made row_form(io::Stage& stage, const CommandWords& words) {
  RowsForm rows;
  rows.form = words.has("-A")   ? show::JobForm::arrays
              : words.has("-W") ? show::JobForm::full
              : words.has("-fwd")
                  ? (words.has("-w") ? show::JobForm::forwarded_wide : show::JobForm::forwarded)
              : words.has("-w") ? show::JobForm::wide
                                : show::JobForm::narrow;
  rows.header = !words.has("-noheader");
  if (asks_for_reasons(words)) rows.reasons = reason_form(words, show::ReasonForm::counted);
  Form form;
  form.reasons = rows.reasons.has_value();
  for (const auto& [option, field] :
       {std::pair("-WF", "finish_time"), {"-WL", "time_left"}, {"-WP", "%complete"}}) {
    if (!words.has(option)) continue;
    auto more = show::JobFields::parse(field, {words.has("-hms"), ""});
    if (!more) return refused_form(stage, more.error().text);
    rows.more = std::move(*more);
    form.submissions = true;
  }
  form.printer = rows_printer(std::move(rows), show_time());
  return form;
}

Made form_of(io::Stage& stage, const CommandWords& words, bool by_id) {
  // As LSF has it. A finished job is in no other cluster any more, and an array's elements are forwarded one by one.
  for (const char* other : {"-A", "-d", "-x"})
    if (words.has("-fwd") && words.has(other))
      return refused_form(stage, std::string("-fwd cannot be combined with ") + other);
  if (words.has("-script") || words.has("-env")) return text_form(stage, words, by_id);
  if (words.has("-l") || words.has("-UF")) return block_form(stage, words);
  if (words.has("-gpu")) return refused_form(stage, "found -gpu alone, expected -l or -UF with it");
  Form form;
  if (words.has("-psum")) {
    form.printer = reasons_printer(stage.files().settings.cluster, show_time());
    form.reasons = form.reason_hosts = true;
    return form;
  }
  if (words.has("-sum")) {
    form.printer = slots_printer();
    form.sums = true;
    return form;
  }
  if (const auto format = format_of(stage, words)) return field_form(stage, words, *format);
  return row_form(stage, words);
}

bool unfinished(const show::JobView& job) {
  return job.record().status() != wire::STATUS_DONE && job.record().status() != wire::STATUS_EXIT;
}

// What came of it.
struct Seen {
  std::size_t jobs = 0;
  std::size_t unfinished = 0;
  std::vector<std::string> unknown;
};

// What is done to each job before it is printed.
struct Choosing {
  show::JobPicks picks;
  bool key_reason = false;      // -p1
  std::optional<double> speed;  // -N
  WallTime now;

  // False: it is left out.
  bool take(show::JobView& job, const wire::Submission& asked) const {
    if (picks.any() && !picks.keep(job, asked, now)) return false;
    if (key_reason) show::keep_key_reason(job);
    auto& record = *job.mutable_record();
    if (speed && record.has_usage()) show::at_speed(*record.mutable_usage(), record.cpu_factor(), *speed);
    return true;
  }
};

std::string printed(show::JobView& job, const wire::Submission& asked, const Choosing& choosing,
                    JobPrinter& printer, Seen& seen) {
  if (!choosing.take(job, asked)) return "";
  std::string text;
  if (seen.jobs++ == 0) text += printer.header();
  if (unfinished(job)) ++seen.unfinished;
  return text + printer.job(job, asked);
}

std::optional<client::Failure> print_jobs(PatientPrinter& out, client::Session& session,
                                          wire::AskJobs question, const Choosing& choosing,
                                          JobPrinter& printer, Seen& seen) {
  std::string text;
  client::JobTaker taker;
  taker.job = [&](show::JobView& job, const wire::Submission& asked) {
    text += printed(job, asked, choosing, printer, seen);
  };
  taker.part_over = [&](const wire::BatchReply::Jobs& part) {
    printer.add(part.sums());
    seen.jobs += part.sums().jobs();
    seen.unfinished += part.sums().unfinished();
    for (const auto& id : part.unknown()) seen.unknown.push_back(id);
    out.print(std::exchange(text, {}));
  };
  return client::ask_jobs(session, std::move(question), taker);
}

int say_the_rest(io::Stage& stage, const CommandWords& words, JobPrinter& printer, show::JobChoice choice,
                 const Seen& seen) {
  const auto lines = printer.unknown(seen.unknown);
  if (seen.jobs > 0 || printer.even_if_none()) stage.print(printer.end());
  // One known job makes it a success: programs that poll many jobs would lose all of them to a failure.
  const bool strict = own_or("LSB_BJOBS_CONSISTENT_EXIT_CODE", programs(stage).consistent_exit);
  int status = !seen.unknown.empty() && (strict || seen.jobs == 0) ? io::kFailed : 0;
  for (const auto& line : lines) complain(line);
  if (seen.jobs == 0 && seen.unknown.empty() && !printer.even_if_none())
    complain(words.has("-J") ? "Job <" + *words.value("-J") + "> is not found" : show::no_job_text(choice));
  if (strict && seen.unfinished == 0) status = io::kFailed;
  return status;
}

int run_bjobs(io::Stage& stage, const CommandWords& words) {
  wire::AskJobs ask;
  auto& filter = *ask.mutable_filter();
  const auto ids = show::take_job_ids(words.operands(), own_job(), filter);
  if (!ids) return complain(ids.error().text);
  take_job_options(words, filter);
  filter.set_project(words.value("-P").value_or(""));
  filter.set_user_group(words.value("-G").value_or(""));
  const bool by_id = ids->any && !ids->all;
  // As LSF has it: the reasons are summed up for the whole cluster.
  if (words.has("-psum") && !by_id && !words.has("-u")) filter.set_user("all");
  Choosing choosing{picks_of(words), words.has("-p1"), std::nullopt, show_time().now};
  const show::JobChoice by_status = take_statuses(words, by_id, filter);
  const show::JobChoice choice = choosing.picks.any() ? show::JobChoice::named : by_status;
  auto form = form_of(stage, words, by_id);
  if (!form) return io::kFailed;
  ask.set_submissions(form->submissions || choosing.picks.any());
  ask.set_reasons(form->reasons);
  ask.set_shared_reasons(true);
  ask.set_reason_hosts(form->reason_hosts);
  ask.set_sums(form->sums && !choosing.picks.any());
  ask.set_scripts(form->scripts);
  ask.set_environments(form->environments);
  ask.set_arrays(words.has("-A"));
  ask.set_history(by_id && own_or("ROLLCALL_BJOBS_HISTORY", programs(stage).bjobs_history));

  auto session = client_of(stage);
  if (!session) return io::kFailed;
  if (const auto name = words.value("-N")) {
    choosing.speed = told_speed(stage, *session, *name);
    if (!choosing.speed) return io::kFailed;
  }
  Seen seen;
  using Bytes = PatientPrinter::Bytes;
  // The user's own script and environment, as they are.
  PatientPrinter out(stage, form->scripts || form->environments ? Bytes::as_they_are : Bytes::harmless);
  const auto failure = print_jobs(out, *session, std::move(ask), choosing, *form->printer, seen);
  session.reset();
  out.finish();
  if (failure && failure->refusal.why() != wire::BatchReply::Refusal::NO_JOB) return failed(stage, *failure);
  return say_the_rest(stage, words, *form->printer, choice, seen);
}

// Options of LSF's bjobs for which there is no data here.
std::vector<RefusedOptions> refused_options() {
  return {{"-aff", "jobs are not bound to processors or memory; lshosts -T shows what hosts have"},
          {"-aps -prio", "jobs have no priority of their own; bqueues shows that of their queue"},
          {"-cname", "hosts of other clusters have theirs in their names: HOST@CLUSTER"},
          {"-data", "no data is staged for jobs"},
          {"-hostfile", "bsub has no -hostfile"},
          {"-Lp", "license projects are not there"},
          {"-plan", "starts are not planned ahead"},
          {"-ss", "there is no session scheduler"},
          {"-U", "nothing is reserved in advance"},
          {"-I", "bjobs -o \"jobid interactive\" says which jobs are interactive"}};
}

}  // namespace

io::Command bjobs_command() {
  io::Command command{
      {"bjobs", "[job_id | job_id[index_list] ...]", job_options(), CommandShape::Order::anywhere,
       "Shows jobs: unless it is said otherwise, your own that are not finished."},
      run_bjobs,
      {}};
  const std::vector<CommandOption> own{
      {"-P", Value::required, "PROJECT jobs of this project"},
      {"-G", Value::required, "USER_GROUP jobs submitted with this user group"},
      {"-a", Value::none, "finished jobs too"},
      {"-d", Value::none, "jobs that have finished lately"},
      {"-p", Value::none, "pending jobs, with the reasons"},
      {"-p0", Value::none, "pending jobs, without the reasons"},
      {"-p1", Value::none, "pending jobs, with the key reason of each alone"},
      {"-p2", Value::none, "as -p"},
      {"-p3", Value::none, "as -p"},
      {"-pe", Value::none, "pending jobs that may be scheduled, with the reasons"},
      {"-pi", Value::none, "pending jobs that may not: held, too early, or by what they depend on"},
      {"-psum", Value::none, "each reason of pending jobs once: for how many jobs and hosts it holds"},
      {"-r", Value::none, "running jobs"},
      {"-s", Value::none, "suspended jobs, with the reasons"},
      {"-rusage", Value::required, "NAMES jobs that reserve each of these resources: \"mem,swp\""},
      {"-x", Value::none, "jobs that run longer or idler than their queue expects (JOB_OVERRUN, JOB_IDLE)"},
      {"-fwd", Value::none, "jobs that are in another cluster"},
      {"-A", Value::none, "a row for each job array"},
      {"-sum", Value::none, "the slots of these jobs, by state"},
      {"-X", Value::none, "hosts of condensed groups by name: they are always shown so"},
      {"-l", Value::none, "everything that is known, a block for each job"},
      {"-UF", Value::none, "the same without wrapped lines"},
      {"-w", Value::none, "wide: nothing is cut"},
      {"-W", Value::none, "wide, with project, usage and times"},
      {"-WF", Value::none, "with when they end: L by the run limit"},
      {"-WL", Value::none, "with the time that is left of the run limit"},
      {"-WP", Value::none, "with how much of the run limit has passed"},
      {"-gpu", Value::none, "with -l or -UF: GPUs asked for and given"},
      {"-script", Value::none, "what is run for this job of yours"},
      {"-env", Value::none, "the environment that this job of yours was submitted with"},
      {"-N", Value::required, "HOST|MODEL|FACTOR CPU times as they would be at this speed; else as measured"},
      {"-o", Value::required, "FORMAT these fields: \"jobid stat:6 exec_host:-20 mem:10:G delimiter='^'\""},
      {"-hms", Value::none, "with -o: times as hh:mm:ss"},
      {"-noheader", Value::none, "no header line"},
      {"--why", Value::none, "reasons in words to act on (the default on a terminal)"},
      {"-why", Value::none, "the same"},
      {"--no-why", Value::none, "reasons in LSF's words"},
      {"-json", Value::none, "print JSON"}};
  command.shape.options.insert(command.shape.options.end(), own.begin(), own.end());
  command.shape.refused = refused_options();
  return command;
}

}  // namespace rollcall::sched
