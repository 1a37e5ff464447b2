// stream_client: the terminal or the pipes of this program, joined to processes on other hosts (common/wire/stream.proto).
//
// The client's end of bsub -I, blaunch, lsrun, lsgrun. It dials the shepherds, passes on input, output, signals and the window
// size, and reports how each process ended. Any number of streams in one loop. The processes are requested by its callers, who
// get a StreamPlace.
//
// state x event (of one stream)   |
//   dialling  connected -> proving; closed ports, nobody for as long as the patience: ended (lost)
//   proving   the channel is open -> sends Begin: begun; a wrong proof: ended (lost); closed, silence for 15 s -> dialling
//   begun     Started -> running; NotStarted -> ended; Lost, cut: ended (lost)
//   running   output, errors, credit, Stopped -> running; Over -> ended; Lost, cut: ended (lost)
//
// All streams dial at the same time. A connection is dialled again only before Begin, while no process runs at its other end.
// Later the kernel keeps it through an outage shorter than the patience. With `end_others` a cut sends TERM to all other
// processes, and KILL ten seconds later.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "common/base/link_patience.hpp"
#include "common/wire/stream.pb.h"

namespace rollcall::io {

struct StreamOrder {
  wire::StreamPlace place;
  bool input = false;  // our standard input goes to this process
  // A socket of this program that stands for the connection and is the stream's from then on: frames as they are, without a key.
  // `place` has the name alone. -1: none, and `place` is dialled.
  int carrier = -1;
};

struct StreamSettings {
  bool terminal = false;  // the processes have terminals; if ours is one too, it passes on every key
  bool stop_key =
      false;  // ... except Ctrl-Z, which stops the processes and us until we are continued (bsub -Ip)
  // Silence after which a process is lost, at both ends; zero: never.
  Duration silence = LinkPatience{}.silence, heartbeat = LinkPatience{}.heartbeat;
  enum class AfterCut { others_go_on, end_others } after_cut = AfterCut::others_go_on;
  // Called with each signal of this program that was passed on to a process, but for SIGWINCH and SIGTSTP. Empty: not called.
  std::function<void(int signal)> passed_on = {};
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
  bool cut = false;  // lost because the host was silent or unreachable
};

// Runs until all have ended; results in the order given. Meanwhile SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGTSTP,
// SIGCONT and SIGWINCH are passed on to the processes.
std::vector<StreamEnd> run_streams(std::vector<StreamOrder> orders, const StreamSettings& settings);

// The end that this message reports; none: another message.
std::optional<StreamEnd> end_of(const wire::FromStream& message);

// The exit status of a program that stands for the process: its own, or 128+n after a signal. 0 to 255.
int exit_code_of(const StreamEnd& end);

}  // namespace rollcall::io
