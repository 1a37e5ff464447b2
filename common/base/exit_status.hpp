// ExitStatus: how a process ended, as the kernel said it. A value; it never guesses.
#pragma once

#include <compare>
#include <string>

namespace rollcall {

class ExitStatus {
 public:
  static ExitStatus exited(int code) { return {false, code & 0xff, false}; }
  static ExitStatus signaled(int signo, bool core = false) { return {true, signo, core}; }
  // From the raw word of wait(2). The word must be of an ended process (not stopped).
  static ExitStatus from_wait(int wait_status);

  bool success() const { return !signaled_ && value_ == 0; }
  bool by_signal() const { return signaled_; }
  // The exit code; only where !by_signal().
  int code() const { return value_; }
  // The signal's number; only where by_signal().
  int signo() const { return value_; }
  bool core_dumped() const { return core_; }

  // What a shell shows in $?: the code, or 128 + the signal's number.
  int shell_code() const { return signaled_ ? 128 + value_ : value_; }

  // The STATUS column of pam's closing table: "Done", "Exit (3)", "Signal (11 SEGV)".
  std::string text() const;

  friend bool operator==(const ExitStatus&, const ExitStatus&) = default;

 private:
  ExitStatus(bool s, int v, bool c) : signaled_(s), core_(c), value_(v) {}
  bool signaled_;
  bool core_;
  int value_;
};

// "SEGV" for 11, "RTMIN+3" for 37, "?" for what is no signal. Without the prefix SIG, as LSF prints them.
std::string signal_name(int signo);
inline constexpr int kLargestSignal = 64;
// The inverse: accepts "SEGV", "SIGSEGV", "11"; 0 for a name or number of no signal.
int signal_number(const std::string& name);

}  // namespace rollcall
