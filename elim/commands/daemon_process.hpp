// daemon_process: the process that a pid file names, held so that a reused pid is never mistaken for it.
//
// A pid is looked up once, together with its start time; from then on a pidfd stands for it. The callers decide whom to signal.
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

// The kernel's boot id, as in a mark.
std::string boot_id();

// None where there is no such process, or it has ended (a zombie).
std::optional<show::ProcessMark> mark_of(pid_t pid);

// True if any process on this host has this name, of whatever user.
bool any_process_called(const std::string& name);
// True if this process sees the same host name, so it is not in a container of its own. True also where we may not know.
bool shares_our_host_name(pid_t pid);

// True if this process was started as a daemon of the configuration in `env_dir`. True also where that is unknown: an ending
// process has no command line any more.
bool belongs_to(pid_t pid, const std::string& env_dir);

// When it started, in this host's time: "2026-11-21 12:34:56".
std::string started_at(const show::ProcessMark& mark);

class HeldProcess {
 public:
  // None where the process of that mark is gone, even if its pid is used again.
  static std::optional<HeldProcess> hold(const show::ProcessMark& mark);

  pid_t pid() const { return pid_; }
  // 0, or errno. A process that has ended is no error.
  int send(int signal) const;
  // True once it has ended; waits up to this time.
  bool gone_within(Patience patience) const;

 private:
  HeldProcess(io::Descriptor fd, pid_t pid) : fd_(std::move(fd)), pid_(pid) {}
  io::Descriptor fd_;
  pid_t pid_ = 0;
};

// All living descendants of `pid`.
std::vector<HeldProcess> hold_descendants(pid_t pid);

}  // namespace rollcall::elim
