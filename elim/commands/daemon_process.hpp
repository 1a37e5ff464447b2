// daemon_process: a process that was named by a pid file, held so that no other one is ever meant.
//
// A pid is looked up once, together with when it started; from then on a pidfd stands for it. Nothing here decides whom
// to signal.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "common/io/descriptor.hpp"
#include "elim/policy/show/daemon_control.hpp"

namespace rollcall::elim {

using Patience = std::chrono::milliseconds;

// Which run of the kernel this is, as in a mark.
std::string boot_id();

// Nothing where there is no such process, or it has ended (a zombie).
std::optional<show::ProcessMark> mark_of(pid_t pid);

// Whether any process of this host's kernel has this name, whoever's it is.
bool any_process_called(const std::string& name);
// Whether this process sees the host name that we see: it is not in a container of its own. True where we may not know.
bool shares_our_host_name(pid_t pid);

// Whether this process was started as a daemon of the configuration in `env_dir`. Unknown counts as yes: a process that is
// just ending has no command line any more.
bool belongs_to(pid_t pid, const std::string& env_dir);

// When it started, in this host's time: "2026-11-21 12:34:56".
std::string started_at(const show::ProcessMark& mark);

class HeldProcess {
 public:
  // Nothing where the process of that mark is gone, whoever has its number now.
  static std::optional<HeldProcess> hold(const show::ProcessMark& mark);

  pid_t pid() const { return pid_; }
  // 0, or errno. A process that has ended is no error.
  int send(int signal) const;
  // True once it has ended; waits that long at the most.
  bool gone_within(Patience patience) const;

 private:
  HeldProcess(io::Descriptor fd, pid_t pid) : fd_(std::move(fd)), pid_(pid) {}
  io::Descriptor fd_;
  pid_t pid_ = 0;
};

// Everything below `pid` that is alive now.
std::vector<HeldProcess> hold_descendants(pid_t pid);

}  // namespace rollcall::elim
