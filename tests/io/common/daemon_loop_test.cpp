// DaemonLoop: what signals, orders to end and a lack of memory do to a daemon.
#include "common/io/daemon_loop.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <boost/asio/post.hpp>
#include <new>
#include <string>
#include <vector>

#include "common/io/memory_reserve.hpp"

namespace rollcall::io {
namespace {

using testing::ElementsAre;

class DaemonLoopTest : public testing::Test {
 protected:
  DaemonLoopTest() { loop.await_signals(); }

  // Runs `work` inside the loop after its start.
  DaemonEnd run(const std::function<void()>& work) {
    boost::asio::post(loop.context(), work);
    return loop.run();
  }

  Log log{STDERR_FILENO, "test", Level::error};
  std::vector<std::string> seen;
  bool ends_at_once = true, stop_at_child = false;
  DaemonLoop loop{log,
                  "TEST",
                  {[this] { seen.emplace_back("files"); },
                   [this] {
                     seen.emplace_back("end");
                     if (ends_at_once) loop.stop();
                   },
                   [this] {
                     seen.emplace_back("child");
                     while (waitpid(-1, nullptr, WNOHANG) > 0) continue;
                     loop.begin_end(DaemonEnd::stopped);
                     if (stop_at_child) loop.stop();
                   }}};
};

TEST_F(DaemonLoopTest, TermEndsTheDaemon) {
  EXPECT_EQ(run([] { raise(SIGTERM); }), DaemonEnd::stopped);
  EXPECT_THAT(seen, ElementsAre("end"));
}

TEST_F(DaemonLoopTest, HupReadsTheFilesAndTheDaemonGoesOn) {
  EXPECT_EQ(run([] {
              raise(SIGHUP);
              raise(SIGINT);
            }),
            DaemonEnd::stopped);
  EXPECT_THAT(seen, ElementsAre("files", "end"));
}

TEST_F(DaemonLoopTest, TellsThatAChildHasEnded) {
  EXPECT_EQ(run([] {
              if (fork() == 0) _exit(0);
            }),
            DaemonEnd::stopped);
  EXPECT_THAT(seen, ElementsAre("child", "end"));
}

TEST_F(DaemonLoopTest, RestartsWhereItIsToldTo) {
  EXPECT_EQ(run([this] { loop.begin_end_soon(DaemonEnd::restart); }), DaemonEnd::restart);
}

TEST_F(DaemonLoopTest, TermStopsADaemonThatIsAboutToRestart) {
  ends_at_once = false;
  EXPECT_EQ(run([this] {
              loop.begin_end(DaemonEnd::restart);
              EXPECT_TRUE(loop.ending());
              loop.begin_end(DaemonEnd::stopped);
              loop.begin_end(DaemonEnd::restart);  // the stop stays
              loop.stop();
            }),
            DaemonEnd::stopped);
  EXPECT_THAT(seen, ElementsAre("end"));
}

TEST_F(DaemonLoopTest, HupIsIgnoredByADaemonThatEnds) {
  ends_at_once = false;
  EXPECT_EQ(run([this] {
              loop.begin_end(DaemonEnd::restart);
              raise(SIGHUP);
              stop_at_child = true;
              raise(SIGCHLD);
            }),
            DaemonEnd::stopped);
  EXPECT_THAT(seen, ElementsAre("end", "child"));
}

TEST_F(DaemonLoopTest, RestartsWhereMemoryIsShortInTheMiddleOfAChange) {
  EXPECT_EQ(run([] { changing([] { throw std::bad_alloc(); }); }), DaemonEnd::restart);
  EXPECT_EQ(run([] { throw std::bad_alloc(); }), DaemonEnd::restart);
}

}  // namespace
}  // namespace rollcall::io
