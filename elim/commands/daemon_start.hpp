// daemon_start: starts one daemon and waits until it is ready, and stops it with everything below it.
//
// The daemon runs in the foreground of a session of its own: stdin is /dev/null, stdout and stderr its log, directory "/". Its
// descriptor ROLLCALL_READY_FD is a pipe into which it writes one line when it serves: "ready", "ready: " and a note, or the
// reason why it cannot.
#pragma once

#include <optional>
#include <string>

#include "common/base/result.hpp"
#include "elim/commands/daemon_place.hpp"
#include "elim/commands/daemon_process.hpp"

namespace rollcall::elim {

struct StartedDaemon {
  show::ProcessMark mark;
  std::string note;  // the note after "ready: "
};
// Starts the daemon, waits until it is ready, and writes its pid file. On an error no process is left, and the error has the
// daemon's own line, else the last line of its log. `starter`: lsf_daemons, with which the daemon restarts its neighbours; "": it
// does not.
Result<StartedDaemon> start_daemon(const show::DaemonKind& kind, const DaemonPlace& place, PidFile& file,
                                   Patience patience, const std::string& starter);

struct Stopped {
  bool killed = false;  // the daemon itself did not end by TERM
  int left_behind = 0;  // processes below it that outlived it, and were killed
};
// Sends TERM, and KILL to the daemon after `patience`. Processes that it leaves are killed two seconds after its end, except
// those of RES, whose jobs go on. An error where that is not permitted, or a process survives KILL.
Result<Stopped> stop_daemon(const show::DaemonKind& kind, const HeldProcess& daemon, Patience patience);

}  // namespace rollcall::elim
