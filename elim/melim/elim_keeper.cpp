#include "elim/melim/elim_keeper.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <boost/asio/io_context.hpp>
#include <boost/system/system_error.hpp>
#include <cerrno>
#include <cstring>
#include <optional>
#include <utility>

#include "common/io/process_tree.hpp"
#include "common/io/spawn.hpp"
#include "elim/melim/clock.hpp"
#include "elim/policy/melim/elim_end.hpp"

namespace rollcall::melim {
namespace {

// A keeper's descriptors: 0 to 2 as the elim gets them, then these.
constexpr int kControl = 3;
constexpr int kFirstForeign = 4;

struct Pair {
  io::Descriptor ours;
  io::Descriptor keepers;
  explicit operator bool() const { return ours && keepers; }
};

Pair control_pair() {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) return {};
  return {io::Descriptor(ends[0]), io::Descriptor(ends[1])};
}

Pair output_pipe() {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return {};
  fcntl(ends[0], F_SETFL, O_NONBLOCK);
  return {io::Descriptor(ends[0]), io::Descriptor(ends[1])};
}

void point_at_null(int fd, int flags) {
  const int null = open("/dev/null", flags | O_CLOEXEC);
  if (null == fd) {  // MELIM had closed it
    fcntl(fd, F_SETFD, 0);
  } else if (null >= 0) {
    dup2(null, fd);
    close(null);
  }
}

// Closes everything of MELIM's: its link, the other elims' pipes, its signal handling.
void leave_melim(const Pair& control, const Pair& output, const Pair& errors) {
  // Moved up first: each may have a number that another one is about to get.
  const int link = fcntl(control.keepers.get(), F_DUPFD_CLOEXEC, kFirstForeign);
  const int out = fcntl(output.keepers.get(), F_DUPFD_CLOEXEC, kFirstForeign);
  const int err = fcntl(errors.keepers.get(), F_DUPFD_CLOEXEC, kFirstForeign);
  point_at_null(STDIN_FILENO, O_RDONLY);
  if (dup2(out, STDOUT_FILENO) < 0 || dup2(err, STDERR_FILENO) < 0 || dup3(link, kControl, O_CLOEXEC) < 0)
    _exit(1);
  close_range(kFirstForeign, ~0U, 0);
  for (int signo = 1; signo < NSIG; ++signo) signal(signo, SIG_DFL);
}

class KeeperLoop {
 public:
  [[noreturn]] void run(const KeeperPlan& plan) noexcept {
    prctl(PR_SET_NAME, "melim-keeper");
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, nullptr);
    signals_ = signalfd(-1, &all, SFD_CLOEXEC | SFD_NONBLOCK);
    start(plan);
    while (true) turn();
  }

 private:
  void start(const KeeperPlan& plan) {
    io::SpawnPlan elim;
    elim.argv = plan.argv;
    elim.environment = plan.environment;
    elim.directory = plan.directory;
    sigemptyset(&elim.mask);
    elim.own_group = true;
    elim.parent_death_signal = SIGKILL;  // in case the keeper is killed at this moment
    elim.open_files = plan.open_files;
    const auto spawned = io::spawn(elim);
    if (const auto* failed = std::get_if<io::SpawnError>(&spawned)) {
      tell({KeeperWord::not_started, failed->error, static_cast<std::int32_t>(failed->stage)});
      _exit(0);
    }
    elim_ = std::get<pid_t>(spawned);
    // From here on only the elim has it open: MELIM sees the end of output when the elim closes it.
    point_at_null(STDOUT_FILENO, O_WRONLY);
    point_at_null(STDERR_FILENO, O_WRONLY);
    tell({KeeperWord::started, elim_, 0});
  }

  void turn() {
    pollfd fds[2] = {{signals_, POLLIN, 0}, {asked_ ? -1 : kControl, POLLIN, 0}};
    int timeout = -1;
    if (const auto deadline = end::next_deadline(state_)) {
      const Duration left = std::max(*deadline - time_now(), Duration{0});
      timeout = static_cast<int>(std::chrono::ceil<std::chrono::milliseconds>(left).count());
    }
    if (poll(fds, 2, timeout) < 0 && errno != EINTR) _exit(1);
    if (fds[1].revents != 0) ask();  // MELIM never writes: it has shut down its end, or is gone
    if (fds[0].revents != 0) take_signals();
    carry_out(end::TimePassed{});
  }

  void ask() {
    asked_ = true;
    carry_out(end::EndAsked{});
  }

  void take_signals() {
    signalfd_siginfo info;
    bool children = false;
    while (read(signals_, &info, sizeof info) == sizeof info) {
      if (info.ssi_signo == SIGCHLD) children = true;
      if (info.ssi_signo == SIGTERM || info.ssi_signo == SIGINT || info.ssi_signo == SIGHUP) ask();
    }
    if (children) reap();
  }

  void reap() {
    int status = 0;
    pid_t pid = 0;
    std::optional<int> ended;
    while ((pid = waitpid(-1, &status, WNOHANG)) > 0)
      if (pid == elim_) ended = status;
    const bool left = pid == 0;
    if (ended) {
      elim_ = -1;
      tell({KeeperWord::ended, *ended, 0});
      carry_out(end::ElimEnded{left});
    }
    if (state_.phase == end::Phase::running) return;
    carry_out(end::Counted{left ? static_cast<unsigned>(io::descendants_of(getpid()).size()) : 0U});
  }

  void tell(const KeeperWord& word) { send(kControl, &word, sizeof word, MSG_NOSIGNAL); }

  void carry_out(const end::Event& event) {
    for (const end::Effect& effect : end::step(state_, event, time_now()))
      std::visit([&](const auto& e) { act(e); }, effect);
  }
  void act(const end::TermGroup&) {
    if (elim_ <= 0) return;
    kill(-elim_, SIGTERM);
    kill(-elim_, SIGCONT);
  }
  void act(const end::TermAll&) {
    io::signal_descendants(SIGTERM);
    io::signal_descendants(SIGCONT);
  }
  void act(const end::KillAll&) { io::signal_descendants(SIGKILL); }
  [[noreturn]] void act(const end::Finish&) { _exit(0); }

  int signals_ = -1;
  pid_t elim_ = -1;
  bool asked_ = false;
  end::State state_;
};

// Signals stay blocked until the keeper has left MELIM: Asio's handlers would report them to MELIM, through a pipe that both
// have.
pid_t fork_keeper(const Pair& control, const Pair& output, const Pair& errors, const KeeperPlan& plan) {
  sigset_t all, before;
  sigfillset(&all);
  sigprocmask(SIG_SETMASK, &all, &before);
  const pid_t pid = fork();
  if (pid == 0) {
    leave_melim(control, output, errors);
    KeeperLoop().run(plan);
  }
  const int error = errno;
  sigprocmask(SIG_SETMASK, &before, nullptr);
  errno = error;
  return pid;
}

}  // namespace

Result<Keeper> start_keeper(boost::asio::io_context& loop, const KeeperPlan& plan,
                            io::Child::Ended ended) try {
  Pair control = control_pair();
  Pair output = output_pipe();
  Pair errors = output_pipe();
  if (!control || !output || !errors)
    return internal_error(std::string("cannot make a pipe: ") + std::strerror(errno));
  Keeper keeper;
  keeper.control_watch = DescriptorWatch(loop, control.ours.get());
  keeper.output_watch = DescriptorWatch(loop, output.ours.get());
  keeper.errors_watch = DescriptorWatch(loop, errors.ours.get());
  const pid_t pid = fork_keeper(control, output, errors, plan);
  if (pid < 0) return internal_error(std::string("cannot fork: ") + std::strerror(errno));
  keeper.process = io::Child::adopt(loop, pid, std::move(ended));
  keeper.control = std::move(control.ours);
  keeper.output = std::move(output.ours);
  keeper.errors = std::move(errors.ours);
  return keeper;
} catch (const boost::system::system_error& error) {
  return internal_error(std::string("cannot watch a pipe: ") + error.what());
}

}  // namespace rollcall::melim
