#include "common/base/exit_status.hpp"

#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdlib>
#include <utility>

namespace rollcall {
namespace {

constexpr std::array<std::pair<int, const char*>, 31> kNames{{
    {SIGHUP, "HUP"},       {SIGINT, "INT"},   {SIGQUIT, "QUIT"},   {SIGILL, "ILL"},   {SIGTRAP, "TRAP"},
    {SIGABRT, "ABRT"},     {SIGBUS, "BUS"},   {SIGFPE, "FPE"},     {SIGKILL, "KILL"}, {SIGUSR1, "USR1"},
    {SIGSEGV, "SEGV"},     {SIGUSR2, "USR2"}, {SIGPIPE, "PIPE"},   {SIGALRM, "ALRM"}, {SIGTERM, "TERM"},
    {SIGSTKFLT, "STKFLT"}, {SIGCHLD, "CHLD"}, {SIGCONT, "CONT"},   {SIGSTOP, "STOP"}, {SIGTSTP, "TSTP"},
    {SIGTTIN, "TTIN"},     {SIGTTOU, "TTOU"}, {SIGURG, "URG"},     {SIGXCPU, "XCPU"}, {SIGXFSZ, "XFSZ"},
    {SIGVTALRM, "VTALRM"}, {SIGPROF, "PROF"}, {SIGWINCH, "WINCH"}, {SIGIO, "IO"},     {SIGPWR, "PWR"},
    {SIGSYS, "SYS"},
}};

constexpr int kFirstRealTime = 34;  // what glibc leaves free; SIGRTMIN itself is a function call
constexpr int kLastRealTime = kLargestSignal;

}  // namespace

ExitStatus ExitStatus::from_wait(int wait_status) {
  if (WIFSIGNALED(wait_status)) return signaled(WTERMSIG(wait_status), WCOREDUMP(wait_status));
  return exited(WEXITSTATUS(wait_status));
}

std::string ExitStatus::text() const {
  if (by_signal()) return "Signal (" + std::to_string(value_) + " " + signal_name(value_) + ")";
  return value_ == 0 ? "Done" : "Exit (" + std::to_string(value_) + ")";
}

std::string signal_name(int signo) {
  const auto* found = std::find_if(kNames.begin(), kNames.end(), [&](auto& n) { return n.first == signo; });
  if (found != kNames.end()) return found->second;
  if (signo >= kFirstRealTime && signo <= kLastRealTime)
    return "RTMIN+" + std::to_string(signo - kFirstRealTime);
  return "?";
}

int signal_number(const std::string& name) {
  const std::string bare = name.starts_with("SIG") ? name.substr(3) : name;
  for (const auto& [number, known] : kNames)
    if (bare == known) return number;
  if (bare.starts_with("RTMIN+")) {
    for (int number = kFirstRealTime; number <= kLastRealTime; ++number)
      if (signal_name(number) == bare) return number;
    return 0;
  }
  char* end = nullptr;
  const long number = std::strtol(bare.c_str(), &end, 10);
  return !bare.empty() && *end == '\0' && number > 0 && number <= kLastRealTime ? static_cast<int>(number)
                                                                                : 0;
}

}  // namespace rollcall
