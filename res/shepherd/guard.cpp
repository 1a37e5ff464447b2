#include "res/shepherd/guard.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "common/io/cgroup_slots.hpp"
#include "common/io/durable_file.hpp"
#include "common/io/frame_socket.hpp"
#include "common/io/process_tree.hpp"
#include "res/policy/job_files.hpp"
#include "res/policy/job_life.hpp"
#include "res/shepherd/become_user.hpp"
#include "res/shepherd/clocks.hpp"
#include "res/shepherd/guard_frames.hpp"
#include "res/shepherd/shepherd.hpp"

namespace rollcall::res {
namespace {

constexpr std::size_t kMostOrder = 8 << 20;
constexpr int kPatienceMs = 10'000;
constexpr int kRoomPauseMs = 200;
constexpr int kNotStarted = 127;
constexpr int kMostStops = 100;  // of the shepherd per second; only a loop exceeds this

[[noreturn]] void give_up(const std::string& why) {
  const std::string line = "shepherd: " + why + "\n";
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, line.data(), line.size());
  _exit(1);
}
[[noreturn]] void fail(const char* what) {
  give_up(std::string("cannot ") + what + ": " + std::strerror(errno));
}

class Guard {
 public:
  Guard(wire::JobOrder order, io::Descriptor directory, io::Descriptor res)
      : order_(std::move(order)), directory_(std::move(directory)), res_(std::move(res)) {}

  [[noreturn]] void run() {
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, nullptr);
    signals_ = io::Descriptor(signalfd(-1, &all, SFD_CLOEXEC | SFD_NONBLOCK));
    if (!signals_) not_started("make a signal descriptor");
    make_own_directory();
    const int listener = listen_for_res();
    start(listener);
    while (!ended_) turn();
    take_words();
    end_what_is_left();
    keep_end();
    _exit(0);
  }

 private:
  // Only we can write to the job's directory, so users cannot put anything else at "u".
  void make_own_directory() {
    if (mkdirat(directory_.get(), "u", 0700) != 0 && errno != EEXIST)
      not_started("make the user's part of the job's directory");
    if (geteuid() == 0 &&
        fchownat(directory_.get(), "u", order_.uid(), order_.gid(), AT_SYMLINK_NOFOLLOW) != 0)
      not_started("give the user's part of the job's directory to the user");
  }

  // Reports that the job has not begun, so mbatchd may start it elsewhere.
  [[noreturn]] void not_started(const char* what) {
    wire::FromRes::JobOver over = own_over(wire::FromRes::JobOver::NOT_STARTED, kNotStarted);
    over.set_why(std::string("cannot ") + what + " on " + order_.host() + ": " + std::strerror(errno));
    std::fprintf(stderr, "shepherd: %s\n", over.why().c_str());
    end_ = over.SerializeAsString();
    keep_end();
    _exit(1);
  }

  wire::FromRes::JobOver own_over(wire::FromRes::JobOver::How how, int code) const {
    wire::FromRes::JobOver over;
    *over.mutable_job() = order_.has_start() ? order_.start().job() : order_.expect().job();
    over.set_how(how);
    over.set_exit_status(code << 8);
    over.set_end_us(wall_us());
    return over;
  }

  int listen_for_res() {
    const int socket = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    sockaddr_un place{};
    place.sun_family = AF_UNIX;
    std::memcpy(place.sun_path, "s", 2);  // we are in the directory: its own path may be too long
    const mode_t before = umask(0177);
    const bool bound = bind(socket, reinterpret_cast<sockaddr*>(&place), sizeof place) == 0;
    umask(before);
    if (!bound || listen(socket, 8) != 0) not_started("listen in the job's directory");
    return socket;
  }

  void start(int listener) {
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) not_started("make a socket pair");
    const uid_t owner = geteuid();
    shepherd_ = fork_shepherd();
    if (shepherd_ < 0) not_started("start the job's shepherd");
    if (shepherd_ == 0) {
      close(ends[0]);
      if (const auto why =
              become_user(order_.uid(), order_.gid(), {order_.groups().begin(), order_.groups().end()});
          !why.empty())
        give_up(why);
      run_shepherd({std::move(order_), io::Descriptor(ends[1]), io::Descriptor(listener), std::move(res_),
                    slot_.fd(), std::move(signals_), owner});
    }
    shepherd_process_ = io::open_process(shepherd_);
    close(ends[1]);
    close(listener);
    words_ = io::FrameSocket(io::Descriptor(ends[0]));
    // res_ stays open: RES takes its closing as the sign that everything is on disk.
  }

  // Forks into a cgroup for all of the job's processes if one is available. The job also runs without one.
  pid_t fork_shepherd() {
    slot_ = io::CgroupSlot::take(order_.cgroups());
    if (slot_) {
      limit_memory();
      const pid_t pid = io::fork_into_cgroup(slot_.fd());
      if (pid >= 0) return pid;
      slot_ = io::CgroupSlot();
    }
    return fork();
  }

  void limit_memory() {
    const auto& limits = order_.has_start() ? order_.start().limits() : order_.expect().limits();
    if (!limits.has_memory_kb() || !order_.enforcement().memory_of_job()) return;
    // RES follows this link to change the limit after bmod.
    if (slot_.limit_memory(limits.memory_kb() * 1024)) {
      unlinkat(directory_.get(), "cgroup", 0);
      [[maybe_unused]] const int made = symlinkat(slot_.path().c_str(), directory_.get(), "cgroup");
    }
  }

  void turn() {
    pollfd fds[2] = {{signals_.get(), POLLIN, 0}, {words_.fd(), POLLIN, 0}};
    if (poll(fds, words_ ? 2 : 1, -1) < 0) return;
    if (words_ && fds[1].revents != 0) take_words();
    if (fds[0].revents != 0) {
      signalfd_siginfo info;
      while (read(signals_.get(), &info, sizeof info) > 0) continue;
      reap();
    }
  }

  bool reap() {
    int status = 0;
    pid_t pid = 0;
    while ((pid = waitpid(-1, &status, WNOHANG | WUNTRACED)) > 0) {
      if (pid != shepherd_) continue;
      left_by_itself_ = WIFEXITED(status) && WEXITSTATUS(status) == 0;
      // The shepherd runs as the job's user, who could stop it to escape all limits and every bkill.
      if (WIFSTOPPED(status))
        io::signal_process(pid, shepherd_process_, stopped_too_often() ? SIGKILL : SIGCONT);
      else
        ended_ = true;
    }
    return pid < 0;  // all children are reaped
  }

  // A shepherd that is stopped this often cannot enforce limits: it is killed, and the job with it.
  bool stopped_too_often() {
    const auto now = steady_now();
    if (now - stops_since_ > std::chrono::seconds(1)) stops_since_ = now, stops_ = 0;
    return ++stops_ > kMostStops;
  }

  void take_words() {
    if (!words_) return;
    const bool up = words_.receive([this](std::string_view word) -> Result<void> {
      take(word);
      return {};
    });
    if (!up) words_.close();
  }

  void take(std::string_view word) {
    const std::string_view message = word.substr(1);
    switch (word.front()) {
      case kFrameOver:
        // The first report stands: a later one must not change how the job ended.
        if (end_.empty()) end_ = message, kept_end_ = keep("end", end_);
        words_.send(std::string(1, kFrameKept));
        return;
      case kFramePost:
        post_ = message;
        kept_post_ = keep("post", post_);
        words_.send(std::string(1, kFrameKept));
        return;
      case kFrameFreeze:
        say_once_that_it_runs();
        slot_.freeze_below(shepherd_);
        return;
      case kFrameThaw:
        return slot_.thaw();
      case kFrameKill:
        io::signal_if_below(shepherd_, SIGKILL, io::descendants_of(shepherd_));
        return;
      default:
        return;
    }
  }

  void say_once_that_it_runs() {
    if (std::exchange(said_that_it_runs_, true)) return;
    const auto& key = (order_.has_start() ? order_.start().job() : order_.expect().job()).key();
    std::fprintf(stderr,
                 "shepherd: processes of job %d%s run although it is suspended; they are stopped again\n",
                 key.id(), key.index() == 0 ? "" : ("[" + std::to_string(key.index()) + "]").c_str());
  }

  bool keep(const char* name, std::string_view bytes) {
    const auto kept = io::write_marked(directory_.get(), name, bytes);
    if (!kept) std::fprintf(stderr, "shepherd: %s\n", kept.error().text.c_str());
    return static_cast<bool>(kept);
  }

  // Kills what is left after a shepherd was killed or a process escaped it: such processes are our children now.
  void end_what_is_left() {
    out_of_memory_ = slot_.ended_for_memory() > 0;
    slot_.end();
    for (int pause_ms = 1, spent_ms = 0; !reap() && spent_ms < kPatienceMs;
         pause_ms = std::min(2 * pause_ms, 50)) {
      io::signal_descendants(SIGKILL);
      pollfd children{signals_.get(), POLLIN, 0};
      poll(&children, 1, pause_ms);
      spent_ms += pause_ms;
      signalfd_siginfo info;
      while (read(signals_.get(), &info, sizeof info) > 0) continue;
    }
  }

  // Retries while the disk is full: only the guard knows how the job ended.
  void keep_end() {
    // On a further host of the job there is no end to tell.
    if (end_.empty() && left_by_itself_ && !order_.has_start())
      end_ = own_over(wire::FromRes::JobOver::ENDED, 0).SerializeAsString();
    if (end_.empty()) {
      auto over = own_over(wire::FromRes::JobOver::SHEPHERD_LOST, 128 + SIGKILL);
      over.set_why((stops_ > kMostStops ? "the job stopped its shepherd without end on "
                                        : "the shepherd of the job was killed on ") +
                   order_.host());
      if (out_of_memory_) {  // the kernel chose the shepherd, as the largest process in the cgroup
        over.set_how(wire::FromRes::JobOver::ENDED);
        over.set_term_reason(kTermMemLimit);
      }
      end_ = over.SerializeAsString();
    }
    const auto try_again = [this](bool& kept, const char* name, const std::string& bytes) {
      return kept = kept || io::write_marked(directory_.get(), name, bytes);
    };
    while (!try_again(kept_end_, "end", end_) || !try_again(kept_post_, "post", post_)) {
      if (faccessat(directory_.get(), "order", F_OK, 0) != 0) return;  // RES has removed the job: stop trying
      poll(nullptr, 0, kRoomPauseMs);
    }
  }

  wire::JobOrder order_;
  io::Descriptor directory_, res_, signals_, shepherd_process_;
  io::FrameSocket words_;
  io::CgroupSlot slot_;  // held until we and the shepherd are gone
  pid_t shepherd_ = -1;
  bool ended_ = false, left_by_itself_ = false, out_of_memory_ = false, said_that_it_runs_ = false;
  TimePoint stops_since_{};
  int stops_ = 0;
  std::string end_, post_;  // the contents of the files "end" and "post"
  bool kept_end_ = false, kept_post_ = true;
};

}  // namespace

void run_guard(io::Descriptor directory, io::Descriptor res) {
  const auto text = io::read_marked(directory.get(), "order", kMostOrder);
  wire::JobOrder order;
  if (!text || !order.ParseFromString(*text)) give_up("the job's directory has no order that can be read");
  // A job begins only once. The lock keeps other guards out; a read-only order shows that one of them began the job before.
  struct stat facts;
  if (fstatat(directory.get(), "order", &facts, AT_SYMLINK_NOFOLLOW) != 0 || (facts.st_mode & S_IWUSR) == 0)
    give_up("the job has begun before");
  if (fchmodat(directory.get(), "order", 0400, 0) != 0) fail("begin the job");
  Guard(std::move(order), std::move(directory), std::move(res)).run();
}

}  // namespace rollcall::res
