// spawn: starts a program, and reports why where it cannot.
//
// One vfork and exec. The child shares our memory until its exec, so the failing stage and errno come back without a pipe, a
// failed child is reaped here, and the memory of a large parent is not copied. The child inherits descriptors, directory, limits
// and environment unless the plan sets them; what it must not inherit is close-on-exec. This is not a process supervisor: the
// caller waits for the child. docs/decisions/0001 says why this is our own.
#pragma once

#include <signal.h>
#include <sys/resource.h>
#include <sys/types.h>

#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace rollcall::io {

// The child's user; only root can set it. Every step is checked; the child never runs as another user.
struct SpawnIdentity {
  uid_t user = 0;
  gid_t group = 0;
  std::vector<gid_t> groups;  // all supplementary ones
};

// The caller's descriptor `from` becomes the child's `to`. Any number may be on both sides.
struct SpawnDescriptor {
  int from = -1;
  int to = -1;
};

// A resource limit of the child; `resource` is RLIMIT_*. Only lowered: a hard limit that is lower already stays.
struct SpawnLimit {
  int resource = 0;
  rlim_t value = 0;
  rlim_t margin = 0;  // the hard limit is this much larger
};

struct SpawnPlan {
  std::vector<std::string>
      argv;          // argv[0] is searched in PATH as execvp does (a script without #! goes to sh)
  int program = -1;  // an open file to execute instead; argv[0] is then only its name
  std::vector<std::string> environment;  // NAME=VALUE words, complete; empty: ours
  sigset_t mask{};                       // the child's signal mask
  bool ignore_sigchld = false;           // SIGCHLD is ignored in the child, as it was at our start
  bool own_group = false;                // the child leads its own process group
  bool own_session = false;              // the child leads its own session: it has no terminal
  int parent_death_signal = 0;           // sent to the child when this thread ends; 0: none
  std::optional<rlimit> open_files;      // RLIMIT_NOFILE of the child
  int cgroup = -1;           // directory of the version 2 cgroup that the child is born in; -1: ours
  int standard_output = -1;  // becomes the child's descriptor 1; -1: ours
  std::vector<SpawnDescriptor> descriptors;  // further ones
  std::optional<SpawnIdentity> identity;     // none: ours
  std::vector<SpawnLimit> limits;
  std::string directory;        // where it starts; "": ours
  std::optional<mode_t> umask;  // none: ours
  int nice = 0;                 // added to ours
  bool terminal = false;        // with own_session: descriptor 0 becomes its controlling terminal
};

enum class SpawnStage {
  fork,
  cgroup,
  limits,
  redirect,
  process_group,
  identity,
  parent_death,
  execute,
  directory
};

struct SpawnError {
  SpawnStage stage;
  int error;         // errno
  std::string path;  // the word that could not be executed
};

// "execute", "fork", ...: reads as "cannot STAGE PATH: REASON".
const char* stage_text(SpawnStage stage);

// 127 where the program was not found, else 126 (the shell's codes).
int exit_code_of(const SpawnError& error);

// True where the program itself cannot be executed: missing, no program, or not permitted. Else the host lacks a resource, and
// another try may succeed.
bool program_is_wrong(const SpawnError& error);

// Starts the program and returns its pid after the exec; on an error no child is left.
std::variant<pid_t, SpawnError> spawn(const SpawnPlan& plan);

}  // namespace rollcall::io
