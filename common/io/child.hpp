// Child: a process that a program with an Asio loop has started. The loop calls back once, when it has ended.
//
// The program starts it by spawn() (spawn.hpp) and waits by its pidfd, with Boost.Process v2's handle. It is not a supervisor: it
// restarts no process, and dropping a Child neither ends the process nor waits for it. The starter of the process owns its Child;
// the loop owns the pidfd, so a Child may outlive the loop. docs/decisions/0001 has the reasons.
//
//   Child   event                           | does
//   ----------------------------------------+---------------------------------------------------------------------
//   runs    the process ends                | over; `ended` is called once, from the loop
//   runs    signal()                        | the signal, which reaches no other process
//   runs    dropped or reset()              | none: `ended` is not called; the loop still reaps the process
//   over    signal(), reset()               | nothing: the pid may be another process's
#pragma once

#include <sys/types.h>

#include <functional>
#include <memory>
#include <variant>

#include "common/io/spawn.hpp"

namespace boost::asio {
class io_context;
}

namespace rollcall::io {

class Child {
 public:
  // `status` is that of wait(2); kChildStatusUnknown where another part of the program has waited for the process.
  using Ended = std::function<void(int wait_status)>;

  Child() = default;
  // Never calls `ended` before it returns, even if the process has ended already. On an error no process is left.
  static std::variant<Child, SpawnError> start(boost::asio::io_context& loop, const SpawnPlan& plan,
                                               Ended ended);
  // For a process that the program has forked itself and that does not exec.
  static Child adopt(boost::asio::io_context& loop, pid_t pid, Ended ended);
  ~Child() { reset(); }
  Child(Child&& other) noexcept = default;
  Child& operator=(Child&& other) noexcept {
    if (this != &other) reset(), state_ = std::move(other.state_);
    return *this;
  }

  // -1: no process, or it has ended.
  pid_t pid() const;
  explicit operator bool() const { return pid() > 0; }
  void signal(int signo) const;
  void reset();

 private:
  struct State;
  friend class ChildTable;
  explicit Child(std::shared_ptr<State> state) : state_(std::move(state)) {}
  std::shared_ptr<State> state_;
};

constexpr int kChildStatusUnknown = 255 << 8;  // as exit(255)

// For the program's SIGCHLD: reaps children that were not started here (orphans of a subreaper, children of the program that
// executed this one). It also hands over children without a pidfd: a kernel or container may not have them, or no descriptor was
// left.
void reap_others(boost::asio::io_context& loop);

// Reaps everything that has ended, and calls `ended` directly: for a program whose loop has ended.
void reap_all(boost::asio::io_context& loop);

}  // namespace rollcall::io
