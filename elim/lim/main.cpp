// lim: the load information manager of one host. Options in, a daemon in the foreground; everything else is elsewhere.
#include <fcntl.h>
#include <malloc.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <string>
#include <vector>

#include "common/base/numbers.hpp"
#include "elim/lim/daemon.hpp"

namespace {

using namespace rollcall;

constexpr const char* kUsage =
    "usage: lim [-d LSF_ENVDIR]\n"
    "       lim -h | -V\n"
    "Runs the load information manager of this host, in the foreground; lsf_daemons starts it as a daemon.\n";

// Who started us may wait for one line: "ready", or why not. Nothing that we start has the descriptor.
class Starter {
 public:
  Starter() {
    const char* word = std::getenv("ROLLCALL_READY_FD");
    const auto number = parse_whole(word == nullptr ? "" : word, 0, 1'000'000);
    unsetenv("ROLLCALL_READY_FD");
    if (number && fcntl(*number, F_SETFD, FD_CLOEXEC) == 0) fd_ = *number;
  }
  void tell(const std::string& line) {
    if (fd_ < 0) return;
    const std::string text = line + "\n";
    [[maybe_unused]] const ssize_t written = write(fd_, text.data(), text.size());
    close(fd_);
    fd_ = -1;
  }

 private:
  int fd_ = -1;
};

struct Options {
  std::optional<std::string> env_dir;
  bool help = false, version = false;
};

Result<Options> parse_options(const std::vector<std::string>& words) {
  Options options;
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

// Streams that were closed stay closed for children, but no descriptor of ours takes their place.
void fill_standard_streams() {
  int fd = 0;
  while (fd >= 0 && fd <= STDERR_FILENO) fd = open("/dev/null", O_RDWR | O_CLOEXEC);
  if (fd > STDERR_FILENO) close(fd);
}

// Many hosts report to a master, each on a connection of its own.
rlimit raise_descriptor_limit() {
  rlimit before{};
  getrlimit(RLIMIT_NOFILE, &before);
  const rlimit raised{before.rlim_max, before.rlim_max};
  setrlimit(RLIMIT_NOFILE, &raised);
  return before;
}

std::string own_program() {
  std::string path(4096, '\0');
  const ssize_t size = readlink("/proc/self/exe", path.data(), path.size());
  path.resize(size > 0 ? static_cast<std::size_t>(size) : 0);
  // A new version may have been put in its place.
  constexpr std::string_view kReplaced = " (deleted)";
  if (path.size() > kReplaced.size() &&
      path.compare(path.size() - kReplaced.size(), std::string::npos, kReplaced) == 0)
    path.resize(path.size() - kReplaced.size());
  return path;
}

class Program {
 public:
  Program(char** argv, std::string path) : argv_(argv), path_(std::move(path)) {}

  int run(const Options& options, Starter& starter) {
    io::Log log(STDERR_FILENO, "lim", io::Level::warning);
    setup_.env_dir = options.env_dir;
    sigprocmask(SIG_SETMASK, nullptr, &setup_.mask);
    setup_.open_files = raise_descriptor_limit();
    for (;;) {
      auto loaded = lim::load_configuration(options.env_dir);
      for (const auto& line : loaded.warnings) log.warning(line);
      for (const auto& line : loaded.errors) log.error(line);
      if (!loaded.configuration) return fail(starter, log, loaded.errors.front(), false);
      setup_.configuration = loaded.configuration;
      set_level(log);
      const auto end = lim::run_daemon(setup_, log, [&starter] { starter.tell("ready"); });
      if (!end) return fail(starter, log, end.error().text, true);
      if (*end == lim::DaemonEnd::stopped) return 0;
      become_anew(log);
    }
  }

 private:
  int fail(Starter& starter, const io::Log& log, const std::string& line, bool say) const {
    if (say) log.error(line);
    starter.tell(line);
    return 1;
  }

  void set_level(io::Log& log) const {
    const std::string& word = setup_.configuration->files.settings.log_mask;
    const auto level = io::parse_level(word);
    if (level) log.set_last(*level);
    if (!level && !word.empty())
      log.warning("LSF_LOG_MASK: found " + word + ", expected LOG_ERR ... LOG_DEBUG");
  }

  // The program as it lies there now. Where that cannot be had, this one goes on from its beginning.
  void become_anew(const io::Log& log) const {
    setrlimit(RLIMIT_NOFILE, &setup_.open_files);
    execv(path_.c_str(), argv_);
    log.error("cannot execute " + path_ + ": " + std::strerror(errno) + "; going on as it was");
    raise_descriptor_limit();
  }

  char** argv_;
  std::string path_;
  lim::DaemonSetup setup_;
};

int run(char** argv, const std::vector<std::string>& words, Starter& starter) {
  const auto options = parse_options(words);
  if (!options) {
    std::fprintf(stderr, "lim: %s\n", options.error().text.c_str());
    starter.tell("lim: " + options.error().text);
    return exit_code_of(options.error());
  }
  if (options->help) return std::fputs(kUsage, stderr), 0;
  if (options->version) return std::fputs("Rollcall " ROLLCALL_VERSION "\n", stderr), 0;
  return Program(argv, own_program()).run(*options, starter);
}

}  // namespace

int main(int argc, char** argv) {
  fill_standard_streams();
  mallopt(M_ARENA_MAX, 1);  // the thread that looks up names needs no heap of its own
  signal(SIGPIPE, SIG_DFL);
  Starter starter;
  try {
    return run(argv, {argv + 1, argv + argc}, starter);
  } catch (const std::exception& error) {  // no memory left: what the libraries throw at us
    std::fprintf(stderr, "lim: %s\n", error.what());
    starter.tell(std::string("lim: ") + error.what());
    return 1;
  }
}
