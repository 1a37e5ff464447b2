#include "elim/commands/daemon_start.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <variant>

#include "common/io/run_program.hpp"

namespace rollcall::elim {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kReadyDescriptor = 3;
constexpr std::size_t kMostReadyBytes = 4096;
constexpr Patience kAfterTerm{2000};  // for a daemon that did not get ready
constexpr Patience kForLeftBehind{2000};
constexpr Patience kAfterKill{5000};  // the kernel may be busy; more is a process that cannot be killed
constexpr std::string_view kReady = "ready";
constexpr std::string_view kReadyBut = "ready: ";

// What the daemon wrote into the pipe.
struct Said {
  enum class How { line, closed, nothing } how = How::nothing;
  std::string line;
};

Said read_line(int fd, Patience patience) {
  const auto end = Clock::now() + patience;
  Said said;
  std::array<char, 512> bytes;
  while (said.line.size() < kMostReadyBytes) {
    const auto left = std::chrono::duration_cast<Patience>(end - Clock::now()).count();
    pollfd ready{fd, POLLIN, 0};
    const int polled = poll(&ready, 1, static_cast<int>(std::max<Patience::rep>(left, 0)));
    if (polled < 0 && errno == EINTR) continue;
    if (polled <= 0) return said;
    const ssize_t got = read(fd, bytes.data(), bytes.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return said.how = Said::How::closed, said;
    said.line.append(bytes.data(), static_cast<std::size_t>(got));
    if (const auto newline = said.line.find('\n'); newline != std::string::npos) {
      said.line.resize(newline);
      return said.how = Said::How::line, said;
    }
  }
  return said.how = Said::How::line, said;
}

std::vector<std::string> our_environment() {
  std::vector<std::string> words;
  for (char** word = environ; *word != nullptr; ++word) words.emplace_back(*word);
  return words;
}

std::string ending_text(int status) {
  if (WIFSIGNALED(status)) return "it died by signal " + std::to_string(WTERMSIG(status));
  return "it ended with exit status " + std::to_string(WEXITSTATUS(status));
}

// A child that is to be ended, or has ended by itself, and its exit status.
std::string end_child(const show::DaemonKind& kind, pid_t child, bool by_itself) {
  const auto mark = mark_of(child);
  const auto held = mark ? HeldProcess::hold(*mark) : std::nullopt;
  if (held) {
    if (!by_itself || !held->gone_within(kAfterTerm)) {
      by_itself = false;
      static_cast<void>(stop_daemon(kind, *held, kAfterTerm));
    }
  }
  const int status = io::wait_for_end(child);
  return by_itself ? ending_text(status) : "";
}

// The message about a daemon that is not ready: its own line, its exit status, the last line of its log.
Error not_ready(const show::DaemonKind& kind, const Said& said, const std::string& ending, Patience patience,
                const std::string& log, const std::string& log_path) {
  std::string why;
  if (said.how == Said::How::line) {
    why = show::last_line(said.line);
  } else {
    why = !ending.empty() ? ending
          : said.how == Said::How::nothing
              ? "not ready after " + std::to_string(patience.count() / 1000) + " s"
              : "it closed its readiness descriptor without a word";
    const std::string line = show::last_line(log);
    why += line.empty() ? "; its log has nothing" : ": " + line;
  }
  return internal_error(kind.name + " did not start: " + why + " (" + log_path + ")");
}

io::SpawnPlan plan_for(const std::string& program, const show::DaemonWords& words, int null, int log,
                       int ready) {
  io::SpawnPlan plan;
  plan.argv = {program, "-d", words.env_dir};
  plan.environment = show::daemon_environment(our_environment(), geteuid() == 0, words);
  sigemptyset(&plan.mask);
  plan.own_session = true;
  plan.descriptors = {
      {null, STDIN_FILENO}, {log, STDOUT_FILENO}, {log, STDERR_FILENO}, {ready, kReadyDescriptor}};
  return plan;
}

}  // namespace

Result<StartedDaemon> start_daemon(const show::DaemonKind& kind, const DaemonPlace& place, PidFile& file,
                                   Patience patience, const std::string& starter) {
  const auto program = place.program(kind);
  if (!program) return program.error();
  const auto log = place.open_log(kind);
  if (!log) return log.error();
  const io::Descriptor null(open("/dev/null", O_RDONLY | O_CLOEXEC));
  int ends[2];
  if (!null || pipe2(ends, O_CLOEXEC) != 0)
    return internal_error(std::string("no descriptors: ") + std::strerror(errno));
  const io::Descriptor from_daemon(ends[0]);
  io::Descriptor to_us(ends[1]);

  const show::DaemonWords words{place.settings().env_dir, file.path(), kReadyDescriptor, starter};
  const auto started = io::spawn(plan_for(*program, words, null.get(), log->fd.get(), to_us.get()));
  to_us.reset();
  if (const auto* error = std::get_if<io::SpawnError>(&started))
    return internal_error(kind.name + ": cannot " + io::stage_text(error->stage) + " " + error->path + ": " +
                          std::strerror(error->error));
  const pid_t child = std::get<pid_t>(started);
  // Written at once, so that `stop` finds the daemon even if we are killed now.
  const auto mark = mark_of(child);
  if (mark) {
    if (auto written = file.write(*mark); !written) {
      end_child(kind, child, false);
      return written.error();
    }
  }
  const Said said = read_line(from_daemon.get(), patience);
  if (said.how == Said::How::line && mark) {
    if (said.line == kReady) return StartedDaemon{*mark, ""};
    if (said.line.starts_with(kReadyBut)) return StartedDaemon{*mark, said.line.substr(kReadyBut.size())};
  }
  const std::string ending = end_child(kind, child, said.how != Said::How::nothing);
  return not_ready(kind, said, ending, patience, log_since(log->path, log->size), log->path);
}

Result<Stopped> stop_daemon(const show::DaemonKind& kind, const HeldProcess& daemon, Patience patience) {
  const auto hold_below = [&] {
    const bool stay = kind.children == show::DaemonKind::Children::stay;
    return stay ? std::vector<HeldProcess>() : hold_descendants(daemon.pid());
  };
  auto below = hold_below();
  if (const int error = daemon.send(SIGTERM))
    return internal_error("cannot stop pid " + std::to_string(daemon.pid()) + ": " + std::strerror(error));
  Stopped stopped;
  if (!daemon.gone_within(patience)) {
    below = hold_below();  // before they lose their parent
    daemon.send(SIGKILL);
    stopped.killed = true;
  }
  const auto end = Clock::now() + kForLeftBehind;
  for (const auto& process : below) {
    const auto left = std::chrono::duration_cast<Patience>(end - Clock::now());
    if (process.gone_within(std::max(left, Patience(0)))) continue;
    process.send(SIGKILL);
    ++stopped.left_behind;
  }
  const auto gone = [](const HeldProcess& process) { return process.gone_within(kAfterKill); };
  if (gone(daemon) && std::all_of(below.begin(), below.end(), gone)) return stopped;
  return internal_error("pid " + std::to_string(daemon.pid()) +
                        " or a process below it is there after SIGKILL");
}

}  // namespace rollcall::elim
