#include "sched/commands/job_waiter.hpp"

#include <signal.h>
#include <unistd.h>

#include <optional>
#include <utility>

#include "common/base/exit_status.hpp"
#include "common/io/command.hpp"
#include "sched/client/orders.hpp"

namespace rollcall::sched {

JobWaiter::JobWaiter(client::Session& session, wire::JobKey key, bool quiet)
    : session_(session), key_(std::move(key)), quiet_(quiet), terminal_(isatty(STDERR_FILENO) == 1) {}

void JobWaiter::say(const std::string& line) const {
  if (!quiet_) io::print_error_line(line);
}

void JobWaiter::tell_reasons(const wire::BatchReply::JobView& job) {
  if (!terminal_) return;
  const std::string lines = submit::reason_lines(job);
  if (lines.empty() || lines == reasons_told_) return;
  reasons_told_ = lines;
  say(lines);
}

void JobWaiter::say(const std::vector<std::string>& lines) const {
  for (const auto& line : lines) say(line);
}

void JobWaiter::tell(const wire::BatchReply::Awaited& news) {
  attempt_ = news.job().record().attempt();
  say(lines_.told(news));
  tell_reasons(news.job());  // only a pending job has any
  if (const auto line = submit::killed_line(news); terminal_ && !line.empty()) say(line);
}

void JobWaiter::tell_passed_on(int signal) {
  const bool ends = signal == SIGINT || signal == SIGQUIT || signal == SIGTERM || signal == SIGHUP;
  if (!ends || !terminal_ || std::exchange(signal_told_, true)) return;
  const std::string id = std::to_string(key_.id());
  say("\nSIG" + signal_name(signal) + " was sent to job " + id + "; bkill " + id +
      " ends it if it goes on");  // behind the ^C of the terminal
}

client::Waited JobWaiter::wait(client::Until until, int wake) {
  wire::AwaitJob question;
  *question.mutable_key() = key_;
  question.set_reasons(terminal_ && !quiet_);
  return client::await_job(
      session_, question, until, [this](const wire::BatchReply::Awaited& news) { tell(news); }, wake);
}

client::Answered<client::JobEnd> JobWaiter::until_over() {
  // On a terminal Ctrl-C might be meant for the job: bsub says that it goes on. Elsewhere a signal just ends bsub.
  std::optional<EndingSignals> signals;
  if (terminal_) signals.emplace();
  auto waited = wait(client::Until::over, signals ? signals->descriptor() : -1);
  if (std::holds_alternative<client::Woken>(waited)) leave_job(signals->take());
  if (const auto* const ended = std::get_if<client::JobEnd>(&waited)) return *ended;
  return std::move(std::get<client::Failure>(waited));
}

void JobWaiter::leave_job(int signal) const {
  const std::string id = std::to_string(key_.id());
  io::print_error_line("\njob " + id + " goes on; bkill " + id +
                       " ends it");  // behind the ^C of the terminal
  ::signal(signal, SIG_DFL);
  sigset_t all;
  sigemptyset(&all);
  sigprocmask(SIG_SETMASK, &all, nullptr);
  raise(signal);
  _exit(128 + signal);
}

void JobWaiter::kill() {
  wire::SignalJobs order;
  *order.mutable_filter()->add_keys() = key_;
  order.set_action(wire::SignalJobs::KILL);
  client::signal_jobs(session_, std::move(order));  // the next report tells what became of it
}

client::Answered<JobWaiter::Ready> JobWaiter::until_ready(const EndingSignals& signals) {
  auto until = client::Until::ready;
  while (true) {
    auto waited = wait(until, signals.descriptor());
    if (const auto* const ended = std::get_if<client::JobEnd>(&waited)) return Ready(*ended);
    if (auto* const failure = std::get_if<client::Failure>(&waited)) return std::move(*failure);
    if (auto* const place = std::get_if<wire::StreamPlace>(&waited)) {
      say(lines_.ready_on(place->host()));
      return Ready(std::move(*place));
    }
    signals.take();
    kill();
    until = client::Until::over;  // it may be ready all the same, but not for long
  }
}

}  // namespace rollcall::sched
