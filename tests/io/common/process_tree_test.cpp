// Signals reach the descendants that were meant, and no process that has got one of their pids since.
#include "common/io/process_tree.hpp"

#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <string>

#include "common/io/read_file.hpp"

namespace rollcall::io {
namespace {

// A child that waits, with a child of its own that waits.
class Family {
 public:
  Family() {
    int ends[2];
    if (pipe(ends) != 0) return;
    parent_ = fork();
    if (parent_ == 0) {
      child_ = fork();
      if (child_ != 0 && write(ends[1], &child_, sizeof child_) < 0) _exit(1);
      while (true) pause();
    }
    if (read(ends[0], &child_, sizeof child_) != sizeof child_) child_ = -1;
    close(ends[0]);
    close(ends[1]);
  }
  ~Family() {
    if (child_ > 0) kill(child_, SIGKILL);
    if (parent_ > 0) kill(parent_, SIGKILL);
    while (waitpid(parent_, nullptr, 0) < 0 && errno == EINTR) continue;
  }
  pid_t parent() const { return parent_; }
  pid_t child() const { return child_; }

 private:
  pid_t parent_ = -1, child_ = -1;
};

// The kernel says when a process ends, also one that is no child of ours.
void await_end(pid_t pid) {
  const int process = static_cast<int>(syscall(SYS_pidfd_open, pid, 0));
  if (process < 0) return;  // it is gone already
  pollfd ended{process, POLLIN, 0};
  EXPECT_EQ(poll(&ended, 1, 30'000), 1) << "the end of process " << pid;
  close(process);
}

TEST(ProcessTree, SignalReachesDescendants) {
  const Family family;
  ASSERT_GT(family.child(), 0);
  EXPECT_EQ(signal_if_below(family.parent(), SIGKILL, {family.child()}), 1);
  await_end(family.child());
  EXPECT_FALSE(is_alive(family.child()));
  EXPECT_TRUE(is_alive(family.parent()));
}

// A pid that was read from a list of children may belong to another process when the signal is sent.
TEST(ProcessTree, SignalSkipsAProcessThatIsNoDescendantAnyMore) {
  const Family family, stranger;
  ASSERT_GT(family.child(), 0);
  ASSERT_GT(stranger.child(), 0);
  EXPECT_EQ(signal_if_below(family.parent(), SIGKILL, {stranger.child(), stranger.parent(), getpid()}), 0);
  EXPECT_TRUE(is_alive(stranger.child()));
  EXPECT_TRUE(is_alive(stranger.parent()));
}

TEST(ProcessTree, SignalOfAPidThatIsGoneReachesNoProcess) {
  const pid_t gone = fork();
  if (gone == 0) _exit(0);
  ASSERT_EQ(waitpid(gone, nullptr, 0), gone);
  EXPECT_EQ(signal_if_below(getpid(), SIGKILL, {gone}), 0);
}

TEST(ProcessTree, SignalDescendantsSparesWhatItIsTold) {
  const Family family, spared;
  ASSERT_GT(family.child(), 0);
  ASSERT_GT(spared.child(), 0);
  EXPECT_EQ(signal_descendants(SIGKILL, {spared.parent()}), 2);
  await_end(family.child());
  EXPECT_FALSE(is_alive(family.child()));
  EXPECT_TRUE(is_alive(spared.child()));
}

TEST(ProcessTree, SignalReachesAChildWithoutItsPidfd) {
  const Family family;
  ASSERT_GT(family.parent(), 0);
  EXPECT_TRUE(signal_process(family.parent(), Descriptor(), SIGKILL));
  EXPECT_TRUE(signal_process(family.child(), open_process(family.child()), SIGKILL));
  await_end(family.parent());
  await_end(family.child());
}

// The guard may be root: a plain pid there could be the process of any user.
TEST(ProcessTree, GuardSendsNoSignalByPid) {
  const auto text = read_file(ROLLCALL_GUARD_SOURCE);
  ASSERT_TRUE(text);
  ASSERT_NE(text->find("signal_if_below"), std::string::npos);
  for (const char* call : {" kill(", "(kill(", "!kill(", "::kill(", "killpg(", "tgkill("})
    EXPECT_EQ(text->find(call), std::string::npos) << call;
}

}  // namespace
}  // namespace rollcall::io
