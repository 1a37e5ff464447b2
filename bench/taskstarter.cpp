// bench_taskstarter [RUNS]: what TaskStarter costs one task.
//
// Interleaved runs of a static program, bare (fork, exec, wait) and behind a TaskStarter that talks to a pam of few
// words in another process: medians, their difference, CPU time, and the anonymous memory of both levels while a task
// runs. Nothing else should run on the machine.
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include "tests/io/taskstarter/taskstarter_stage.hpp"

namespace {

using namespace rollcall::taskstarter::test;
using rollcall::io::Descriptor;
using Clock = std::chrono::steady_clock;

constexpr double kTargetMs = 1.3;
constexpr long kTargetKib = 256;

// The value that `part` of all are below; 0.5 is the median.
double quantile(std::vector<double> values, double part) {
  std::sort(values.begin(), values.end());
  return values[static_cast<std::size_t>(part * static_cast<double>(values.size()))];
}

double cpu_ms() {
  rusage used{};
  getrusage(RUSAGE_CHILDREN, &used);
  const auto ms = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) * 1e3 + static_cast<double>(t.tv_usec) / 1e3;
  };
  return ms(used.ru_utime) + ms(used.ru_stime);
}

pid_t start(const std::vector<std::string>& words) {
  std::vector<char*> argv;
  for (const auto& word : words) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  const pid_t pid = fork();
  if (pid == 0) {
    execv(argv[0], argv.data());
    _exit(99);
  }
  return pid;
}

// Milliseconds from fork to the end.
double run(const std::vector<std::string>& words) {
  const auto begin = Clock::now();
  int status = 0;
  waitpid(start(words), &status, 0);
  if (status != 0) {
    std::fprintf(stderr, "bench_taskstarter: %s ended with wait status %d, expected 0\n", words[0].c_str(),
                 status);
    std::exit(1);
  }
  return std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
}

long anonymous_kib(pid_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/smaps_rollup");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("Anonymous:")) return std::atol(line.c_str() + sizeof "Anonymous:" - 1);
  return -1;
}

// Serves one starter after the other.
[[noreturn]] void serve(FakePam& pam) {
  for (std::uint32_t tid = 0;; ++tid) {
    auto talk = pam.accept();
    talk.registration();
    talk.welcome(tid);
    talk.closed_by_starter();
  }
}

struct Memory {
  long outer_kib, inner_kib;
};

Memory measure_memory(FakePam& pam, std::vector<std::string> words) {
  words.push_back("stay");
  const pid_t outer = start(words);
  auto talk = pam.accept();
  const auto told = talk.registration();
  talk.welcome(0);
  wait_until("the inner level to rest", [&] { return state_of(told.inner_pid()) == 'S'; });
  const Memory memory{anonymous_kib(outer), anonymous_kib(told.inner_pid())};
  talk.end_task(0);
  talk.ended();
  waitpid(outer, nullptr, 0);
  return memory;
}

}  // namespace

int main(int argc, char** argv) {
  const int runs = argc > 1 ? std::max(1, std::atoi(argv[1])) : 400;
  const KeyFile key;
  setenv("ROLLCALL_KEY_FILE", key.path.c_str(), 1);
  FakePam pam(key.key);
  const std::vector<std::string> bare{ROLLCALL_BENCH_TASK};
  const std::vector<std::string> behind{ROLLCALL_TASK_STARTER, "-p",   pam.where(),    "-c",
                                        "/nonexistent",        "-s",   "/nonexistent", "-a",
                                        "LINUX86_64",          bare[0]};
  const Memory memory = measure_memory(pam, behind);
  const pid_t server = fork();
  if (server == 0) serve(pam);
  std::vector<double> bare_ms, behind_ms;
  double bare_cpu = 0, behind_cpu = 0;
  for (int i = 0; i < runs + 10; ++i) {  // the first ten warm the caches
    const double before = cpu_ms();
    const double bare_took = run(bare);
    const double between = cpu_ms();
    const double behind_took = run(behind);
    if (i < 10) continue;
    bare_ms.push_back(bare_took);
    behind_ms.push_back(behind_took);
    bare_cpu += between - before;
    behind_cpu += cpu_ms() - between;
  }
  kill(server, SIGKILL);
  waitpid(server, nullptr, 0);

  std::printf("%d interleaved runs                        bare   behind TaskStarter   over bare   target\n",
              runs);
  const auto print_times = [&](const char* what, double part, double target) {
    const double bare_part = quantile(bare_ms, part), behind_part = quantile(behind_ms, part);
    std::printf("%-36s   %8.2f   %18.2f   %9.2f", what, bare_part, behind_part, behind_part - bare_part);
    target > 0 ? std::printf("   %6.2f\n", target) : std::printf("\n");
  };
  print_times("fork, exec, end (median, ms)", 0.5, kTargetMs);
  print_times("the quickest tenth (at most, ms)", 0.1, 0);
  std::printf("CPU time (mean, ms)                    %8.2f   %18.2f   %9.2f\n", bare_cpu / runs,
              behind_cpu / runs, (behind_cpu - bare_cpu) / runs);
  std::printf("anonymous memory, outer + inner (KiB)         -   %7ld + %3ld = %3ld           -   %6ld\n",
              memory.outer_kib, memory.inner_kib, memory.outer_kib + memory.inner_kib, kTargetKib);
  return 0;
}
