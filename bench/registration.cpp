// bench_registration: how fast a real pam takes registrations and ends, and with how much memory.
//
//   bench_registration [--pam FILE] [--tasks N]... [--per-host N] [--wave N] [--window N] [--runs N]
//
// With --per-host the tasks of a host share one conversation, that of its relay, and a signal for all is timed; without it each task
// dials itself.
//
// pam is started with this program as its launcher (Method 2). As a launcher it is called
//   bench_registration launcher TASKS WAVE WINDOW PER_HOST RESULT_FILE
// and simulates the TaskStarters; what it measured goes into RESULT_FILE.
#include <fcntl.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "bench/simulated_hosts.hpp"
#include "bench/simulated_starters.hpp"
#include "common/io/key_file.hpp"

extern char** environ;

namespace rollcall::bench {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr auto kGiveUp = std::chrono::seconds(600);  // for one run

struct Settings {
  std::string self, pam;
  std::vector<std::size_t> tasks;
  std::size_t wave = 15000, window = 2000, runs = 3;
  std::size_t per_host = 0;  // 0: every task has a connection of its own
};

struct Measured {
  double registering = 0, signalling = 0, reporting = 0, whole = 0;  // seconds
  double cpu = 0;                                                    // seconds of pam's own
  double peak_mib = 0;                                               // VmHWM of pam
  std::size_t waves = 0;
};

// ---- as the launcher

int as_launcher(char** words) {
  const char* options = std::getenv("LSF_TS_OPTIONS");
  const char* key_file = std::getenv("ROLLCALL_KEY_FILE");
  const auto complain = [](const std::string& text) {
    std::fprintf(stderr, "bench_registration: %s\n", text.c_str());
    return 1;
  };
  if (options == nullptr || key_file == nullptr)
    return complain("LSF_TS_OPTIONS or ROLLCALL_KEY_FILE is missing");
  auto simulation = simulation_of(options);
  if (!simulation) return complain(simulation.error().text);
  const auto key = io::load_key(key_file);
  if (!key) return complain(key.error().text);
  simulation->key = *key;
  simulation->tasks = std::strtoul(words[0], nullptr, 10);
  simulation->wave = std::strtoul(words[1], nullptr, 10);
  simulation->window = std::strtoul(words[2], nullptr, 10);
  const std::size_t per_host = std::strtoul(words[3], nullptr, 10);
  const auto times = per_host == 0 ? simulate(*simulation) : simulate_hosts(*simulation, per_host);
  if (!times) return complain(times.error().text);
  std::ofstream(words[4]) << times->registering << ' ' << times->signalling << ' ' << times->reporting << ' '
                          << times->waves << '\n';
  return 0;
}

// ---- as the bench

// A folder of our own: the key, an lsf.conf that says nothing, what pam says, and the launcher's result.
class Scratch {
 public:
  Scratch() {
    path_ = (fs::temp_directory_path() / "rollcall-bench-XXXXXX").string();
    if (mkdtemp(path_.data()) == nullptr) throw std::runtime_error("cannot make " + path_);
    std::ofstream(file("lsf.conf")) << "# nothing\n";
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  ~Scratch() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  std::string file(const std::string& name) const { return path_ + "/" + name; }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

pid_t start(const std::vector<std::string>& words, const std::string& said) {
  std::vector<char*> argv;
  for (const auto& word : words) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&files, 1, said.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_adddup2(&files, 1, 2);
  pid_t pid = 0;
  const int error = posix_spawn(&pid, argv[0], &files, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&files);
  if (error != 0) throw std::runtime_error("cannot start " + words[0] + ": " + std::strerror(error));
  return pid;
}

// The last values pam had while it lived; both only grow. Its rusage would not do: it holds the launcher's
// too.
void sample(pid_t pid, Measured& measured) {
  const std::string proc = "/proc/" + std::to_string(pid);
  std::ifstream status(proc + "/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("VmHWM:")) measured.peak_mib = std::atof(line.c_str() + 6) / 1024;
  std::ifstream schedule(proc + "/schedstat");
  double nanoseconds = 0;
  if (schedule >> nanoseconds && nanoseconds > 0) measured.cpu = nanoseconds / 1e9;
}

// Waits for pam's end and looks at it meanwhile; the status word of wait(2).
int wait_and_sample(pid_t pid, Measured& measured) {
  const auto give_up = Clock::now() + kGiveUp;
  for (int status = 0;;) {
    sample(pid, measured);
    if (waitpid(pid, &status, WNOHANG) == pid) return status;
    if (Clock::now() > give_up) kill(pid, SIGKILL);
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
}

Measured run_once(const Settings& settings, std::size_t tasks) {
  const Scratch scratch;
  setenv("ROLLCALL_KEY_FILE", scratch.file("key").c_str(), 1);
  setenv("LSF_ENVDIR", scratch.path().c_str(), 1);
  const std::string result = scratch.file("result"), said = scratch.file("said");
  Measured measured;
  const auto begin = Clock::now();
  const pid_t pid = start({settings.pam, "-n", std::to_string(tasks), "-g", settings.self, "launcher",
                           std::to_string(tasks), std::to_string(settings.wave),
                           std::to_string(settings.window), std::to_string(settings.per_host), result},
                          said);
  const int status = wait_and_sample(pid, measured);
  measured.whole = std::chrono::duration<double>(Clock::now() - begin).count();
  std::ifstream(result) >> measured.registering >> measured.signalling >> measured.reporting >>
      measured.waves;
  if (status == 0 && measured.waves > 0) return measured;
  std::ifstream output(said);
  int shown = 0;
  for (std::string line; shown < 20 && std::getline(output, line); ++shown)
    std::fprintf(stderr, "  %s\n", line.c_str());
  throw std::runtime_error("pam failed, its wait status is " + std::to_string(status));
}

template <class Field>
double median(const std::vector<Measured>& runs, Field field) {
  std::vector<double> values;
  for (const auto& run : runs) values.push_back(run.*field);
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

void measure(const Settings& settings, std::size_t tasks) {
  std::vector<Measured> runs;
  for (std::size_t i = 0; i < settings.runs; ++i) {
    if (isatty(2)) std::fprintf(stderr, "\r%zu tasks, run %zu of %zu ", tasks, i + 1, settings.runs);
    runs.push_back(run_once(settings, tasks));
  }
  if (isatty(2)) std::fprintf(stderr, "\r\033[K");
  std::printf("%8zu %6zu %12.3f %10.3f %10.3f %10.3f %16.1f %14.1f\n", tasks, runs[0].waves,
              median(runs, &Measured::registering), median(runs, &Measured::signalling),
              median(runs, &Measured::reporting), median(runs, &Measured::whole),
              median(runs, &Measured::cpu) * 1e6 / static_cast<double>(tasks),
              median(runs, &Measured::peak_mib));
  std::fflush(stdout);
}

Settings settings_of(int argc, char** argv) {
  Settings settings;
  settings.self = fs::read_symlink("/proc/self/exe").string();
  settings.pam = (fs::path(settings.self).parent_path().parent_path() / "bin/pam").string();
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string option = argv[i];
    const std::size_t number = std::strtoul(argv[i + 1], nullptr, 10);
    if (option == "--pam")
      settings.pam = argv[i + 1];
    else if (option == "--tasks" && number > 0)
      settings.tasks.push_back(number);
    else if (option == "--wave" && number > 0)
      settings.wave = number;
    else if (option == "--window" && number > 0)
      settings.window = number;
    else if (option == "--per-host" && number > 0)
      settings.per_host = number;
    else if (option == "--runs" && number > 0)
      settings.runs = number;
    else
      throw std::runtime_error(
          option + " " + argv[i + 1] +
          ": expected --pam FILE, --tasks N, --per-host N, --wave N, --window N or --runs N");
  }
  if (argc % 2 == 0) throw std::runtime_error(std::string(argv[argc - 1]) + ": expected a value after it");
  if (settings.tasks.empty()) settings.tasks = {10000, 100000};
  return settings;
}

int as_bench(int argc, char** argv) {
  const Settings settings = settings_of(argc, argv);
  std::printf("simulated TaskStarters against %s, medians of %zu runs\n", settings.pam.c_str(),
              settings.runs);
  std::printf(
      "waves of at most %zu tasks, at most %zu of them not yet welcomed, %s, %u processors for both "
      "sides\n",
      settings.wave, settings.window,
      settings.per_host == 0 ? "a connection for each"
                             : ("a connection for each host of " + std::to_string(settings.per_host)).c_str(),
      std::thread::hardware_concurrency());
  std::printf("%8s %6s %12s %10s %10s %10s %16s %14s\n", "tasks", "waves", "register s", "signal s",
              "report s", "whole s", "pam CPU us/task", "pam peak MiB");
  for (const std::size_t tasks : settings.tasks) measure(settings, tasks);
  return 0;
}

}  // namespace
}  // namespace rollcall::bench

int main(int argc, char** argv) {
  if (argc == 7 && std::string(argv[1]) == "launcher") return rollcall::bench::as_launcher(argv + 2);
  try {
    return rollcall::bench::as_bench(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench_registration: %s\n", error.what());
    return 1;
  }
}
