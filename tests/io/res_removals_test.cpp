// Directories of jobs that are over: they go when no job starts, or when they are many.
#include <fcntl.h>
#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>
#include <filesystem>
#include <fstream>

#include "res/daemon/removals.hpp"

namespace rollcall::res {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

class RemovalsTest : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_NE(mkdtemp(top_.data()), nullptr); }
  void TearDown() override { fs::remove_all(top_); }

  Removals removals(Removals::Pace pace) {
    return {loop_, io::Descriptor(open(top_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)), pace};
  }
  std::string filled(const std::string& name) {
    fs::create_directories(top_ + "/" + name + "/u/deep");
    std::ofstream(top_ + "/" + name + "/u/deep/file") << "x";
    return name;
  }
  bool there(const std::string& name) const { return fs::exists(top_ + "/" + name); }
  // Turns the loop until it is gone; false after ten seconds.
  bool goes(const std::string& name) {
    const auto until = std::chrono::steady_clock::now() + 10s;
    while (there(name) && std::chrono::steady_clock::now() < until) loop_.run_one_for(10ms), loop_.restart();
    return !there(name);
  }

  std::string top_ = "/tmp/res_removals_test.XXXXXX";
  boost::asio::io_context loop_;
};

TEST_F(RemovalsTest, GoWhenItIsQuiet) {
  auto removals = this->removals({.quiet = 1ms, .most = 10});
  removals.add(filled("a"));
  removals.add(filled("b"));
  EXPECT_TRUE(goes("a"));
  EXPECT_TRUE(goes("b"));
  removals.add(filled("c"));
  EXPECT_TRUE(goes("c")) << "a second time as well";
}

TEST_F(RemovalsTest, StayWhileJobsStart) {
  auto removals = this->removals({.quiet = 1ms, .most = 10});
  removals.add(filled("a"));
  for (int i = 0; i < 3; ++i) {
    removals.job_starts();
    ASSERT_EQ(loop_.run_one_for(10s), 1u) << "it looks";
    EXPECT_TRUE(there("a"));
  }
  EXPECT_TRUE(goes("a"));
}

TEST_F(RemovalsTest, AreNotHoardedOnABusyHost) {
  auto removals = this->removals({.quiet = 1h, .most = 3});
  for (const char* name : {"a", "b", "c"}) {
    removals.job_starts();
    removals.add(filled(name));
  }
  for (const char* name : {"a", "b", "c"}) EXPECT_TRUE(goes(name)) << name;
}

}  // namespace
}  // namespace rollcall::res
