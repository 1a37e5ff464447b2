// daemon_start: one daemon from program to readiness, and back to nothing.
//
// The daemon runs in the foreground of a session of its own: stdin is /dev/null, stdout and stderr its log, directory
// "/". Its descriptor ROLLCALL_READY_FD is a pipe into which it writes one line when it serves: "ready", or "ready: " and what
// should be known of it, or why it cannot.
#pragma once

#include <optional>
#include <string>

#include "common/base/result.hpp"
#include "elim/commands/daemon_place.hpp"
#include "elim/commands/daemon_process.hpp"

namespace rollcall::elim {

struct StartedDaemon {
  show::ProcessMark mark;
  std::string note;  // what it said beside "ready"
};
// The ready daemon, whose pid file has been written. On an error nothing of it is left, and the line says why: its own word,
// else the last line of its log.
// `starter`: lsf_daemons, with which it starts its neighbours again; "": it does not.
Result<StartedDaemon> start_daemon(const show::DaemonKind& kind, const DaemonPlace& place, PidFile& file,
                                   Patience patience, const std::string& starter);

struct Stopped {
  bool killed = false;  // the daemon itself did not end by TERM
  int left_behind = 0;  // processes below it that outlived it, and were killed
};
// TERM; KILL for the daemon after `patience`, and for what it leaves behind two seconds after its end, but for
// a RES, whose jobs go on. An error where it
// may not be done, or where something is there even after KILL.
Result<Stopped> stop_daemon(const show::DaemonKind& kind, const HeldProcess& daemon, Patience patience);

}  // namespace rollcall::elim
