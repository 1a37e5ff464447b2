#include "common/io/daemon_start.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <string_view>
#include <utility>
#include <vector>

#include "common/base/numbers.hpp"
#include "common/io/descriptor.hpp"
#include "common/io/descriptor_limit.hpp"
#include "common/io/neighbours.hpp"
#include "common/io/root_trust.hpp"

namespace rollcall::io {
namespace {

std::string own_path() {
  std::string path(4096, '\0');
  const ssize_t size = readlink("/proc/self/exe", path.data(), path.size());
  path.resize(size > 0 ? static_cast<std::size_t>(size) : 0);
  // A new version may have replaced the file.
  constexpr std::string_view kReplaced = " (deleted)";
  if (path.size() > kReplaced.size() &&
      path.compare(path.size() - kReplaced.size(), std::string::npos, kReplaced) == 0)
    path.resize(path.size() - kReplaced.size());
  return path;
}

std::string taken_from_environment(const char* name) {
  const char* const word = std::getenv(name);
  std::string value = word == nullptr ? "" : word;
  unsetenv(name);
  return value;
}

int wrong(const DaemonName& name, Starter& starter, const std::string& text) {
  const std::string line = std::string(name.program) + ": " + text;
  std::fprintf(stderr, "%s\n", line.c_str());
  starter.tell(line);
  return 1;
}

}  // namespace

Starter::Starter() {
  const auto number = parse_whole(taken_from_environment("ROLLCALL_READY_FD"), 0, 1'000'000);
  if (number && fcntl(*number, F_SETFD, FD_CLOEXEC) == 0) fd_ = *number;
}

Starter::~Starter() {
  if (fd_ >= 0) close(fd_);
}

void Starter::tell(const std::string& line) {
  if (fd_ < 0) return;
  const std::string text = line + "\n";
  auto* const before = signal(SIGPIPE, SIG_IGN);
  [[maybe_unused]] const ssize_t written = write(fd_, text.data(), text.size());
  signal(SIGPIPE, before);
  close(std::exchange(fd_, -1));
}

DaemonProgram::DaemonProgram(char** argv)
    : argv_(argv),
      path_(own_path()),
      pid_file_(taken_from_environment("ROLLCALL_PID_FILE")),
      starter_(taken_from_environment("ROLLCALL_DAEMONS")),
      open_files_(raise_descriptor_limit()) {
  // Beyond the file size limit a write fails instead of ending the daemon. Children get the default, and so do we after
  // re-executing.
  sigset_t too_large;
  sigemptyset(&too_large);
  sigaddset(&too_large, SIGXFSZ);
  sigprocmask(SIG_BLOCK, &too_large, &mask_);
}

void DaemonProgram::become_anew(const Log& log) const {
  const auto trust = read_root_trust();
  const auto believed =
      trust ? check_trust(*trust, path_, "root would execute it") : Result<void>(trust.error());
  if (!believed) return log.error(believed.error().text + "; going on as it was");
  setrlimit(RLIMIT_NOFILE, &open_files_);
  sigset_t ours;
  sigprocmask(SIG_SETMASK, &mask_, &ours);
  // Not setenv(): another thread may be in getaddrinfo(), which reads the environment.
  std::string pid_file = "ROLLCALL_PID_FILE=" + pid_file_, starter = "ROLLCALL_DAEMONS=" + starter_;
  std::vector<char*> words;
  for (char** word = environ; *word != nullptr; ++word) words.push_back(*word);
  if (!pid_file_.empty()) words.push_back(pid_file.data());
  if (!starter_.empty()) words.push_back(starter.data());
  words.push_back(nullptr);
  execve(path_.c_str(), argv_, words.data());
  log.error("cannot execute " + path_ + ": " + std::strerror(errno) + "; going on as it was");
  sigprocmask(SIG_SETMASK, &ours, nullptr);
  raise_descriptor_limit();
}

// Emptied, not removed: a process that has it open and locked must have the same file as everybody else.
void DaemonProgram::ends_as_told() const {
  if (pid_file_.empty()) return;
  const Descriptor file(open(pid_file_.c_str(), O_RDWR | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY | O_NONBLOCK));
  struct stat info;
  if (!file || fstat(file.get(), &info) != 0 || !S_ISREG(info.st_mode)) return;
  std::array<char, 32> text;
  const ssize_t got = pread(file.get(), text.data(), text.size(), 0);
  const std::string ours = std::to_string(getpid()) + "\n";
  if (got < 0 || !std::string_view(text.data(), static_cast<std::size_t>(got)).starts_with(ours)) return;
  [[maybe_unused]] const int emptied = ftruncate(file.get(), 0);
}

Result<DaemonOptions> parse_daemon_options(const std::vector<std::string>& words) {
  DaemonOptions options;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] == "-h")
      options.help = true;
    else if (words[i] == "-V")
      options.version = true;
    else if (words[i] == "-d" && i + 1 < words.size())
      options.env_dir = words[++i];
    else
      return usage_error("found " + words[i] + ", expected -d LSF_ENVDIR, -h or -V");
  }
  return options;
}

void set_log_level(Log& log, const std::string& word) {
  const auto level = parse_level(word);
  if (level) log.set_last(*level);
  if (!level && !word.empty())
    log.warning("LSF_LOG_MASK: found " + word + ", expected LOG_ERR ... LOG_DEBUG");
}

void fill_standard_streams() {
  int fd = 0;
  while (fd >= 0 && fd <= STDERR_FILENO) fd = open("/dev/null", O_RDWR | O_CLOEXEC);
  if (fd > STDERR_FILENO) close(fd);
}

int daemon_main(const DaemonName& name, int argc, char** argv, const DaemonRun& run) {
  fill_standard_streams();
  signal(SIGPIPE, SIG_DFL);
  Starter starter;
  try {
    const auto options = parse_daemon_options({argv + 1, argv + argc});
    if (!options) return wrong(name, starter, options.error().text), exit_code_of(options.error());
    if (options->help) return std::fputs(name.usage, stderr), 0;
    if (options->version) return std::fprintf(stderr, "%s\n", name.product), 0;
    const DaemonProgram program(argv);
    const Neighbours neighbours({program.pid_file(), program.starter(), options->env_dir.value_or("")},
                                name.program);
    const int code = run(*options, program, starter);
    if (code == 0) program.ends_as_told();
    return code;
  } catch (const std::exception& error) {
    return wrong(name, starter, error.what());
  }
}

}  // namespace rollcall::io
