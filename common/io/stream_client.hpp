// stream_client: the terminal or the pipes of this program, joined to processes on other hosts (common/wire/stream.proto).
//
// The client's end of bsub -I, blaunch, lsrun, lsgrun. It dials the shepherds, passes on input, output, signals and the size
// of the window, and says how each process ended. Any number at once, one loop. It does not ask for the processes: who has a
// StreamPlace has asked.
//
// state x event (of one stream)   |
//   dialling  connected -> proving; closed ports, nobody for as long as the patience: ended (lost)
//   proving   the channel is open -> sends Begin: begun; a wrong proof: ended (lost); closed, silence for 15 s -> dialling
//   begun     Started -> running; NotStarted -> ended; cut: ended (lost)
//   running   output, errors, credit, Stopped -> running; Over -> ended; cut: ended (lost)
//
// All streams dial beside one another. A connection is dialled again only before Begin, when nothing runs at its other end yet. Later
// the kernel keeps it through an outage that is shorter than the patience. With `end_others` a cut brings TERM to all other processes, and KILL ten seconds later.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/base/link_patience.hpp"
#include "common/wire/stream.pb.h"

namespace rollcall::io {

struct StreamOrder {
  wire::StreamPlace place;
  bool input = false;  // our standard input goes to it
};

struct StreamSettings {
  bool terminal = false;  // the processes have terminals; ours, where it is one, passes every key on
  bool stop_key = false;  // ... but Ctrl-Z, which stops the processes and us until we go on (bsub -Ip)
  // After how much silence a process is lost, at both ends; silence zero: never.
  Duration silence = LinkPatience{}.silence, heartbeat = LinkPatience{}.heartbeat;
  enum class AfterCut { others_go_on, end_others } after_cut = AfterCut::others_go_on;
};

struct StreamEnd {
  enum class How {
    over,         // `wait_status`
    not_started,  // `why`, `exit_code`
    lost,         // the connection broke: how the process ended, or whether, is not known; `why`
  };
  How how = How::lost;
  int wait_status = 0;
  int exit_code = 0;
  std::string why;
  bool cut = false;  // lost since the host was silent, or out of reach
};

// Until all have ended; in the order given. While it runs SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGTSTP, SIGCONT
// and SIGWINCH belong to the processes.
std::vector<StreamEnd> run_streams(std::vector<StreamOrder> orders, const StreamSettings& settings);

// The end that this message tells of; none: it tells of something else.
std::optional<StreamEnd> end_of(const wire::FromStream& message);

// The exit status of a program that stands for it: the process's own; 128+n where a signal ended it. 0 to 255.
int exit_code_of(const StreamEnd& end);

}  // namespace rollcall::io
