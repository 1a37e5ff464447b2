// bhist: what happened to jobs, and how long they were in which state. bhist(1). From mbatchd's store: jobs that left
// its memory too; with -f from a file.
#include <algorithm>

#include "common/base/host_list.hpp"
#include "common/base/numbers.hpp"
#include "sched/client/questions.hpp"
#include "sched/commands/asking.hpp"
#include "sched/commands/event_file.hpp"
#include "sched/commands/query_commands.hpp"
#include "sched/policy/show/job_arguments.hpp"
#include "sched/policy/show/show_gpus.hpp"
#include "sched/policy/show/show_history.hpp"

namespace rollcall::sched {
namespace {

using Value = CommandOption::Value;

// -a -d -e -p -r -s; unless ids are given those that are not finished.
bool chosen(const CommandWords& words, bool by_id, const show::JobHistory& job) {
  const auto status = job.status;
  const auto one_of = [status](std::initializer_list<wire::JobStatus> list) {
    return std::find(list.begin(), list.end(), status) != list.end();
  };
  const bool any_choice =
      words.has("-d") || words.has("-e") || words.has("-p") || words.has("-r") || words.has("-s");
  if (words.has("-a") || ((by_id || words.has("-t")) && !any_choice)) return true;
  if (!any_choice) return !finished(status);
  return (words.has("-d") && finished(status)) || (words.has("-e") && status == wire::STATUS_EXIT) ||
         (words.has("-p") && pending(status)) || (words.has("-r") && status == wire::STATUS_RUN) ||
         (words.has("-s") && one_of({wire::STATUS_PSUSP, wire::STATUS_SSUSP, wire::STATUS_USUSP}));
}

bool within(const show::TimeSpan& span, std::int64_t at) {
  return (span.from_us == 0 || at >= span.from_us) && (span.to_us == 0 || at <= span.to_us);
}

std::int64_t first_time(const show::JobHistory& job, wire::JobEvent::WhatCase what) {
  for (const auto& event : job.events)
    if (event.what_case() == what) return event.at_us();
  return 0;
}

bool on_host(const show::JobHistory& job, const std::string& host) {
  return host.empty() || std::any_of(job.events.begin(), job.events.end(), [&](const wire::JobEvent& event) {
           return event.has_start() &&
                  std::any_of(event.start().hosts().begin(), event.start().hosts().end(),
                              [&](const wire::ExecHost& there) { return there.name() == host; });
         });
}

// -S, -D, -C: when it was submitted, dispatched, completed.
struct Spans {
  std::optional<show::TimeSpan> submitted, dispatched, completed;
};
Result<Spans> spans_of(const CommandWords& words, const show::ShowTime& time) {
  Spans spans;
  struct Option {
    const char* name;
    std::optional<show::TimeSpan>* span;
  };
  for (const Option& option :
       {Option{"-S", &spans.submitted}, {"-D", &spans.dispatched}, {"-C", &spans.completed}}) {
    const auto word = words.value(option.name);
    if (!word) continue;
    const auto span = show::parse_time_span(*word, time.now, time.local);
    if (!span) return usage_error(std::string(option.name) + ": " + span.error().text);
    *option.span = *span;
  }
  return spans;
}
bool fits(const Spans& spans, const show::JobHistory& job) {
  const auto in = [](const std::optional<show::TimeSpan>& span, std::int64_t at) {
    return !span || (at > 0 && within(*span, at));
  };
  return in(spans.submitted, first_time(job, wire::JobEvent::kNewJob)) &&
         in(spans.dispatched, first_time(job, wire::JobEvent::kStart)) && in(spans.completed, job.end_us);
}

constexpr std::int64_t kWeek = 7LL * 86400 * 1'000'000;  // -t without -T

int print(io::Stage& stage, const CommandWords& words, const std::vector<show::JobHistory>& jobs,
          const std::optional<show::TimeSpan>& during, const show::ShowTime& time) {
  if (words.has("-json")) {
    std::vector<std::string> records;
    for (const auto& job : jobs) records.push_back(show::history_record(job, time.now));
    return stage.print(show::json_document("bhist", "JOBS", records));
  }
  const show::Wrapping wrapping = words.has("-UF") ? show::Wrapping::none : show::Wrapping::at_80;
  if (words.has("-t")) {
    const show::TimeSpan span = during.value_or(show::TimeSpan{time.now.us - kWeek, 0});
    return stage.print(show::history_by_time(jobs, span.from_us, span.to_us, wrapping, time));
  }
  const bool blocks = (words.has("-l") || words.has("-UF")) && !words.has("-b");
  std::string text = blocks ? "" : show::history_header();
  for (const auto& job : jobs) {
    if (!blocks)
      text += show::history_row(job, words.has("-w"), time.now);
    else
      text += (text.empty() ? "" : std::string(78, '-') + "\n") + show::history_block(job, wrapping, time) +
              (words.has("-gpu") ? show::gpu_allocation(show::gpus_of(job)) : "");
  }
  return stage.print(text);
}

// The named jobs that have no event.
int say_unknown(const wire::JobFilter& filter, const std::vector<show::JobHistory>& jobs) {
  int status = 0;
  for (const auto& key : filter.keys()) {
    const bool there = std::any_of(jobs.begin(), jobs.end(), [&](const show::JobHistory& job) {
      return job.key.id == key.id() && (key.index() == 0 || job.key.index == key.index());
    });
    if (!there) status = complain("Job <" + text(key_of(key)) + "> is not found");
  }
  return status;
}

// -n: how many event files LSF is to look at: a number or two of them. The store has what they all have.
bool counts_files(const std::string& word) {
  const auto comma = word.find(',');
  const auto count = [](std::string_view part) { return parse_whole(part, 0, 1'000'000).has_value(); };
  if (comma == std::string::npos) return count(word);
  return count(word.substr(0, comma)) && (comma + 1 == word.size() || count(word.substr(comma + 1)));
}

// False: the error was printed.
bool files_are_counted(io::Stage& stage, const CommandWords& words) {
  const auto number = words.value("-n");
  if (!number || counts_files(*number)) return true;
  stage.fail("-n: found " + printable(*number) + ", expected how many event files, or MIN,MAX");
  return false;
}

// -N: 0: as measured. None: the error was printed.
std::optional<double> asked_speed(io::Stage& stage, const CommandWords& words) {
  const auto name = words.value("-N");
  if (!name) return 0;
  auto session = client_of(stage);
  return session ? told_speed(stage, *session, *name) : std::nullopt;
}

// What the store has of these jobs, or with -f the file. False: the error was printed.
bool gather(io::Stage& stage, const CommandWords& words, const wire::AskEvents& ask,
            show::Histories& histories) {
  if (const auto file = words.value("-f")) {
    events::JobsAsked asked(ask, own_identity());
    const auto read = read_event_file(*file, [&](const wire::JobEvent& event) {
      if (asked.wants(event)) histories.add(events::sent_event(event));
    });
    return tell_reading(stage, *file, read) == 0;
  }
  auto session = client_of(stage);
  if (!session) return false;
  const auto failure = client::ask_events(*session, ask, [&](const wire::BatchReply::Events& part) {
    for (const auto& event : part.events()) histories.add(event);
  });
  if (failure) failed(stage, *failure);
  return !failure;
}

// The events of a whole array bring elements that were not named.
void keep_named(const wire::JobFilter& filter, std::vector<show::JobHistory>& jobs) {
  if (filter.index_lists_size() > 0) return;
  std::erase_if(jobs, [&](const show::JobHistory& job) {
    return std::none_of(filter.keys().begin(), filter.keys().end(), [&](const wire::JobKey& key) {
      return key.id() == job.key.id && (key.index() == 0 || key.index() == job.key.index);
    });
  });
}

int run_bhist(io::Stage& stage, const CommandWords& words) {
  const show::ShowTime time = show_time();
  wire::AskEvents ask;
  auto& filter = *ask.mutable_filter();
  const auto ids = named_jobs(stage, words.operands(), filter);
  if (!ids) return io::kFailed;
  const bool by_id = ids->any && !ids->all;
  take_job_options(words, filter);
  filter.set_project(words.value("-P").value_or(""));
  filter.clear_queue();
  filter.clear_host();
  if (!files_are_counted(stage, words)) return io::kFailed;
  const auto spans = spans_of(words, time);
  if (!spans) return stage.fail(spans.error().text);
  std::optional<show::TimeSpan> during;
  if (const auto span = words.value("-T")) {
    const auto parsed = show::parse_time_span(*span, time.now, time.local);
    if (!parsed) return stage.fail("-T: " + parsed.error().text);
    during = *parsed;
  }
  const auto speed = asked_speed(stage, words);
  if (!speed) return io::kFailed;
  show::Histories histories;
  if (!gather(stage, words, ask, histories)) return io::kFailed;

  auto jobs = histories.jobs();
  if (by_id) keep_named(filter, jobs);
  const int status = std::max(say_unknown(filter, jobs), ids->missing ? int{io::kFailed} : 0);
  const std::string queue = words.value("-q").value_or(""), host = words.value("-m").value_or("");
  std::erase_if(jobs, [&](const show::JobHistory& job) {
    const bool lived =
        !during || std::any_of(job.events.begin(), job.events.end(),
                               [&](const wire::JobEvent& event) { return within(*during, event.at_us()); });
    return !lived || !chosen(words, by_id, job) || (!queue.empty() && job.queue != queue) ||
           !on_host(job, host) || !fits(*spans, job);
  });
  if (jobs.empty()) return status != 0 ? status : complain("No matching job found");
  if (*speed > 0)
    for (auto& job : jobs) show::at_speed(job, *speed);
  print(stage, words, jobs, during, time);
  return status;
}

}  // namespace

io::Command bhist_command() {
  auto options = job_options();
  const std::vector<CommandOption> own{
      {"-P", Value::required, "PROJECT jobs of this project"},
      {"-a", Value::none, "finished jobs too"},
      {"-d", Value::none, "finished jobs"},
      {"-e", Value::none, "jobs that have exited"},
      {"-p", Value::none, "pending jobs"},
      {"-r", Value::none, "running jobs"},
      {"-s", Value::none, "suspended jobs"},
      {"-l", Value::none, "all that happened to each"},
      {"-b", Value::none, "rows, whatever else is said"},
      {"-UF", Value::none, "as -l, without wrapped lines"},
      {"-w", Value::none, "wide: nothing is cut"},
      {"-json", Value::none, "print JSON: a record for each job with its row, whatever else is said"},
      {"-gpu", Value::none, "with -l: the GPUs that it had"},
      {"-t", Value::none, "what happened to all of them, by time: in the last week, or in that of -T"},
      {"-T", Value::required, "FROM,TO jobs to which something happened then"},
      {"-N", Value::required, "HOST|MODEL|FACTOR CPU times as they would be at this speed; else as measured"},
      {"-n", Value::required, "N|MIN,MAX event files to look at: the store has what they all have"},
      {"-f", Value::required, "FILE that is read, whatever mbatchd knows: written as lsb.events is"},
      {"-S", Value::required, "FROM,TO jobs submitted then"},
      {"-D", Value::required, "FROM,TO jobs dispatched then"},
      {"-C", Value::required, "FROM,TO jobs that ended then"}};
  options.insert(options.end(), own.begin(), own.end());
  return {{"bhist",
           "[job_id | job_id[index_list] ...]",
           std::move(options),
           CommandShape::Order::anywhere,
           "Shows what happened to jobs: unless it is said otherwise, to your own that are not finished.",
           {{"-aff", "jobs are not bound to processors or memory"},
            {"-hostfile", "bsub has no -hostfile"},
            {"-cname", "hosts of other clusters have theirs in their names: HOST@CLUSTER"},
            {"-Lp", "license projects are not there"},
            {"-x", "jobs are not watched for exceptions (JOB_IDLE, JOB_OVERRUN, JOB_UNDERRUN)"}}},
          run_bhist,
          {}};
}

}  // namespace rollcall::sched
