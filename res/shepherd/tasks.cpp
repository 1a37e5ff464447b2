#include "res/shepherd/tasks.hpp"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "common/io/process_tree.hpp"
#include "res/policy/job_environment.hpp"

namespace rollcall::res {
namespace {

constexpr Duration kGrace = std::chrono::seconds(1);  // between TERM and KILL for a task whose client is gone

void signal_group(pid_t pid, int signo) {
  if (pid > 0 && kill(-pid, signo) != 0) kill(pid, signo);
}

double seconds(const timeval& t) {
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6;
}

std::string random_key() {
  const io::Nonce bytes = io::random_nonce();
  return {bytes.begin(), bytes.end()};
}

}  // namespace

std::string text_of(const io::SpawnError& error) {
  return std::string("cannot ") + io::stage_text(error.stage) + " " + error.path + ": " +
         std::strerror(error.error);
}

StreamEnds with_files(StreamEnds ends, const JobFiles& files) {
  const auto copy = [](const io::Descriptor& from, io::Descriptor& to) {
    if (from) to = io::Descriptor(fcntl(from.get(), F_DUPFD_CLOEXEC, 3));
  };
  copy(files.input, ends.input);
  copy(files.output, ends.output);
  copy(files.errors, ends.errors);
  return ends;
}

void lead_to(io::SpawnPlan& plan, const Stream& stream, const StreamEnds& ends) {
  plan.descriptors = {{ends.input.get(), 0}, {ends.output.get(), 1}, {ends.errors.get(), 2}};
  const bool on_it =
      isatty(ends.input.get()) == 1 || isatty(ends.output.get()) == 1 || isatty(ends.errors.get()) == 1;
  plan.terminal = stream.terminal() && on_it;
  const std::string& name = stream.begin().terminal();
  if (plan.terminal && !name.empty()) set_variable(plan.environment, "TERM", name);
}

Result<wire::StreamPlace> Tasks::expect_client(std::string key, const ExpectedClient& client,
                                               TimePoint until) {
  if (key.empty()) key = random_key();
  auto stream = Stream::expect(key, client.terminal, until);
  if (!stream) return stream.error();
  if (client.elsewhere) (*stream)->outlive_link();
  tasks_.push_back(std::make_unique<Task>(Task{std::move(*stream), {}, -1, true}));
  wire::StreamPlace place;
  place.set_port(tasks_.back()->stream->port());
  place.set_key(key);
  return place;
}

Result<std::uint16_t> Tasks::expect(const wire::ExpectTask& task, TimePoint until) {
  auto stream = Stream::expect(task.key(), task.task().terminal(), until);
  if (!stream) return stream.error();
  tasks_.push_back(std::make_unique<Task>(Task{std::move(*stream), task.task(), -1, false}));
  return tasks_.back()->stream->port();
}

Stream* Tasks::of_job() {
  const auto at = std::find_if(tasks_.begin(), tasks_.end(), [](const auto& task) { return task->of_job; });
  return at == tasks_.end() ? nullptr : (*at)->stream.get();
}

void Tasks::job_started(pid_t pid) {
  for (auto& task : tasks_)
    if (task->of_job) {
      task->pid = pid;
      task->stream->started(pid);
    }
}

void Tasks::add_to(std::vector<pollfd>& fds) {
  for (auto& task : tasks_) task->stream->add_to(fds);
}

bool Tasks::turn(const std::vector<pollfd>& fds, TimePoint now) {
  for (std::size_t i = 0; i < tasks_.size(); ++i) {  // by index: handlers may add tasks
    Task& task = *tasks_[i];
    task.stream->turn(fds, now);
    if (task.stream->wanted()) begin(task);
    while (const auto signo = task.stream->take_signal()) signal_group(task.pid, *signo);
    if (task.stream->lost()) lose_client(task, now);
  }
  const bool killed = kill_remnants(now);
  return drop_done() || killed;
}

void Tasks::lose_client(Task& task, TimePoint now) {
  if (task.of_job) return handler_.client_lost();
  if (task.pid < 0) return;
  auto processes = io::descendants_of(task.pid);
  processes.push_back(task.pid);
  remnants_.push_back({std::move(processes), now + kGrace});
  end(task, SIGHUP);
  end(task, SIGTERM);
}

// Returns true if any were due. Kills the processes that they have started since, too.
bool Tasks::kill_remnants(TimePoint now) {
  return std::erase_if(remnants_, [now](const Remnant& remnant) {
           if (now < remnant.kill_at) return false;
           auto processes = remnant.processes;
           for (const pid_t pid : remnant.processes) {
             const auto below = io::descendants_of(pid);
             processes.insert(processes.end(), below.begin(), below.end());
           }
           io::signal_if_below(getpid(), SIGKILL, processes);
           return true;
         }) > 0;
}

bool Tasks::drop_done() {
  return std::erase_if(tasks_, [](const auto& task) { return task->stream->done() && task->pid < 0; }) > 0;
}

void Tasks::nothing_starts(TimePoint now) {
  for (auto& task : tasks_) task->stream->nothing_starts(now);
  drop_done();
}

std::optional<TimePoint> Tasks::next_deadline() const {
  std::optional<TimePoint> first;
  const auto at_most = [&first](TimePoint due) { first = first ? std::min(*first, due) : due; };
  for (const auto& task : tasks_)
    if (const auto due = task->stream->next_deadline()) at_most(*due);
  for (const auto& remnant : remnants_) at_most(remnant.kill_at);
  return first;
}

void Tasks::begin(Task& task) {
  if (task.of_job) return handler_.client_came();
  if (!handler_.may_start()) return task.stream->not_started("the job is over", 127);
  const auto ends = task.stream->ends();
  if (!ends) return task.stream->not_started(ends.error().text, 126);
  auto plan = handler_.plan(task.asked);
  if (!plan) return task.stream->not_started(plan.error().text, 126);
  lead_to(*plan, *task.stream, *ends);
  if (plan->argv.empty()) return task.stream->not_started("there is no word to execute", 127);
  const auto started = io::spawn(*plan);
  if (const auto* error = std::get_if<io::SpawnError>(&started))
    return task.stream->not_started(text_of(*error), io::exit_code_of(*error));
  task.pid = std::get<pid_t>(started);
  task.stream->started(task.pid);
  handler_.started();
}

bool Tasks::has(pid_t pid) const {
  return std::any_of(tasks_.begin(), tasks_.end(), [pid](const auto& task) { return task->pid == pid; });
}

// Also signals descendants of the task that have left its process group.
void Tasks::end(const Task& task, int signo) const {
  if (task.pid < 0) return;
  const auto below = io::descendants_of(task.pid);
  signal_group(task.pid, signo);
  // The signal may have orphaned some of them: these are now children of the shepherd.
  io::signal_if_below(getpid(), signo, below);
}

void Tasks::ended(pid_t pid, int status, const rusage& used, int term_reason, TimePoint now) {
  for (auto& task : tasks_) {
    if (task->pid != pid) continue;
    task->pid = -1;
    wire::JobUsage usage;
    usage.set_user_s(seconds(used.ru_utime));
    usage.set_system_s(seconds(used.ru_stime));
    usage.set_max_memory_kb(used.ru_maxrss);
    task->stream->ended(status, usage, term_reason, now);
  }
}

}  // namespace rollcall::res
