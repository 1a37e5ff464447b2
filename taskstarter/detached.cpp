#include "taskstarter/detached.hpp"

#include <errno.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <climits>
#include <cstring>
#include <string>

#include "common/io/run_program.hpp"

namespace rollcall::taskstarter {
namespace {

void take_name(const std::string& name, std::span<char* const> words) {
  prctl(PR_SET_NAME, name.c_str());
  // The words of a command line lie behind each other, the program's first.
  char* const first = program_invocation_name;
  char* const end = words.back() + std::strlen(words.back());
  if (end - first <= static_cast<std::ptrdiff_t>(name.size())) return;
  std::memset(first, 0, static_cast<std::size_t>(end - first));
  std::memcpy(first, name.data(), name.size());
}

void close_all_but(int spared) {
  if (spared > 0) syscall(SYS_close_range, 0U, static_cast<unsigned>(spared) - 1, 0U);
  syscall(SYS_close_range, static_cast<unsigned>(spared) + 1, UINT_MAX, 0U);
}

}  // namespace

bool fork_detached() {
  const pid_t between = fork();
  if (between == 0) {
    if (fork() == 0) return true;
    _exit(0);
  }
  if (between > 0) io::wait_for_end(between);
  return false;
}

void leave_launcher(std::string_view name, int spared, std::span<char* const> words) {
  take_name(std::string(name), words);
  close_all_but(spared);
  [[maybe_unused]] const int moved = chdir("/");
  setsid();
}

}  // namespace rollcall::taskstarter
