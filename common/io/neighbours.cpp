#include "common/io/neighbours.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <exception>
#include <map>
#include <string_view>
#include <system_error>
#include <variant>

#include "common/base/numbers.hpp"
#include "common/base/restart_pauses.hpp"
#include "common/io/descriptor.hpp"
#include "common/io/read_file.hpp"
#include "common/io/root_trust.hpp"
#include "common/io/spawn.hpp"

namespace rollcall::io {
namespace {

constexpr int kLookMs = 2000;
constexpr std::array<const char*, 3> kDaemons{"lim", "res", "mbatchd"};

// The end of our pid file's name after the daemon's, ".HOST.pid"; "" where the name has another form.
std::string behind_name(const std::string& pid_file, const std::string& program) {
  const std::string name = pid_file.substr(pid_file.rfind('/') + 1);
  return name.starts_with(program + ".") ? name.substr(program.size()) : "";
}

// Blocks all signals in the thread: they are for the daemon's loop.
void block_signals() {
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, nullptr);
}

// A daemon of an earlier boot is not restarted: after a boot the administrator decides what runs.
bool of_this_boot(std::string_view mark) {
  const auto boot = read_file("/proc/sys/kernel/random/boot_id");
  return !boot || mark.find(std::string_view(*boot).substr(0, boot->find('\n'))) != mark.npos;
}

}  // namespace

bool daemon_has_died(const std::string& pid_file) {
  const Descriptor file(open(pid_file.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY | O_NONBLOCK));
  std::array<char, 256> text;
  const ssize_t size = file ? read(file.get(), text.data(), text.size()) : 0;
  const std::string_view mark(text.data(), static_cast<std::size_t>(std::max<ssize_t>(size, 0)));
  const auto pid = parse_whole(mark.substr(0, mark.find('\n')), 2, 1 << 30);
  if (!pid || !of_this_boot(mark)) return false;
  const Descriptor process(static_cast<int>(syscall(SYS_pidfd_open, *pid, 0)));
  if (!process) return errno == ESRCH;
  pollfd ended{process.get(), POLLIN, 0};  // a zombie counts as gone
  return poll(&ended, 1, 0) > 0;
}

Neighbours::Neighbours(Host host, const std::string& program)
    : host_(std::move(host)), log_(STDERR_FILENO, program, Level::warning) {
  if (host_.pid_file.empty() || host_.starter.empty() || host_.env_dir.empty()) return;
  wake_ = eventfd(0, EFD_CLOEXEC);
  if (wake_ < 0) return;
  const std::string behind = behind_name(host_.pid_file, program);
  if (behind.empty()) return;
  sigset_t before;
  pthread_sigmask(SIG_SETMASK, nullptr, &before);
  block_signals();  // the thread begins with them blocked
  try {
    thread_ = std::thread([this] { watch(); });
  } catch (const std::system_error& error) {
    log_.warning(std::string("no thread to watch the other daemons of this host: ") + error.what());
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

Neighbours::~Neighbours() {
  if (thread_.joinable()) {
    const std::uint64_t one = 1;
    [[maybe_unused]] const ssize_t written = write(wake_, &one, sizeof one);
    thread_.join();
  }
  if (wake_ >= 0) close(wake_);
}

void Neighbours::watch() {
  const std::string directory = host_.pid_file.substr(0, host_.pid_file.rfind('/') + 1);
  const std::string own = host_.pid_file.substr(directory.size());
  const std::string program = own.substr(0, own.find('.'));
  std::map<std::string, RestartPauses> pauses;
  while (true) {
    pollfd end{wake_, POLLIN, 0};
    if (poll(&end, 1, kLookMs) > 0) return;
    for (const std::string name : kDaemons) {
      if (name == program || !daemon_has_died(directory + name + own.substr(program.size()))) continue;
      const auto now = std::chrono::steady_clock::now();
      if (!pauses[name].may_start(now)) continue;
      pauses[name].started(now);
      try {
        revive(name);
      } catch (const std::exception& error) {  // no memory: tried again at the next look
        log_.error(name + " has died, and cannot be started again: " + error.what());
      }
    }
  }
}

void Neighbours::revive(const std::string& name) {
  const auto trust = read_root_trust();
  const auto believed =
      trust ? check_trust(*trust, host_.starter, "root would execute it") : Result<void>(trust.error());
  if (!believed) return log_.error(name + " has died, and is not started again: " + believed.error().text);
  log_.warning(name + " has died: lsf_daemons is asked to start it again");
  SpawnPlan plan;
  plan.argv = {host_.starter, "-d", host_.env_dir, "revive", name};
  plan.standard_output = STDERR_FILENO;
  plan.own_session = true;
  sigemptyset(&plan.mask);
  const auto started = spawn(plan);
  if (std::holds_alternative<SpawnError>(started))
    return log_.error("cannot execute " + host_.starter + ": " +
                      std::strerror(std::get<SpawnError>(started).error));
  const pid_t child = std::get<pid_t>(started);
  const Descriptor process(static_cast<int>(syscall(SYS_pidfd_open, child, 0)));
  pollfd either[2] = {{process.get(), POLLIN, 0}, {wake_, POLLIN, 0}};
  while (process && poll(either, 2, -1) < 0 && errno == EINTR) {
  }
  // A daemon that reaps all its children may have reaped this one first. If we end before it, it goes on by itself.
  waitpid(child, nullptr, WNOHANG);
}

}  // namespace rollcall::io
