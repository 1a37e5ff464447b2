#include "sched/commands/await_job.hpp"

#include <signal.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <utility>

#include "common/io/command.hpp"

namespace rollcall::sched {
namespace {

constexpr int kNeverRan = 126;

// SIGINT, SIGTERM, SIGHUP as something to read, while it lives.
class EndingSignals {
 public:
  EndingSignals() {
    sigset_t set;
    sigemptyset(&set);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&set, signal);
    sigprocmask(SIG_BLOCK, &set, &before_);
    descriptor_ = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
  }
  ~EndingSignals() {
    take();
    close(descriptor_);
    sigprocmask(SIG_SETMASK, &before_, nullptr);
  }
  EndingSignals(const EndingSignals&) = delete;
  EndingSignals& operator=(const EndingSignals&) = delete;
  int descriptor() const { return descriptor_; }
  // The last that came; 0: none.
  int take() const {
    signalfd_siginfo taken;
    int signal = 0;
    while (read(descriptor_, &taken, sizeof taken) > 0) signal = static_cast<int>(taken.ssi_signo);
    return signal;
  }

 private:
  sigset_t before_{};
  int descriptor_ = -1;
};

}  // namespace

JobWaiter::JobWaiter(io::BatchClient& client, wire::JobKey key, bool quiet)
    : client_(client), key_(std::move(key)), quiet_(quiet), terminal_(isatty(STDERR_FILENO) == 1) {}

void JobWaiter::say(const std::string& line) const {
  if (!quiet_) io::print_error_line(line);
}

wire::BatchRequest JobWaiter::question() const {
  wire::BatchRequest request;
  *request.mutable_await_job()->mutable_key() = key_;
  request.mutable_await_job()->set_reasons(terminal_ && !quiet_);
  return request;
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
  say(lines_.told(news));
  tell_reasons(news.job());  // only a pending job has any
}

AwaitedJob JobWaiter::until_over() {
  // On a terminal Ctrl-C might be meant for the job: bsub says that it goes on. Elsewhere a signal just ends bsub.
  std::optional<EndingSignals> signals;
  if (terminal_) signals.emplace();
  AwaitedJob ended;
  const auto result = client_.await(
      question(),
      [&](wire::BatchReply& part) {
        const auto& news = part.awaited();
        tell(news);
        if (!news.over()) return true;
        ended.told = true;
        ended.killed_pending = news.killed_pending();
        ended.wait_status = news.job().record().exit_status();
        return false;
      },
      signals ? signals->descriptor() : -1);
  if (result.how == io::BatchClient::Awaited::woken) leave_job(signals->take());
  if (result.error) ended.trouble = result.error->text;
  return ended;
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
  wire::BatchRequest request;
  *request.mutable_signal()->mutable_filter()->add_keys() = key_;
  request.mutable_signal()->set_action(wire::SignalJobs::KILL);
  client_.ask(std::move(request));  // what became of it the next news tell
}

std::optional<wire::StreamPlace> JobWaiter::until_ready(AwaitedJob& ended) {
  const EndingSignals signals;
  std::optional<wire::StreamPlace> place;
  while (true) {
    const auto result = client_.await(
        question(),
        [&](wire::BatchReply& part) {
          auto& news = *part.mutable_awaited();
          tell(news);
          if (news.over()) {
            ended.told = true;
            ended.killed_pending = news.killed_pending();
            ended.wait_status = news.job().record().exit_status();
            return false;
          }
          if (!news.has_stream()) return true;
          place = std::move(*news.mutable_stream());
          say(lines_.ready_on(place->host()));
          return false;
        },
        signals.descriptor());
    if (result.how != io::BatchClient::Awaited::woken) {
      if (result.error) ended.trouble = result.error->text;
      return place;
    }
    signals.take();
    kill();
  }
}

int exit_code_of(const AwaitedJob& ended) {
  if (ended.killed_pending) return kNeverRan;
  if (WIFSIGNALED(ended.wait_status)) return 128 + WTERMSIG(ended.wait_status);
  return WEXITSTATUS(ended.wait_status);
}

}  // namespace rollcall::sched
