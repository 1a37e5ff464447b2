#include "taskstarter/cgroup_keeper.hpp"

#include <errno.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <climits>
#include <cstring>

#include "common/io/run_program.hpp"

namespace rollcall::taskstarter {
namespace {

constexpr char kName[] = "rollcall-keeper";  // 15 bytes, as many as the kernel shows

void take_another_name(std::span<char* const> words) {
  prctl(PR_SET_NAME, kName);
  // The words of a command line lie behind each other, the program's first.
  char* const first = program_invocation_name;
  char* const end = words.back() + std::strlen(words.back());
  if (end - first < static_cast<std::ptrdiff_t>(sizeof kName)) return;
  std::memset(first, 0, static_cast<std::size_t>(end - first));
  std::memcpy(first, kName, sizeof kName);
}

// Everything but `spared`: a launcher waits for the end of what it gave us.
void close_all_but(int spared) {
  if (spared > 0) syscall(SYS_close_range, 0U, static_cast<unsigned>(spared) - 1, 0U);
  syscall(SYS_close_range, static_cast<unsigned>(spared) + 1, UINT_MAX, 0U);
}

[[noreturn]] void keep(const std::string& path, std::span<char* const> words) {
  const io::Descriptor directory = io::open_job_cgroup(path);  // it is there: our parent's parent holds it
  if (!directory) _exit(0);
  take_another_name(words);
  close_all_but(directory.get());
  [[maybe_unused]] const int moved = chdir("/");
  setsid();
  io::end_abandoned_jobs();
  io::end_job_cgroup(directory, path);
  _exit(0);
}

}  // namespace

void start_keeper(const io::JobCgroup& cgroup, std::span<char* const> words) {
  const pid_t between = fork();
  if (between == 0) {
    const pid_t keeper = fork();
    if (keeper == 0) keep(cgroup.path(), words);
    _exit(0);
  }
  if (between > 0) io::wait_for_end(between);
}

}  // namespace rollcall::taskstarter
