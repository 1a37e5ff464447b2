// own_terminal: takes over this program's signals and its terminal for a process on another host (stream_client).
//
// Each object takes them over while it lives and restores them. It does not know where they are sent.
#pragma once

#include <signal.h>
#include <termios.h>

#include <optional>

#include "common/io/descriptor.hpp"

namespace rollcall::io {

// SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGTSTP, SIGCONT and SIGWINCH through a descriptor; SIGPIPE is ignored.
class OwnSignals {
 public:
  OwnSignals();
  ~OwnSignals();
  OwnSignals(const OwnSignals&) = delete;
  OwnSignals& operator=(const OwnSignals&) = delete;

  int descriptor() const { return descriptor_.get(); }
  std::optional<int> next() const;  // none where none has come

 private:
  sigset_t before_{};
  void (*pipe_before_)(int) = SIG_DFL;
  Descriptor descriptor_;
};

// Standard input, where it is a terminal: in raw mode while it lives and the program is not stopped.
class OwnTerminal {
 public:
  explicit OwnTerminal(bool wanted);
  ~OwnTerminal() { leave(); }
  OwnTerminal(const OwnTerminal&) = delete;
  OwnTerminal& operator=(const OwnTerminal&) = delete;

  bool raw() const { return raw_; }  // standard input is a terminal
  void enter() const;
  void leave() const;
  // Stops the program as a shell's job; returns when it is continued.
  void stop() const;

 private:
  termios before_{};
  bool raw_;
};

}  // namespace rollcall::io
