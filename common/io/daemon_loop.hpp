// DaemonLoop: the event loop of a daemon (LIM, MELIM, mbatchd, RES): its signals, its end, and what happens when memory is short.
//
// The daemon's own connections and timers run on context(). Owned by the daemon, and made before everything that uses the
// context.
//
//   state    event                      | does
//   ---------------------------------------+------------------------------------------------------------------
//   runs     TERM, INT, begin_end(how)  | ending: Handler::end once; how the daemon ends is `how`
//   runs     HUP                        | Handler::read_files
//   ending   begin_end(stopped), TERM   | a daemon that was about to restart stops
//   ending   HUP                        | ignored
//   any      CHLD                       | Handler::child_ended
//   any      bad_alloc, StateUnknown    | run() returns `restart`: the state in memory may be inconsistent
//   any      stop()                     | run() returns how the daemon ends
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <functional>
#include <string>

#include "common/io/daemon_end.hpp"
#include "common/io/log.hpp"

namespace rollcall::io {

class DaemonLoop {
 public:
  struct Handler {
    std::function<void()> read_files;
    std::function<void()> end;            // ends the daemon's work, and calls stop() then or later
    std::function<void()> child_ended{};  // none: the daemon starts no children
  };

  // `daemon`: as the log calls it, "LIM".
  DaemonLoop(const Log& log, std::string daemon, Handler handler);
  DaemonLoop(const DaemonLoop&) = delete;
  DaemonLoop& operator=(const DaemonLoop&) = delete;

  boost::asio::io_context& context() { return context_; }

  void await_signals();
  DaemonEnd run();

  void begin_end(DaemonEnd how);
  // Posted behind the present work, so that an answer to the client leaves first.
  void begin_end_soon(DaemonEnd how);
  bool ending() const { return ending_; }
  void stop() { context_.stop(); }

 private:
  void wait_for_signal();
  void take_signal(int signo);

  const Log& log_;
  const std::string daemon_;
  const Handler handler_;
  boost::asio::io_context context_{1};
  boost::asio::signal_set signals_{context_};
  bool ending_ = false;
  DaemonEnd end_ = DaemonEnd::stopped;
};

}  // namespace rollcall::io
