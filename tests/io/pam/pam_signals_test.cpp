// pam's signals with real processes.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "pam/signals.hpp"

namespace rollcall::pam {
namespace {

// A child that has these signals blocked as pam has, and stops itself; with `go_on` a SIGCONT has come before. It ends with 7.
pid_t child_that_stops(bool go_on) {
  const pid_t pid = fork();
  if (pid != 0) return pid;
  const Signals signals;
  if (go_on) raise(SIGCONT);
  stop_self();
  bool told = !go_on;
  signals.read_all([&](const signalfd_siginfo& info) { told = told || info.ssi_signo == SIGCONT; });
  _exit(told ? 7 : 8);
}

int state_of(pid_t pid) {
  int state = 0;
  EXPECT_EQ(waitpid(pid, &state, WUNTRACED), pid);
  return state;
}

TEST(PamSignals, StopsItself) {
  const pid_t child = child_that_stops(false);
  ASSERT_GT(child, 0);
  ASSERT_TRUE(WIFSTOPPED(state_of(child)));
  kill(child, SIGCONT);
  EXPECT_EQ(WEXITSTATUS(state_of(child)), 7);
}

TEST(PamSignals, ContinuesWhereSigcontCameBeforeTheStop) {
  const pid_t child = child_that_stops(true);
  ASSERT_GT(child, 0);
  const int state = state_of(child);
  if (WIFSTOPPED(state)) kill(child, SIGKILL);
  ASSERT_TRUE(WIFEXITED(state)) << "it stopped, and the SIGCONT was lost";
  EXPECT_EQ(WEXITSTATUS(state), 7) << "the SIGCONT is still told";
}

}  // namespace
}  // namespace rollcall::pam
