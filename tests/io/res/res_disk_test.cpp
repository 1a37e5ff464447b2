// RES with a full job disk: a job that could not begin here may begin elsewhere, and then never begins here.
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "tests/io/res/res_stage.hpp"

namespace rollcall::res::test {
namespace {

using testing::HasSubstr;
using FullOver = wire::FromRes::JobOver;
namespace files = std::filesystem;

class ResDisk : public ResStage {
 protected:
  std::string folder() const { return path("jobs/" + host_); }

  // A disk of the jobs' own, with room for so many files and directories. "" or why there is none.
  std::string small_disk() {
    if (geteuid() != 0) return "mounting a small tmpfs needs root";
    mkdir(path("jobs").c_str(), 0755);
    if (mount("rollcall-jobs", path("jobs").c_str(), "tmpfs", 0, "nr_inodes=64,mode=0755") != 0)
      return std::string("no tmpfs can be mounted here: ") + std::strerror(errno);
    mounted_ = true;
    return "";
  }
  void TearDown() override {
    kill_res(SIGKILL);
    if (mounted_) umount2(path("jobs").c_str(), MNT_DETACH);
    ResStage::TearDown();
  }

  void wait_until_no_directory() {
    wait_until("directories of jobs that are over to go", [&] {
      const auto names = files::directory_iterator(folder());
      return std::none_of(begin(names), end(names), [](const auto& entry) { return entry.is_directory(); });
    });
  }
  // So that a job's directory and the order in it are the last that can be made.
  void leave_room_for_an_order() {
    while (std::ofstream(filler(last_ + 1))) ++last_;
    for (const int number : {1, 2}) ASSERT_EQ(unlink(filler(number).c_str()), 0);
  }
  void make_room() {
    for (int number = 3; number <= last_; ++number) unlink(filler(number).c_str());
  }

 private:
  std::string filler(int number) const { return path("jobs/fill." + std::to_string(number)); }
  bool mounted_ = false;
  int last_ = 0;
};

// `started` is longer than RES may make a file now, a job's order is not; how the job ended has no room.
TEST_F(ResDisk, AJobThatCannotBeNotedNeverBeginsHere) {
  if (const auto why = small_disk(); !why.empty()) GTEST_SKIP() << why;
  constexpr int kNotes = 1000;
  constexpr rlim_t kLongest = 8000;
  files::create_directories(folder());
  {
    std::ofstream notes(folder() + "/started");
    for (int id = 1; id <= kNotes; ++id) notes << "S" << 100'000 + id << ".0.1\n";
  }
  start_res();
  const rlimit limit{kLongest, RLIM_INFINITY};
  ASSERT_EQ(prlimit(res_, RLIMIT_FSIZE, &limit, nullptr), 0);
  start(job("true", 4));  // what else RES makes once is there then
  EXPECT_EQ(wait_for_over(4).how(), FullOver::NOT_STARTED) << "RES lives, and says so";
  acknowledge(4);
  wait_until_no_directory();
  leave_room_for_an_order();
  start(job("echo line >> runs", 5));
  const auto over = wait_for_over(5);
  EXPECT_EQ(over.how(), FullOver::NOT_STARTED);
  EXPECT_THAT(over.why(), HasSubstr("started: File too large"));
  // mbatchd has been told: the job may run on another host now.
  kill_res(SIGKILL);
  make_room();
  start_res();
  for (const auto& held : hellos_.back().jobs()) EXPECT_NE(held.job().key().id(), 5);
  start(job("true", 6));
  wait_for_over(6);
  EXPECT_FALSE(files::exists(path("runs")));
}

// RES bears a file that is too large; what becomes of its jobs' signals is theirs.
TEST_F(ResDisk, JobsHaveTheSignalThatResDoesWithout) {
  start_res();
  start(job("grep SigBlk /proc/self/status > mask"));
  wait_for_over();
  EXPECT_EQ(text("mask"), "SigBlk:\t0000000000000000\n");
}

TEST_F(ResDisk, AJobWhosePlaceCannotBeMadeHasNotStarted) {
  if (const auto why = small_disk(); !why.empty()) GTEST_SKIP() << why;
  start_res();
  start(job("true"));
  wait_for_over();
  acknowledge();
  wait_until_no_directory();
  leave_room_for_an_order();
  start(job("echo line >> runs", 2));
  wait_until("the guard to find no room",
             [&] { return text("log").find("shepherd: cannot make the user's part") != std::string::npos; });
  make_room();
  const auto over = wait_for_over(2);
  EXPECT_EQ(over.how(), FullOver::NOT_STARTED);
  EXPECT_THAT(over.why(), HasSubstr("No space left"));
  EXPECT_FALSE(files::exists(path("runs")));
}

}  // namespace
}  // namespace rollcall::res::test
