#include "common/io/spawn.hpp"

#include <errno.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>

namespace rollcall::io {
namespace {

constexpr std::array<const char*, 9> kStageTexts{"fork",
                                                 "make a cgroup for",
                                                 "set the limits of",
                                                 "redirect the output of",
                                                 "make a process group for",
                                                 "change the user of",
                                                 "watch over",
                                                 "execute",
                                                 "enter the directory of"};
static_assert(kStageTexts.size() == static_cast<std::size_t>(SpawnStage::directory) + 1,
              "every stage has its text");

std::vector<char*> pointers(const std::vector<std::string>& words) {
  std::vector<char*> result;
  result.reserve(words.size() + 1);
  for (const auto& word : words) result.push_back(const_cast<char*>(word.c_str()));
  result.push_back(nullptr);
  return result;
}

// Shared with the child, which runs in our memory until its exec.
struct Failure {
  volatile bool begun = false;
  volatile SpawnStage stage = SpawnStage::fork;
  volatile int error = 0;
};

// In the child: only system calls from here on.

// Makes `fd` the descriptor 1. Where the caller had none, it may be that already: dup2 then does nothing, and
// close-on-exec would stay set.
bool redirect(int fd) {
  return fd == STDOUT_FILENO ? fcntl(fd, F_SETFD, 0) == 0 : dup2(fd, STDOUT_FILENO) >= 0;
}

// First all are moved out of the way (to kAbove or more), since a target may be another one's source.
constexpr int kAbove = 64;

bool place(const SpawnPlan& plan, int* moved) {
  const auto& wanted = plan.descriptors;
  for (std::size_t i = 0; i < wanted.size(); ++i)
    if ((moved[i] = fcntl(wanted[i].from, F_DUPFD_CLOEXEC, kAbove)) < 0) return false;
  for (std::size_t i = 0; i < wanted.size(); ++i)
    if (dup2(moved[i], wanted[i].to) < 0) return false;
  return true;
}

// The kernel's own calls: the library's wrappers would signal all threads of the parent, whose memory this is.
bool become_user(const SpawnIdentity& who) {
  if (syscall(SYS_setgroups, who.groups.size(), who.groups.data()) != 0) return false;
  if (syscall(SYS_setresgid, who.group, who.group, who.group) != 0) return false;
  if (syscall(SYS_setresuid, who.user, who.user, who.user) != 0) return false;
  uid_t real = 0, effective = 0, saved = 0;
  if (syscall(SYS_getresuid, &real, &effective, &saved) != 0) return false;
  if (real == who.user && effective == who.user && saved == who.user) return true;
  errno = EPERM;
  return false;
}

bool lower(const SpawnLimit& limit) {
  const auto resource = static_cast<__rlimit_resource_t>(limit.resource);
  rlimit now;
  if (getrlimit(resource, &now) != 0) return false;
  const auto at_most = [&](rlim_t value) { return value < now.rlim_max ? value : now.rlim_max; };
  const rlimit lowered{at_most(limit.value), at_most(limit.value + limit.margin)};
  return setrlimit(resource, &lowered) == 0;
}

// Standard input may be a file, so the terminal may be another descriptor.
bool take_terminal() {
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (ioctl(fd, TIOCSCTTY, 0) == 0) return true;
  return false;
}

// Returns the stage that failed.
SpawnStage become(const SpawnPlan& plan, char* const* argv, char* const* environment, pid_t parent,
                  int* moved) {
  if (plan.standard_output >= 0 && !redirect(plan.standard_output)) return SpawnStage::redirect;
  const int program = plan.program < 0 ? -1 : fcntl(plan.program, F_DUPFD_CLOEXEC, kAbove);
  if (plan.program >= 0 && program < 0) return SpawnStage::execute;
  if (!place(plan, moved)) return SpawnStage::redirect;
  // Set last: until the exec all descriptors of a large parent are open here, and may be beyond the child's limit.
  if (plan.open_files && setrlimit(RLIMIT_NOFILE, &*plan.open_files) != 0) return SpawnStage::limits;
  if (plan.own_group && setpgid(0, 0) != 0) return SpawnStage::process_group;
  if (plan.own_session && setsid() < 0) return SpawnStage::process_group;
  if (plan.identity && !become_user(*plan.identity)) return SpawnStage::identity;
  if (plan.parent_death_signal != 0) {
    if (prctl(PR_SET_PDEATHSIG, plan.parent_death_signal) != 0) return SpawnStage::parent_death;
    if (getppid() != parent) _exit(126);  // the parent ended before we asked for the signal
  }
  for (const auto& limit : plan.limits)
    if (!lower(limit)) return SpawnStage::limits;
  if (plan.terminal && !take_terminal()) return SpawnStage::redirect;
  if (plan.nice != 0) setpriority(PRIO_PROCESS, 0, getpriority(PRIO_PROCESS, 0) + plan.nice);
  if (plan.umask) umask(*plan.umask);
  if (!plan.directory.empty() && chdir(plan.directory.c_str()) != 0) return SpawnStage::directory;
  if (plan.ignore_sigchld) signal(SIGCHLD, SIG_IGN);
  sigprocmask(SIG_SETMASK, &plan.mask, nullptr);
  if (program >= 0)
    syscall(SYS_execveat, program, "", argv, environment, AT_EMPTY_PATH);
  else
    execvpe(argv[0], argv, environment);
  return SpawnStage::execute;
}

struct Child {
  const SpawnPlan& plan;
  char* const* argv;
  char* const* environment;
  pid_t parent;
  int* moved;  // room for a number of each of plan.descriptors
  Failure& failure;
};

[[noreturn, gnu::noinline]] void run_child(const Child& child) {
  child.failure.begun = true;
  child.failure.stage = become(child.plan, child.argv, child.environment, child.parent, child.moved);
  child.failure.error = errno;
  _exit(127);
}

// A function of its own, so that the caller has no values in registers while the child uses our stack.
[[gnu::noinline]] pid_t vfork_and_become(const Child& child) {
  const pid_t pid = vfork();
  if (pid == 0) run_child(child);
  return pid;
}

// Like vfork, but without our signal handlers in the child: a pending signal that is unblocked just before the exec would run one
// in our memory. With `plan.cgroup` the child is born in that cgroup. -1 with errno. The C library has no such call, and its
// syscall() cannot be used: the child, which returns from it first, would overwrite the parent's return address.
[[gnu::noinline]] pid_t clone_and_become(const Child& child) {
  clone_args how{};
  how.flags = CLONE_VM | CLONE_VFORK | CLONE_CLEAR_SIGHAND;
  how.exit_signal = SIGCHLD;
  if (child.plan.cgroup >= 0) {
    how.flags |= CLONE_INTO_CGROUP;
    how.cgroup = static_cast<std::uint64_t>(child.plan.cgroup);
  }
#if defined(__x86_64__)
  long result = SYS_clone3;
  asm volatile("syscall" : "+a"(result) : "D"(&how), "S"(sizeof how) : "rcx", "r11", "memory");
#elif defined(__aarch64__)
  register long result asm("x0") = reinterpret_cast<long>(&how);
  register long size asm("x1") = sizeof how;
  register long number asm("x8") = SYS_clone3;
  asm volatile("svc 0" : "+r"(result) : "r"(size), "r"(number) : "memory");
#else
  long result = -ENOSYS;
#endif
  if (result == 0) run_child(child);
  if (result > 0) return static_cast<pid_t>(result);
  errno = static_cast<int>(-result);
  return -1;
}

}  // namespace

const char* stage_text(SpawnStage stage) { return kStageTexts[static_cast<std::size_t>(stage)]; }

int exit_code_of(const SpawnError& error) {
  return error.stage == SpawnStage::execute && error.error == ENOENT ? 127 : 126;
}

bool program_is_wrong(const SpawnError& error) {
  constexpr int kOfTheProgram[] = {ENOENT,       ENOTDIR, EACCES, ENOEXEC, ELOOP,
                                   ENAMETOOLONG, EISDIR,  E2BIG,  ELIBBAD};
  return error.stage == SpawnStage::execute && std::find(std::begin(kOfTheProgram), std::end(kOfTheProgram),
                                                         error.error) != std::end(kOfTheProgram);
}

std::variant<pid_t, SpawnError> spawn(const SpawnPlan& plan) {
  const auto argv = pointers(plan.argv);
  const auto own_environment = pointers(plan.environment);
  char* const* environment = plan.environment.empty() ? environ : own_environment.data();
  const pid_t parent = getpid();
  std::vector<int> moved(plan.descriptors.size());
  Failure failure;

  // All signals are blocked until the child has none of our handlers: it runs in our memory.
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  sigprocmask(SIG_SETMASK, &all, &before);
  const Child what{plan, argv.data(), environment, parent, moved.data(), failure};
  pid_t child = clone_and_become(what);
  // An older kernel, or one that forbids the call.
  if (child < 0 && plan.cgroup < 0 && errno != EAGAIN && errno != ENOMEM) child = vfork_and_become(what);
  const int fork_error = errno;
  sigprocmask(SIG_SETMASK, &before, nullptr);

  if (child < 0)
    return SpawnError{plan.cgroup < 0 ? SpawnStage::fork : SpawnStage::cgroup, fork_error, plan.argv[0]};
  const bool begun = failure.begun || plan.cgroup < 0;
  if (failure.error == 0 && begun) return child;
  while (waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
  }
  // Newer kernels kill at birth a process born into, or from, a cgroup that was once killed (cgroup_slots.hpp).
  if (!begun) return SpawnError{SpawnStage::cgroup, ECANCELED, plan.argv[0]};
  return SpawnError{failure.stage, failure.error, plan.argv[0]};
}

}  // namespace rollcall::io
