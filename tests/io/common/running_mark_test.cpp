// A file that says by its lock whether a daemon runs (common/io/running_mark.hpp), with processes that hold it.
#include "common/io/running_mark.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <filesystem>

namespace rollcall::io {
namespace {

class RunningMark : public ::testing::Test {
 protected:
  RunningMark() {
    char name[] = "/tmp/rollcall-mark.XXXXXX";
    EXPECT_NE(mkdtemp(name), nullptr);
    top_ = name;
    directory_ = Descriptor(open(name, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  }
  ~RunningMark() override { std::filesystem::remove_all(top_); }
  std::optional<bool> held() const { return running_mark_held(top_ + "/running"); }

  std::string top_;
  Descriptor directory_;
};

TEST_F(RunningMark, NoMarkMeansNoDaemon) { EXPECT_EQ(held(), std::nullopt); }

TEST_F(RunningMark, ItIsHeldUntilItsHolderLetsGo) {
  Descriptor mark = hold_running_mark(directory_.get(), "running");
  ASSERT_TRUE(mark);
  EXPECT_EQ(held(), true);
  EXPECT_EQ(held(), true) << "a check does not release the mark";
  mark.reset();
  EXPECT_EQ(held(), false);
  EXPECT_TRUE(hold_running_mark(directory_.get(), "running")) << "a check does not hold the mark";
}

TEST_F(RunningMark, AKilledHolderHoldsItNoMore) {
  int told[2];
  ASSERT_EQ(pipe(told), 0);
  const pid_t pid = fork();
  if (pid == 0) {
    const Descriptor mark = hold_running_mark(directory_.get(), "running");
    [[maybe_unused]] const ssize_t written = write(told[1], mark ? "y" : "n", 1);
    pause();
    _exit(0);
  }
  char word = 0;
  ASSERT_EQ(read(told[0], &word, 1), 1);
  EXPECT_EQ(word, 'y');
  EXPECT_EQ(held(), true);
  kill(pid, SIGKILL);
  waitpid(pid, nullptr, 0);
  EXPECT_EQ(held(), false);
  close(told[0]);
  close(told[1]);
}

TEST_F(RunningMark, OthersMayNotEvenLookAndALinkIsNotFollowed) {
  const Descriptor mark = hold_running_mark(directory_.get(), "running");
  struct stat facts;
  ASSERT_EQ(fstat(mark.get(), &facts), 0);
  EXPECT_EQ(facts.st_mode & 0777, 0600U);
  ASSERT_EQ(symlink("running", (top_ + "/link").c_str()), 0);
  EXPECT_FALSE(hold_running_mark(directory_.get(), "link"));
  EXPECT_EQ(running_mark_held(top_ + "/link"), std::nullopt);
}

}  // namespace
}  // namespace rollcall::io
