// bacct: what finished jobs have used. bacct(1). Parts of the answer are added up as they come.
#include <algorithm>
#include <cstdlib>
#include <map>
#include <sstream>

#include "common/base/host_list.hpp"
#include "common/io/read_file.hpp"
#include "sched/commands/asking.hpp"
#include "sched/commands/patient_printer.hpp"
#include "sched/commands/query_commands.hpp"
#include "sched/policy/ask_words.hpp"
#include "sched/policy/job_exceptions.hpp"
#include "sched/policy/show_accounts.hpp"

namespace rollcall::sched {
namespace {

using Value = CommandOption::Value;

std::vector<std::string> words_of(const std::string& text) {
  std::vector<std::string> words;
  for (std::size_t at = 0; at < text.size();) {
    const auto end = std::min(text.find_first_of(" ,", at), text.size());
    if (end > at) words.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return words;
}

// Gives what is wrong with a time.
std::optional<std::string> take_spans(const CommandWords& words, const ShowTime& time,
                                      wire::AskFinished& ask) {
  for (const char* option : {"-S", "-C", "-D"}) {
    const auto word = words.value(option);
    if (!word) continue;
    const auto span = parse_time_span(*word, time.now, time.local);
    if (!span) return std::string(option) + ": " + span.error().text;
    if (option[1] == 'S') ask.set_submitted_from_us(span->from_us), ask.set_submitted_to_us(span->to_us);
    if (option[1] == 'C') ask.set_completed_from_us(span->from_us), ask.set_completed_to_us(span->to_us);
    if (option[1] == 'D') ask.set_dispatched_from_us(span->from_us), ask.set_dispatched_to_us(span->to_us);
  }
  return std::nullopt;
}

void take_names(const CommandWords& words, wire::AskFinished& ask) {
  for (const auto& name : words_of(words.value("-u").value_or(""))) ask.add_users(name);
  for (const auto& name : words_of(words.value("-q").value_or(""))) ask.add_queues(name);
  for (const auto& name : words_of(words.value("-m").value_or(""))) ask.add_hosts(name);
  for (const auto& name : words_of(words.value("-P").value_or(""))) ask.add_projects(name);
  ask.mutable_filter()->set_application(words.value("-app").value_or(""));
  ask.mutable_filter()->set_service_class(words.value("-sla").value_or(""));
  ask.set_only_done(words.has("-d"));
  ask.set_only_exited(words.has("-e"));
}

// The job as it would have been there: LSF's CPU times are those of the first host times its factor.
void to_speed(wire::JobEvent::Finish& job, double speed) {
  auto& record = *job.mutable_record();
  at_speed(*record.mutable_usage(), record.cpu_factor(), speed);
}

// -M: the hosts that a file names, a line for each; "#" begins a comment. Nothing where it was told what is wrong.
std::optional<std::vector<std::string>> hosts_of_file(io::Stage& stage, const std::string& path) {
  const auto text = io::read_file(path);
  if (!text) {
    stage.fail("-M: " + path + ": " + text.error().message());
    return std::nullopt;
  }
  std::vector<std::string> hosts;
  std::istringstream lines(*text);
  for (std::string line; std::getline(lines, line);)
    for (auto& word : words_of(line.substr(0, line.find('#')))) hosts.push_back(std::move(word));
  if (!hosts.empty()) return hosts;
  stage.fail("-M: found no host in " + printable(path) + ", expected their names, a line for each");
  return std::nullopt;
}

// -x: what each queue expects of its jobs. Nothing where it was told why that is not known.
using QueueLimits = std::map<std::string, ExceptionLimits>;
std::optional<QueueLimits> queue_limits(io::Stage& stage, io::BatchClient& client) {
  wire::BatchRequest request;
  request.mutable_queues();
  QueueLimits limits;
  const auto error = client.ask(request, [&](wire::BatchReply& part) {
    for (const auto& queue : part.queues().queues()) {
      const auto word = [&](const char* keyword) {
        const auto at = queue.lines().find(keyword);
        return at == queue.lines().end() ? std::string() : at->second;
      };
      limits[queue.name()] = exception_limits(word("JOB_OVERRUN"), word("JOB_UNDERRUN"), word("JOB_IDLE"));
    }
  });
  if (!error) return limits;
  failed(stage, *error);
  return std::nullopt;
}

std::string caller_name() {
  const char* name = std::getenv("LOGNAME");
  if (name == nullptr) name = std::getenv("USER");
  return name == nullptr ? "you" : name;
}

int run_bacct(io::Stage& stage, const CommandWords& words) {
  const ShowTime time = show_time();
  wire::BatchRequest request;
  auto& ask = *request.mutable_finished();
  const auto ids = take_job_ids(words.operands(), *ask.mutable_filter());
  if (!ids) return complain(ids.error().text);
  take_names(words, ask);
  if (const auto trouble = take_spans(words, time, ask)) return stage.fail(*trouble);
  if (const auto file = words.value("-M")) {
    const auto hosts = hosts_of_file(stage, *file);
    if (!hosts) return io::kFailed;
    for (const auto& host : *hosts) ask.add_hosts(host);
  }
  if (const auto file = words.value("-f"); file && !is_of_the_store(stage, *file, "lsb.acct"))
    return io::kFailed;
  auto client = client_of(stage);
  if (!client) return io::kFailed;
  std::optional<double> speed;
  if (const auto name = words.value("-N")) {
    speed = told_speed(stage, *client, *name);
    if (!speed) return io::kFailed;
  }
  std::optional<QueueLimits> expected;
  if (words.has("-x")) {
    expected = queue_limits(stage, *client);
    if (!expected) return io::kFailed;
  }
  const auto chosen = [&](const wire::JobEvent& event) {
    if (!event.has_finish()) return false;
    if (!expected) return true;
    const auto& job = event.finish().record();
    const auto limits = expected->find(job.queue());
    return limits != expected->end() && !job_exceptions(job, limits->second, time.now).empty();
  };
  const bool blocks = (words.has("-l") || words.has("-UF")) && !words.has("-b");
  const Wrapping wrapping = words.has("-UF") ? Wrapping::none : Wrapping::at_80;
  AccountSummary summary;
  std::size_t jobs = 0;
  PatientPrinter out(stage);
  const auto error = client->ask(request, [&](wire::BatchReply& part) {
    std::string text;
    for (auto& event : *part.mutable_events()->mutable_events()) {
      if (!chosen(event)) continue;
      if (speed) to_speed(*event.mutable_finish(), *speed);
      if (jobs++ == 0) text = accounts_preface(ask, caller_name(), time);
      summary.add(event.finish());
      if (blocks) text += account_block(event.finish(), wrapping, time);
    }
    out.print(std::move(text));
  });
  client.reset();
  out.finish();
  if (error) return failed(stage, *error);
  if (jobs == 0) return complain("No matching job found");
  return stage.print(summary.text());
}

}  // namespace

io::Command bacct_command() {
  return {{"bacct",
           "[job_id | job_id[index_list] ...]",
           {{"-l", Value::none, "each job as well"},
            {"-UF", Value::none, "the same without wrapped lines"},
            {"-b", Value::none, "the sums alone, whatever else is said"},
            {"-w", Value::none, "wide: nothing is ever cut"},
            {"-d", Value::none, "jobs that ended well"},
            {"-e", Value::none, "jobs that exited"},
            {"-u", Value::required, "USERS of these users, or all"},
            {"-q", Value::required, "QUEUES of these queues"},
            {"-m", Value::required, "HOSTS run on these hosts"},
            {"-P", Value::required, "PROJECTS of these projects"},
            {"-M", Value::required, "FILE run on the hosts that it names, a line for each"},
            {"-app", Value::required, "PROFILE of this application profile"},
            {"-sla", Value::required, "CLASS of this service class"},
            {"-x", Value::none,
             "that ran longer or shorter than their queue expects (JOB_OVERRUN, JOB_UNDERRUN)"},
            {"-S", Value::required, "FROM,TO submitted then"},
            {"-D", Value::required, "FROM,TO dispatched then"},
            {"-C", Value::required, "FROM,TO ended then"},
            {"-N", Value::required,
             "HOST|MODEL|FACTOR CPU times as they would be at this speed; else as measured"},
            {"-f", Value::required, "FILE lsb.acct of this cluster: the store has all of it"}},
           CommandShape::Order::anywhere,
           "Adds up what finished jobs have used: unless it is said otherwise, your own.",
           {{"-E", "how long a pending job could not be scheduled is not kept"},
            {"-U", "nothing is reserved in advance"},
            {"-aff", "jobs are not bound to processors or memory"},
            {"-gpu", "what jobs have used of GPUs is not measured"},
            {"-cname", "all hosts are of one cluster, that of lsid"},
            {"-Lp", "license projects are not there"},
            {"-rcacct -rcalloc", "no host is borrowed from a resource provider"}}},
          run_bacct,
          {}};
}

}  // namespace rollcall::sched
