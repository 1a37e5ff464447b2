#include "taskstarter/outer.hpp"

#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/wait.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <optional>

#include "common/base/exit_status.hpp"
#include "common/io/process_tree.hpp"
#include "taskstarter/cgroup_keeper.hpp"
#include "taskstarter/complaint.hpp"
#include "taskstarter/host_relay.hpp"
#include "taskstarter/inner.hpp"
#include "taskstarter/key_search.hpp"
#include "taskstarter/level_link.hpp"
#include "taskstarter/parent_watch.hpp"
#include "taskstarter/starting_point.hpp"

namespace rollcall::taskstarter {
namespace {

constexpr int kOwnFailure = 125;

bool from_terminal(const signalfd_siginfo& info) {
  switch (info.ssi_signo) {
    case SIGHUP:
    case SIGINT:
    case SIGQUIT:
    case SIGTSTP:
    case SIGTTIN:
    case SIGTTOU:
    case SIGWINCH:
      return info.ssi_code == SI_KERNEL;
    default:
      return false;
  }
}

// As the kernel would stop us if we had not blocked the signal: not in an orphaned group, where nobody could
// continue us. Returns when we are continued.
void stop_as_asked() {
  sigset_t stop;
  sigemptyset(&stop);
  sigaddset(&stop, SIGTSTP);
  kill(getpid(), SIGTSTP);
  sigprocmask(SIG_UNBLOCK, &stop, nullptr);
  sigprocmask(SIG_BLOCK, &stop, nullptr);
}

class Outer {
 public:
  Outer(const StartingPoint& start, std::span<char* const> words, int signals, ParentWatch parent,
        LevelLink inner, pid_t inner_pid, io::JobCgroup cgroup, HostRelay host_relay)
      : start_(start),
        words_(words),
        signals_(signals),
        parent_(std::move(parent)),
        inner_(std::move(inner)),
        inner_pid_(inner_pid),
        cgroup_(std::move(cgroup)),
        host_relay_(std::move(host_relay)) {}

  // Waits until the inner level has ended; gives how this level must end.
  ExitStatus run() {
    if (parent_.gone_already()) tell_parent_gone();
    while (!inner_status_) turn();
    take_words();
    if (!relay_) end_descendants();
    return relay_ ? *relay_ : *inner_status_;
  }

 private:
  void turn() {
    std::array<pollfd, 3> fds{
        {{signals_, POLLIN, 0}, {parent_.fd(), POLLIN, 0}, {host_relay_.fd(), POLLIN, 0}}};
    if (poll(fds.data(), fds.size(), -1) < 0) return;
    if (fds[2].revents != 0) host_relay_.start(words_);
    if (fds[1].revents != 0) tell_parent_gone();
    if (fds[0].revents != 0) take_signals();
  }

  void take_signals() {
    std::array<signalfd_siginfo, 4> infos;
    const ssize_t size = read(signals_, infos.data(), sizeof infos);
    for (ssize_t i = 0; i * static_cast<ssize_t>(sizeof infos[0]) < size; ++i) {
      const auto& info = infos[static_cast<std::size_t>(i)];
      if (info.ssi_signo == SIGCHLD)
        reap();
      else
        forward(info);
    }
  }

  void forward(const signalfd_siginfo& info) {
    const auto sender = static_cast<pid_t>(info.ssi_pid);
    // The inner level continues us (CONT); and a write of ours to a closed stderr is our own business.
    if (info.ssi_code <= 0 && (sender == inner_pid_ || sender == start_.outer_pid)) return;
    LevelMessage message{LevelMessage::Kind::signal};
    message.value = static_cast<std::int32_t>(info.ssi_signo);
    message.source = from_terminal(info) ? SignalSource::terminal : SignalSource::launcher;
    inner_.send(message);
    if (info.ssi_signo == SIGTSTP && start_.shared_group && message.source == SignalSource::terminal)
      stop_as_asked();
  }

  void tell_parent_gone() {
    const ParentEnd end = parent_.how();
    parent_.stop();
    LevelMessage message{LevelMessage::Kind::parent_gone};
    message.cause = end.cause;
    message.value = end.value;
    inner_.send(message);
  }

  // The inner level's last words. They are of use only once it has ended, and then SIGCHLD wakes us.
  void take_words() {
    LevelMessage message;
    while (inner_.receive(message) == LevelLink::Got::message)
      relay_ = message.by_signal ? ExitStatus::signaled(message.value) : ExitStatus::exited(message.value);
  }

  bool reap() {
    int status = 0;
    pid_t ended = 0;
    while ((ended = waitpid(-1, &status, WNOHANG)) > 0)
      if (ended == inner_pid_) inner_status_ = ExitStatus::from_wait(status);
    return ended < 0;
  }

  // The inner level was killed. Its children are ours now.
  void end_descendants() {
    for (int pause_ms = 1, spent_ms = 0; !reap() && spent_ms < 5000; pause_ms = std::min(2 * pause_ms, 100)) {
      io::signal_descendants(SIGKILL);
      pollfd children{signals_, POLLIN, 0};
      poll(&children, 1, pause_ms);
      spent_ms += pause_ms;
      signalfd_siginfo info;
      while (read(signals_, &info, sizeof info) > 0) continue;
    }
  }

  const StartingPoint& start_;
  std::span<char* const> words_;
  int signals_;
  ParentWatch parent_;
  LevelLink inner_;
  pid_t inner_pid_;
  io::JobCgroup cgroup_;  // held as long as this level lives
  HostRelay host_relay_;
  std::optional<ExitStatus> relay_;
  std::optional<ExitStatus> inner_status_;
};

// Ends as the task did, by the same signal, so that the launcher says what it says without us; with no second core
// (a pipe in core_pattern ignores the limit, hence the other one).
[[noreturn]] void end_as(const ExitStatus& status) {
  if (status.by_signal()) {
    const rlimit none{0, 0};
    setrlimit(RLIMIT_CORE, &none);
    prctl(PR_SET_DUMPABLE, 0);
    signal(status.signo(), SIG_DFL);
    sigset_t mask;
    sigfillset(&mask);
    sigdelset(&mask, status.signo());
    switch (status.signo()) {
      case SIGCHLD:
      case SIGCONT:
      case SIGURG:
      case SIGWINCH:
      case SIGSTOP:
      case SIGTSTP:
      case SIGTTIN:
      case SIGTTOU:
        break;  // these do not end a process
      default:
        kill(getpid(), status.signo());
        sigprocmask(SIG_SETMASK, &mask, nullptr);
    }
  }
  _exit(status.shell_code());
}

[[noreturn]] void give_up(const StartingPoint& start, const char* what) {
  complain(start.host, std::string("cannot ") + what + ": " + std::strerror(errno));
  _exit(kOwnFailure);
}

}  // namespace

void run_task(const Options& options, std::span<char* const> words) {
  // Begins first: a parent that exits at once, as a launcher's helper does, must be seen exiting.
  const pid_t launcher = getppid();
  ParentWatch parent(launcher);
  const StartingPoint start = find_starting_point(launcher);
  const auto site = read_site(options);
  io::JobCgroup cgroup =
      job_cgroups_wanted(site)
          ? io::JobCgroup::enter(io::job_cgroup_name(options.pam_addresses, options.pam_port))
          : io::JobCgroup::none("ROLLCALL_TASK_CGROUPS is N");
  if (cgroup.first_of_job()) start_keeper(cgroup, words);
  // Where the job's shepherd is on this host, it is the relay.
  HostRelay relay = HostRelay::claim(site && !site->relay.empty() ? "" : options.relay);
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  sigset_t all;
  sigfillset(&all);
  const io::Descriptor signals(signalfd(-1, &all, SFD_CLOEXEC | SFD_NONBLOCK));
  auto [to_inner, to_outer] = LevelLink::make();
  if (!signals || !to_inner) give_up(start, "make what both levels need");
  // Without fork()'s care for other threads, of which there are none: it would touch memory of both levels.
  const pid_t inner = _Fork();
  if (inner < 0) give_up(start, "fork");
  if (inner == 0) {
    to_inner = LevelLink();
    parent.stop();
    relay.give_up();
    run_inner(start, options, site, words, signals.get(), std::move(to_outer), std::move(cgroup),
              relay.place());
  }
  to_outer = LevelLink();
  end_as(Outer(start, words, signals.get(), std::move(parent), std::move(to_inner), inner, std::move(cgroup),
               std::move(relay))
             .run());
}

}  // namespace rollcall::taskstarter
