#include "common/io/daemon_loop.hpp"

#include <signal.h>

#include <boost/asio/post.hpp>
#include <new>
#include <utility>

#include "common/io/memory_reserve.hpp"

namespace rollcall::io {

DaemonLoop::DaemonLoop(const Log& log, std::string daemon, Handler handler)
    : log_(log), daemon_(std::move(daemon)), handler_(std::move(handler)) {}

// A failed allocation for a peer's message costs that peer its link (Links) and does not get here.
DaemonEnd DaemonLoop::run() {
  bool memory = true;
  try {
    context_.run();
  } catch (const std::bad_alloc&) {
    memory = false;
  } catch (const StateUnknown&) {
    memory = false;
  }
  if (!memory) {
    log_.error(daemon_ + " cannot have the memory that it needs");
    end_ = DaemonEnd::restart;
  }
  log_.notice(end_ == DaemonEnd::restart ? "starts again" : "ends");
  return end_;
}

void DaemonLoop::begin_end(DaemonEnd how) {
  if (!ending_ || how == DaemonEnd::stopped) end_ = how;
  if (std::exchange(ending_, true)) return;
  handler_.end();
}

void DaemonLoop::begin_end_soon(DaemonEnd how) {
  boost::asio::post(context_, [this, how] { begin_end(how); });
}

void DaemonLoop::await_signals() {
  for (const int signo : {SIGTERM, SIGINT, SIGHUP}) signals_.add(signo);
  if (handler_.child_ended) signals_.add(SIGCHLD);
  wait_for_signal();
}

void DaemonLoop::wait_for_signal() {
  signals_.async_wait([this](const boost::system::error_code& error, int signo) {
    if (error) return;
    take_signal(signo);
    wait_for_signal();
  });
}

void DaemonLoop::take_signal(int signo) {
  switch (signo) {
    case SIGCHLD:
      return handler_.child_ended();
    case SIGHUP:
      if (ending_) return;
      log_.notice("HUP: the files are read again");
      return handler_.read_files();
    default:
      if (!ending_) log_.notice(signo == SIGTERM ? "TERM" : "INT");
      begin_end(DaemonEnd::stopped);
  }
}

}  // namespace rollcall::io
