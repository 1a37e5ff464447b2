// bhist: what happened to jobs, and how long they were in which state. bhist(1). From mbatchd's store: jobs that left
// its memory too.
#include <algorithm>

#include "sched/commands/asking.hpp"
#include "sched/commands/query_commands.hpp"
#include "sched/policy/ask_words.hpp"
#include "sched/policy/show_history.hpp"

namespace rollcall::sched {
namespace {

using Value = CommandOption::Value;

// -a -d -e -p -r -s; unless ids are given those that are not finished.
bool chosen(const CommandWords& words, bool by_id, const JobHistory& job) {
  const auto status = job.status;
  const auto one_of = [status](std::initializer_list<wire::JobStatus> list) {
    return std::find(list.begin(), list.end(), status) != list.end();
  };
  const bool any_choice =
      words.has("-d") || words.has("-e") || words.has("-p") || words.has("-r") || words.has("-s");
  if (words.has("-a") || (by_id && !any_choice)) return true;
  if (!any_choice) return !finished(status);
  return (words.has("-d") && finished(status)) || (words.has("-e") && status == wire::STATUS_EXIT) ||
         (words.has("-p") && pending(status)) || (words.has("-r") && status == wire::STATUS_RUN) ||
         (words.has("-s") && one_of({wire::STATUS_PSUSP, wire::STATUS_SSUSP, wire::STATUS_USUSP}));
}

bool within(const TimeSpan& span, std::int64_t at) {
  return (span.from_us == 0 || at >= span.from_us) && (span.to_us == 0 || at <= span.to_us);
}

std::int64_t first_time(const JobHistory& job, wire::JobEvent::WhatCase what) {
  for (const auto& event : job.events)
    if (event.what_case() == what) return event.at_us();
  return 0;
}

bool on_host(const JobHistory& job, const std::string& host) {
  return host.empty() || std::any_of(job.events.begin(), job.events.end(), [&](const wire::JobEvent& event) {
           return event.has_start() &&
                  std::any_of(event.start().hosts().begin(), event.start().hosts().end(),
                              [&](const wire::ExecHost& there) { return there.name() == host; });
         });
}

// -S, -D, -C: when it was submitted, dispatched, completed.
struct Spans {
  std::optional<TimeSpan> submitted, dispatched, completed;
};
Result<Spans> spans_of(const CommandWords& words, const ShowTime& time) {
  Spans spans;
  struct Option {
    const char* name;
    std::optional<TimeSpan>* span;
  };
  for (const Option& option :
       {Option{"-S", &spans.submitted}, {"-D", &spans.dispatched}, {"-C", &spans.completed}}) {
    const auto word = words.value(option.name);
    if (!word) continue;
    const auto span = parse_time_span(*word, time.now, time.local);
    if (!span) return usage_error(std::string(option.name) + ": " + span.error().text);
    *option.span = *span;
  }
  return spans;
}
bool fits(const Spans& spans, const JobHistory& job) {
  const auto in = [](const std::optional<TimeSpan>& span, std::int64_t at) {
    return !span || (at > 0 && within(*span, at));
  };
  return in(spans.submitted, first_time(job, wire::JobEvent::kNewJob)) &&
         in(spans.dispatched, first_time(job, wire::JobEvent::kStart)) && in(spans.completed, job.end_us);
}

int print(io::Stage& stage, const CommandWords& words, const std::vector<JobHistory>& jobs,
          const ShowTime& time) {
  const bool blocks = words.has("-l") || words.has("-UF") || words.has("-b");
  const Wrapping wrapping = words.has("-UF") ? Wrapping::none : Wrapping::at_80;
  std::string text = blocks ? "" : history_header();
  for (const auto& job : jobs) {
    if (!blocks)
      text += history_row(job, words.has("-w"), time.now);
    else
      text += (text.empty() ? "" : std::string(78, '-') + "\n") + history_block(job, wrapping, time);
  }
  return stage.print(text);
}

// Those that were named and have no event.
int say_unknown(const wire::JobFilter& filter, const std::vector<JobHistory>& jobs) {
  int status = 0;
  for (const auto& key : filter.keys()) {
    const bool there = std::any_of(jobs.begin(), jobs.end(), [&](const JobHistory& job) {
      return job.key.id == key.id() && (key.index() == 0 || job.key.index == key.index());
    });
    if (!there) status = complain("Job <" + text(key_of(key)) + "> is not found");
  }
  return status;
}

int run_bhist(io::Stage& stage, const CommandWords& words) {
  const ShowTime time = show_time();
  wire::BatchRequest request;
  auto& ask = *request.mutable_events();
  auto& filter = *ask.mutable_filter();
  const auto ids = take_job_ids(words.operands(), filter);
  if (!ids) return complain(ids.error().text);
  const bool by_id = ids->any && !ids->all;
  take_job_options(words, filter);
  filter.set_project(words.value("-P").value_or(""));
  filter.clear_queue();
  filter.clear_host();
  const auto spans = spans_of(words, time);
  if (!spans) return stage.fail(spans.error().text);
  const auto span = words.value("-T") ? words.value("-T") : words.value("-t");
  Histories histories;
  auto client = client_of(stage);
  if (!client) return io::kFailed;
  const auto error = client->ask(request, [&](wire::BatchReply& part) {
    for (const auto& event : part.events().events()) histories.add(event);
  });
  if (error) return failed(stage, *error);

  auto jobs = histories.jobs();
  if (by_id) {
    // Elements that were not named come along with what is of their whole array.
    std::erase_if(jobs, [&](const JobHistory& job) {
      return std::none_of(filter.keys().begin(), filter.keys().end(),
                          [&](const wire::JobKey& key) {
                            return key.id() == job.key.id &&
                                   (key.index() == 0 || key.index() == job.key.index);
                          }) &&
             filter.index_lists_size() == 0;
    });
  }
  const int status = say_unknown(filter, jobs);
  const std::string queue = words.value("-q").value_or(""), host = words.value("-m").value_or("");
  std::optional<TimeSpan> during;
  if (span) {
    const auto parsed = parse_time_span(*span, time.now, time.local);
    if (!parsed) return stage.fail("-t: " + parsed.error().text);
    during = *parsed;
  }
  std::erase_if(jobs, [&](const JobHistory& job) {
    const bool lived =
        !during || std::any_of(job.events.begin(), job.events.end(),
                               [&](const wire::JobEvent& event) { return within(*during, event.at_us()); });
    return !lived || !chosen(words, by_id, job) || (!queue.empty() && job.queue != queue) ||
           !on_host(job, host) || !fits(*spans, job);
  });
  if (jobs.empty()) return status != 0 ? status : complain("No matching job found");
  print(stage, words, jobs, time);
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
      {"-b", Value::none, "as -l"},
      {"-UF", Value::none, "as -l, without wrapped lines"},
      {"-w", Value::none, "wide: nothing is cut"},
      {"-n", Value::required, "N event files to look at: the store has them all"},
      {"-f", Value::required, "FILE of events: the store has them all"},
      {"-t", Value::required, "FROM,TO jobs to which something happened then"},
      {"-T", Value::required, "FROM,TO the same"},
      {"-S", Value::required, "FROM,TO jobs submitted then"},
      {"-D", Value::required, "FROM,TO jobs dispatched then"},
      {"-C", Value::required, "FROM,TO jobs that ended then"}};
  options.insert(options.end(), own.begin(), own.end());
  return {{"bhist", "[job_id | job_id[index_list] ...]", std::move(options), CommandShape::Order::anywhere,
           "Shows what happened to jobs: unless it is said otherwise, to your own that are not finished."},
          run_bhist,
          {}};
}

}  // namespace rollcall::sched
