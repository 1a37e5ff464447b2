// bjobs: shows jobs. bjobs(1). Parts of the answer are printed as they come, so that any number of jobs takes no room.
#include <unistd.h>

#include <algorithm>
#include <memory>

#include "sched/commands/asking.hpp"
#include "sched/commands/patient_printer.hpp"
#include "sched/commands/query_commands.hpp"
#include "sched/policy/ask_words.hpp"
#include "sched/policy/job.hpp"
#include "sched/policy/show_job_fields.hpp"
#include "sched/policy/show_job_long.hpp"

namespace rollcall::sched {
namespace {

using Value = CommandOption::Value;

// What is printed for each job, and before and behind them all.
class Printer {
 public:
  virtual ~Printer() = default;
  virtual std::string header() { return ""; }
  virtual std::string job(const JobView& job, const wire::Submission& asked) = 0;
  // Ids that are not there; gives what is left to say on standard error.
  virtual std::vector<std::string> unknown(const std::vector<std::string>& ids) {
    std::vector<std::string> lines;
    for (const auto& id : ids) lines.push_back("Job <" + id + "> is not found");
    return lines;
  }
  virtual std::string end() { return ""; }
  virtual bool even_if_none() const { return false; }
};

class Rows final : public Printer {
 public:
  Rows(JobForm form, std::optional<ReasonForm> reasons, bool header, ShowTime time)
      : form_(form), reasons_(reasons), header_(header), time_(std::move(time)) {}
  std::string header() override { return header_ ? jobs_header(form_) : ""; }
  std::string job(const JobView& job, const wire::Submission& asked) override {
    std::string text = job_row(job, asked, form_, time_);
    return reasons_ ? text + reason_lines(job, *reasons_) : text;
  }

 private:
  JobForm form_;
  std::optional<ReasonForm> reasons_;
  bool header_;
  ShowTime time_;
};

class Blocks final : public Printer {
 public:
  Blocks(Wrapping wrapping, ReasonForm reasons, ShowTime time)
      : wrapping_(wrapping), reasons_(reasons), time_(std::move(time)) {}
  std::string job(const JobView& job, const wire::Submission& asked) override {
    const std::string text = job_block(job, asked, wrapping_, reasons_, time_);
    return std::exchange(first_, false) ? text : std::string(78, '-') + "\n" + text;
  }

 private:
  Wrapping wrapping_;
  ReasonForm reasons_;
  ShowTime time_;
  bool first_ = true;
};

class Fields final : public Printer {
 public:
  Fields(JobFields fields, bool header, ShowTime time)
      : fields_(std::move(fields)), header_(header), time_(std::move(time)) {}
  std::string header() override { return header_ ? fields_.header() : ""; }
  std::string job(const JobView& job, const wire::Submission& asked) override {
    return fields_.line(job, asked, time_);
  }

 private:
  JobFields fields_;
  bool header_;
  ShowTime time_;
};

class Json final : public Printer {
 public:
  Json(JobFields fields, ShowTime time) : fields_(std::move(fields)), time_(std::move(time)) {}
  std::string job(const JobView& job, const wire::Submission& asked) override {
    records_.push_back(fields_.json(job, asked, time_));
    return "";
  }
  std::vector<std::string> unknown(const std::vector<std::string>& ids) override {
    for (const auto& id : ids)
      records_.push_back(json_record({{"JOBID", id}, {"ERROR", "Job <" + id + "> is not found"}}));
    return {};
  }
  std::string end() override { return json_document("bjobs", "JOBS", records_); }
  bool even_if_none() const override { return true; }

 private:
  JobFields fields_;
  ShowTime time_;
  std::vector<std::string> records_;
};

// -sum: slots by state.
class Totals final : public Printer {
 public:
  std::string job(const JobView& job, const wire::Submission& asked) override {
    std::uint32_t slots = 0;
    for (const auto& host : job.record().hosts()) slots += host.slots();
    const std::uint32_t wanted = std::max(1U, asked.min_slots());
    totals_.add(job.record().status(), pending(job.record().status()) ? wanted : slots);
    return "";
  }
  std::string end() override { return totals_.table(); }
  bool even_if_none() const override { return true; }

 private:
  SlotTotals totals_;
};

// -a, -d, -p, -r, -s, and what bjobs says where none fits.
JobChoice take_statuses(const CommandWords& words, bool by_id, wire::JobFilter& filter) {
  JobChoice choice = by_id ? JobChoice::any : JobChoice::unfinished;
  const auto add = [&](JobChoice which, std::initializer_list<wire::JobStatus> statuses) {
    for (const auto status : statuses) filter.add_statuses(status);
    choice = filter.statuses_size() > static_cast<int>(statuses.size()) ? JobChoice::named : which;
  };
  if (words.has("-a")) {
    filter.set_finished_too(true);
    return JobChoice::any;
  }
  const bool pend =
      words.has("-p") || words.has("-p0") || words.has("-p1") || words.has("-p2") || words.has("-p3");
  if (words.has("-d")) add(JobChoice::finished, {wire::STATUS_DONE, wire::STATUS_EXIT});
  if (pend) add(JobChoice::pending, {wire::STATUS_PEND, wire::STATUS_PSUSP, wire::STATUS_WAIT});
  if (words.has("-r")) add(JobChoice::running, {wire::STATUS_RUN, wire::STATUS_PROV});
  if (words.has("-s"))
    add(JobChoice::suspended, {wire::STATUS_PSUSP, wire::STATUS_SSUSP, wire::STATUS_USUSP});
  return choice;
}

struct Form {
  std::unique_ptr<Printer> printer;
  bool submissions = false, reasons = false;
};

bool asks_for_reasons(const CommandWords& words) {
  return words.has("-p") || words.has("-s") || words.has("-p1") || words.has("-p2") || words.has("-p3");
}

ReasonForm reason_form(const CommandWords& words, ReasonForm plain) {
  if (words.has("--why") || words.has("-why")) return ReasonForm::words;
  if (words.has("--no-why") || isatty(STDOUT_FILENO) == 0) return plain;
  return ReasonForm::words;
}

std::optional<std::string> format_of(io::Stage& stage, const CommandWords& words) {
  if (const auto given = words.value("-o")) return given;
  for (const char* form : {"-w", "-W", "-A", "-p", "-s"})
    if (words.has(form))
      return words.has("-json") ? std::optional<std::string>(kDefaultJobFields) : std::nullopt;
  const std::string standard = setting(stage, "LSB_BJOBS_FORMAT");
  if (!standard.empty()) return standard;
  return words.has("-json") ? std::optional<std::string>(kDefaultJobFields) : std::nullopt;
}

// Nothing where the format cannot be meant; it was said then.
std::optional<Form> form_of(io::Stage& stage, const CommandWords& words) {
  const ShowTime time = show_time();
  const bool header = !words.has("-noheader");
  Form form;
  if (words.has("-l") || words.has("-UF")) {
    for (const char* other : {"-o", "-json"})
      if (words.has(other)) {
        stage.fail(std::string("found -l or -UF with ") + other + ", expected one of them");
        return std::nullopt;
      }
    form.printer = std::make_unique<Blocks>(words.has("-UF") ? Wrapping::none : Wrapping::at_80,
                                            reason_form(words, ReasonForm::named), time);
    form.submissions = form.reasons = true;
    return form;
  }
  if (words.has("-sum")) {
    form.printer = std::make_unique<Totals>();
    form.submissions = true;
    return form;
  }
  if (const auto format = format_of(stage, words)) {
    auto fields = JobFields::parse(*format, {words.has("-hms"), setting(stage, "LSB_UNIT_FOR_JOBS_DISPLAY")});
    if (!fields) {
      stage.fail(fields.error().text);
      return std::nullopt;
    }
    form.submissions = fields->needs_submissions();
    form.reasons = fields->needs_reasons();
    if (words.has("-json"))
      form.printer = std::make_unique<Json>(std::move(*fields), time);
    else
      form.printer = std::make_unique<Fields>(std::move(*fields), header, time);
    return form;
  }
  form.reasons = asks_for_reasons(words);
  const JobForm rows = words.has("-A")   ? JobForm::arrays
                       : words.has("-W") ? JobForm::full
                       : words.has("-w") ? JobForm::wide
                                         : JobForm::narrow;
  const auto reasons = form.reasons ? std::optional(reason_form(words, ReasonForm::counted)) : std::nullopt;
  form.printer = std::make_unique<Rows>(rows, reasons, header, time);
  return form;
}

bool unfinished(const JobView& job) {
  return job.record().status() != wire::STATUS_DONE && job.record().status() != wire::STATUS_EXIT;
}

// What came of it.
struct Seen {
  std::size_t jobs = 0;
  std::size_t unfinished = 0;
  std::vector<std::string> unknown;
};

std::optional<io::BatchError> print_jobs(PatientPrinter& out, io::BatchClient& client,
                                         const wire::BatchRequest& request, Printer& printer, Seen& seen) {
  SubmissionTable submissions;
  return client.ask(request, [&](wire::BatchReply& part) {
    submissions.take(*part.mutable_jobs());
    std::string text;
    for (const auto& job : part.jobs().jobs()) {
      if (seen.jobs++ == 0) text += printer.header();
      if (unfinished(job)) ++seen.unfinished;
      text += printer.job(job, submissions.of(job));
    }
    for (const auto& id : part.jobs().unknown()) seen.unknown.push_back(id);
    out.print(std::move(text));
  });
}

bool is_yes(const std::string& value) { return value == "Y" || value == "y"; }

int say_the_rest(io::Stage& stage, const CommandWords& words, Printer& printer, JobChoice choice,
                 const Seen& seen) {
  const auto lines = printer.unknown(seen.unknown);
  if (seen.jobs > 0 || printer.even_if_none()) stage.print(printer.end());
  int status = seen.unknown.empty() ? 0 : io::kFailed;
  for (const auto& line : lines) complain(line);
  if (seen.jobs == 0 && seen.unknown.empty() && !printer.even_if_none())
    complain(words.has("-J") ? "Job <" + *words.value("-J") + "> is not found" : no_job_text(choice));
  if (is_yes(setting(stage, "LSB_BJOBS_CONSISTENT_EXIT_CODE")) && seen.unfinished == 0) status = io::kFailed;
  return status;
}

int run_bjobs(io::Stage& stage, const CommandWords& words) {
  wire::BatchRequest request;
  auto& ask = *request.mutable_jobs();
  auto& filter = *ask.mutable_filter();
  const auto ids = take_job_ids(words.operands(), filter);
  if (!ids) return complain(ids.error().text);
  take_job_options(words, filter);
  filter.set_project(words.value("-P").value_or(""));
  filter.set_user_group(words.value("-G").value_or(""));
  const bool by_id = ids->any && !ids->all;
  const JobChoice choice = take_statuses(words, by_id, filter);
  auto form = form_of(stage, words);
  if (!form) return io::kFailed;
  ask.set_submissions(form->submissions);
  ask.set_reasons(form->reasons);
  ask.set_arrays(words.has("-A"));
  ask.set_history(by_id && is_yes(setting(stage, "ROLLCALL_BJOBS_HISTORY")));

  auto client = client_of(stage);
  if (!client) return io::kFailed;
  Seen seen;
  PatientPrinter out(stage);
  const auto error = print_jobs(out, *client, request, *form->printer, seen);
  client.reset();
  out.finish();
  if (error && error->refusal.why() != wire::BatchReply::Refusal::NO_JOB) return failed(stage, *error);
  return say_the_rest(stage, words, *form->printer, choice, seen);
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
      {"-p1", Value::none, "as -p"},
      {"-p2", Value::none, "as -p"},
      {"-p3", Value::none, "as -p"},
      {"-r", Value::none, "running jobs"},
      {"-s", Value::none, "suspended jobs, with the reasons"},
      {"-A", Value::none, "a row for each job array"},
      {"-sum", Value::none, "the slots of these jobs, by state"},
      {"-X", Value::none, "hosts of condensed groups by name: they are always shown so"},
      {"-l", Value::none, "everything that is known, a block for each job"},
      {"-UF", Value::none, "the same without wrapped lines"},
      {"-w", Value::none, "wide: nothing is cut"},
      {"-W", Value::none, "wide, with project, usage and times"},
      {"-o", Value::required, "FORMAT these fields: \"jobid stat:6 exec_host:-20 mem:10:G delimiter='^'\""},
      {"-hms", Value::none, "with -o: times as hh:mm:ss"},
      {"-noheader", Value::none, "no header line"},
      {"--why", Value::none, "reasons in words to act on (the default on a terminal)"},
      {"-why", Value::none, "the same"},
      {"--no-why", Value::none, "reasons in LSF's words"},
      {"-json", Value::none, "print JSON"}};
  command.shape.options.insert(command.shape.options.end(), own.begin(), own.end());
  return command;
}

}  // namespace rollcall::sched
