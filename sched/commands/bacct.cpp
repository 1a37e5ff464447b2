// bacct: what finished jobs have used. bacct(1). Parts of the answer are added up as they come.
#include <algorithm>
#include <cstdlib>
#include <map>
#include <sstream>
#include <utility>

#include "common/base/host_list.hpp"
#include "common/io/read_file.hpp"
#include "sched/client/questions.hpp"
#include "sched/commands/asking.hpp"
#include "sched/commands/event_file.hpp"
#include "sched/commands/patient_printer.hpp"
#include "sched/commands/query_commands.hpp"
#include "sched/policy/show/job_arguments.hpp"
#include "sched/policy/show/show_accounts.hpp"
#include "sched/policy/values/job_exceptions.hpp"

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

// The error of a time; none: it is valid.
std::optional<std::string> take_spans(const CommandWords& words, const show::ShowTime& time,
                                      wire::AskFinished& ask) {
  for (const char* option : {"-S", "-C", "-D"}) {
    const auto word = words.value(option);
    if (!word) continue;
    const auto span = show::parse_time_span(*word, time.now, time.local);
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
  show::at_speed(*record.mutable_usage(), record.cpu_factor(), speed);
}

// -M: the hosts that a file names, a line for each; "#" begins a comment. None: the error was printed.
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

// -x: what each queue expects of its jobs. None: the error was printed.
using QueueLimits = std::map<std::string, ExceptionLimits>;
std::optional<QueueLimits> queue_limits(io::Stage& stage, client::Session& session) {
  const auto queues = client::ask_queues(session, {});
  if (!queues) return failed(stage, queues.error()), std::nullopt;
  QueueLimits limits;
  for (const auto& queue : queues->queues()) {
    const auto word = [&](const char* keyword) {
      const auto at = queue.lines().find(keyword);
      return at == queue.lines().end() ? std::string() : at->second;
    };
    limits[queue.name()] = exception_limits(word("JOB_OVERRUN"), word("JOB_UNDERRUN"), word("JOB_IDLE"));
  }
  return limits;
}

std::string caller_name() {
  const char* name = std::getenv("LOGNAME");
  if (name == nullptr) name = std::getenv("USER");
  return name == nullptr ? "you" : name;
}

// What mbatchd alone knows beside the jobs: the speed of -N (0: as measured), the queues of -x. None: the error was
// printed.
struct Told {
  double speed = 0;
  std::optional<QueueLimits> expected;
};
std::optional<Told> told_by_mbatchd(io::Stage& stage, const CommandWords& words) {
  Told told;
  const auto name = words.value("-N");
  if (!name && !words.has("-x")) return told;
  auto session = client_of(stage);
  if (!session) return std::nullopt;
  if (name) {
    const auto speed = told_speed(stage, *session, *name);
    if (!speed) return std::nullopt;
    told.speed = *speed;
  }
  if (words.has("-x")) {
    told.expected = queue_limits(stage, *session);
    if (!told.expected) return std::nullopt;
  }
  return told;
}

bool is_expected(const Told& told, const wire::JobEvent& event, const show::ShowTime& time) {
  if (!told.expected) return true;
  const auto& job = event.finish().record();
  const auto limits = told.expected->find(job.queue());
  return limits != told.expected->end() && !job_exceptions(job, limits->second, time.now).empty();
}

// The jobs as they come: adds them up, prints their blocks.
class Accounts {
 public:
  Accounts(io::Stage& stage, const CommandWords& words, const wire::AskFinished& ask, const Told& told,
           const show::ShowTime& time)
      : words_(words), ask_(ask), told_(told), time_(time), out_(stage) {}

  void add(wire::JobEvent event) {
    if (!event.has_finish() || !is_expected(told_, event, time_)) return;
    if (told_.speed > 0) to_speed(*event.mutable_finish(), told_.speed);
    if (jobs_++ == 0 && !as_json()) text_ = show::accounts_preface(ask_, caller_name(), time_);
    summary_.add(event.finish());
    if (as_json() && !words_.has("-b")) records_.push_back(show::account_record(event.finish(), time_));
    if (!as_json() && (words_.has("-l") || words_.has("-UF")) && !words_.has("-b"))
      text_ += show::account_block(event.finish(),
                                   words_.has("-UF") ? show::Wrapping::none : show::Wrapping::at_80, time_);
    if (text_.size() > kPrinted) print();
  }
  void print() { out_.print(std::exchange(text_, {})); }
  void finish() {
    print();
    out_.finish();
  }
  std::size_t jobs() const { return jobs_; }
  std::string summary() const {
    if (!as_json()) return summary_.text();
    if (words_.has("-b")) return show::json_document("bacct", "SUMMARIES", {summary_.record()});
    return show::json_document("bacct", "JOBS", records_);
  }

 private:
  bool as_json() const { return words_.has("-json"); }
  static constexpr std::size_t kPrinted = 64 << 10;  // bytes at once

  const CommandWords& words_;
  const wire::AskFinished& ask_;
  const Told& told_;
  const show::ShowTime& time_;
  show::AccountSummary summary_;
  std::size_t jobs_ = 0;
  std::vector<std::string> records_;  // -json
  PatientPrinter out_;
  std::string text_;
};

// From the store, or with -f from the file. 0, or kFailed: the error was printed.
int account(io::Stage& stage, const CommandWords& words, const wire::AskFinished& ask, Accounts& accounts) {
  if (const auto file = words.value("-f")) {
    const Identity who = own_identity();
    const auto read = read_event_file(*file, [&](const wire::JobEvent& event) {
      if (event.has_finish() && events::fits(ask, who, event.finish()))
        accounts.add(events::sent_event(event));
    });
    accounts.finish();
    return tell_reading(stage, *file, read);
  }
  auto session = client_of(stage);
  if (!session) return io::kFailed;
  const auto failure = client::ask_finished(*session, ask, [&](wire::BatchReply::Events& part) {
    for (auto& event : *part.mutable_events()) accounts.add(std::move(event));
    accounts.print();
  });
  session.reset();
  accounts.finish();
  return failure ? failed(stage, *failure) : 0;
}

int run_bacct(io::Stage& stage, const CommandWords& words) {
  const show::ShowTime time = show_time();
  wire::AskFinished ask;
  const auto ids = named_jobs(stage, words.operands(), *ask.mutable_filter());
  if (!ids) return io::kFailed;
  take_names(words, ask);
  if (const auto trouble = take_spans(words, time, ask)) return stage.fail(*trouble);
  if (const auto file = words.value("-M")) {
    const auto hosts = hosts_of_file(stage, *file);
    if (!hosts) return io::kFailed;
    for (const auto& host : *hosts) ask.add_hosts(host);
  }
  const auto told = told_by_mbatchd(stage, words);
  if (!told) return io::kFailed;
  Accounts accounts(stage, words, ask, *told, time);
  if (const int status = account(stage, words, ask, accounts); status != 0) return status;
  if (accounts.jobs() == 0) return complain("No matching job found");
  return stage.print(accounts.summary());
}

}  // namespace

io::Command bacct_command() {
  return {{"bacct",
           "[job_id | job_id[index_list] ...]",
           {{"-l", Value::none, "each job as well"},
            {"-UF", Value::none, "the same without wrapped lines"},
            {"-b", Value::none, "the sums alone, whatever else is said"},
            {"-w", Value::none, "wide: nothing is ever cut"},
            {"-json", Value::none, "print JSON: a record for each job; with -b one of the sums"},
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
            {"-f", Value::required, "FILE that is read, whatever mbatchd knows: written as lsb.acct is"}},
           CommandShape::Order::anywhere,
           "Adds up what finished jobs have used: unless it is said otherwise, your own.",
           {{"-E", "how long a pending job could not be scheduled is not kept"},
            {"-U", "nothing is reserved in advance"},
            {"-aff", "jobs are not bound to processors or memory"},
            {"-gpu", "what jobs have used of GPUs is not measured"},
            {"-cname", "hosts of other clusters have theirs in their names: HOST@CLUSTER"},
            {"-Lp", "license projects are not there"},
            {"-rcacct -rcalloc", "no host is borrowed from a resource provider"}}},
          run_bacct,
          {}};
}

}  // namespace rollcall::sched
