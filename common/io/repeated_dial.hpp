// RepeatedDial: a TCP connection to one port of a host, dialled again until it stands or patience is over. Only the name look-up
// blocks.
//
// It owns the socket until its user takes it. It proves no identity of the peer. A user whose peer closed the connection before
// anything was agreed calls failed(), and the next address is dialled.
//
// state x event                  |
//   dialling  connected -> standing; error, silence for an attempt -> pausing; every address refuses -> over
//   standing  failed() -> pausing
//   pausing   a quarter of a second -> dialling; patience over -> over
#pragma once

#include <poll.h>

#include <chrono>
#include <string>
#include <vector>

#include "common/base/job_clock.hpp"
#include "common/io/descriptor.hpp"
#include "common/io/host_lookup.hpp"

namespace rollcall::io {

class RepeatedDial {
 public:
  using Clock = std::chrono::steady_clock;
  enum class State { dialling, standing, pausing, over };

  // `patience` zero: without a limit.
  RepeatedDial(std::string host, int port, Duration patience);

  State state() const { return state_; }
  // While it dials: what to pass to poll().
  pollfd waits_for() const { return {state_ == State::dialling ? socket_.get() : -1, POLLOUT, 0}; }
  Clock::time_point due() const { return due_; }  // turn() must be called then, or when the socket is ready
  void turn(Clock::time_point now);

  // Standing: the socket, the user's from then on; non-blocking.
  Descriptor take() { return std::move(socket_); }
  void failed(std::string why, Clock::time_point now);

  bool silent() const { return silent_; }  // over because patience is
  unsigned attempts() const { return attempts_; }
  const std::string& why() const { return why_; }  // of the last attempt, with host and port

 private:
  void dial(Clock::time_point now);
  void fail(int error, Clock::time_point now);
  void pause(std::string why, Clock::time_point now);

  std::string peer_;  // "HOST:PORT"
  std::vector<HostAddress> addresses_;
  std::size_t next_ = 0, refused_ = 0;  // refusals one after the other
  Descriptor socket_;
  State state_ = State::pausing;
  unsigned attempts_ = 0;
  bool silent_ = false;
  Clock::time_point due_, until_;
  std::string why_;
};

}  // namespace rollcall::io
