// Cgroups of tasks, with the kernel's own. Skipped, with the reason, where none can be made.
#include "common/io/task_cgroup.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <chrono>
#include <fstream>

#include "common/io/spawn.hpp"
#include "tests/io/own_cgroup.hpp"

namespace rollcall::io {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;

std::string cgroup_of(pid_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/cgroup");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("0::")) return line.substr(3);
  return "";
}

class TaskCgroups : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!own.why_none().empty()) GTEST_SKIP() << "no cgroup can be made here: " << own.why_none();
    cgroup = TaskCgroup::make(job);
    ASSERT_TRUE(cgroup) << cgroup.why_none();
  }
  void TearDown() override { cgroup.remove(); }

  // A shell in the cgroup that runs `script`.
  pid_t start(const std::string& script, int directory) {
    SpawnPlan plan;
    plan.argv = {"/bin/sh", "-c", script};
    plan.cgroup = directory;
    const auto started = spawn(plan);
    EXPECT_TRUE(std::holds_alternative<pid_t>(started));
    return std::holds_alternative<pid_t>(started) ? std::get<pid_t>(started) : -1;
  }
  static int ended(pid_t pid) {
    int status = 0;
    waitpid(pid, &status, 0);
    return status;
  }
  // Of a path as /proc tells it: the whole of the test sees the same mount.
  static std::string directory_of(int fd) {
    char path[4096];
    const ssize_t size = readlink(("/proc/self/fd/" + std::to_string(fd)).c_str(), path, sizeof path);
    return {path, static_cast<std::size_t>(std::max<ssize_t>(size, 0))};
  }
  static bool exists(const std::string& path) {
    struct stat info;
    return stat(path.c_str(), &info) == 0;
  }

  OwnCgroup own;
  std::string job = job_cgroup_name({"test", std::to_string(getpid())}, 1);
  TaskCgroup cgroup;
};

TEST_F(TaskCgroups, ATaskIsBornInIt) {
  const pid_t pid = start("read word", cgroup.fd());
  EXPECT_THAT(cgroup_of(pid), EndsWith("/" + job + "/" + std::to_string(getpid())));
  EXPECT_THAT(cgroup_of(getpid()), ::testing::Not(HasSubstr(job))) << "we are not";
  kill(pid, SIGKILL);
  ended(pid);
}

TEST_F(TaskCgroups, ItsExitCodeComesBackAndAFailedExecIsReported) {
  EXPECT_EQ(WEXITSTATUS(ended(start("exit 7", cgroup.fd()))), 7);
  SpawnPlan plan;
  plan.argv = {"/no/such/program"};
  plan.cgroup = cgroup.fd();
  const auto failed = spawn(plan);
  ASSERT_TRUE(std::holds_alternative<SpawnError>(failed));
  EXPECT_EQ(std::get<SpawnError>(failed).stage, SpawnStage::execute);
  EXPECT_EQ(std::get<SpawnError>(failed).error, ENOENT);
}

TEST_F(TaskCgroups, AnotherDirectoryIsRefusedWithTheStage) {
  SpawnPlan plan;
  plan.argv = {"/bin/true"};
  const Descriptor root(open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  plan.cgroup = root.get();
  const auto failed = spawn(plan);
  ASSERT_TRUE(std::holds_alternative<SpawnError>(failed));
  EXPECT_EQ(std::get<SpawnError>(failed).stage, SpawnStage::cgroup);
}

TEST_F(TaskCgroups, KillReachesWhatHasLeftItsSession) {
  int ends[2];
  ASSERT_EQ(pipe2(ends, O_CLOEXEC), 0);
  SpawnPlan plan;
  plan.argv = {"/bin/sh", "-c", "setsid -f sleep 100; echo; sleep 100"};
  plan.cgroup = cgroup.fd();
  plan.standard_output = ends[1];
  const auto started = spawn(plan);
  close(ends[1]);
  ASSERT_TRUE(std::holds_alternative<pid_t>(started));
  char byte = 0;
  ASSERT_EQ(read(ends[0], &byte, 1), 1);
  cgroup.kill();
  EXPECT_EQ(WTERMSIG(ended(std::get<pid_t>(started))), SIGKILL);
  EXPECT_EQ(read(ends[0], &byte, 1), 0) << "both have ended: nobody holds the pipe";
  close(ends[0]);
}

TEST_F(TaskCgroups, RemovingEndsWhatIsLeftAndTakesTheDirectories) {
  const std::string path = directory_of(cgroup.fd());
  ASSERT_TRUE(exists(path));
  ASSERT_EQ(mkdir((path + "/of-the-task").c_str(), 0700), 0);
  const pid_t pid = start("sleep 100", cgroup.fd());
  cgroup.remove();
  EXPECT_EQ(WTERMSIG(ended(pid)), SIGKILL);
  EXPECT_FALSE(exists(path));
  EXPECT_FALSE(exists(path.substr(0, path.rfind('/')))) << "the job's, with its last task";
  EXPECT_FALSE(cgroup);
}

TEST_F(TaskCgroups, WhatSomebodyHoldsIsNoOrphan) {
  const pid_t pid = start("sleep 100", cgroup.fd());
  cgroup.end_orphans();
  end_abandoned_jobs();
  EXPECT_EQ(waitpid(pid, nullptr, WNOHANG), 0) << "it lives";
  EXPECT_TRUE(exists(directory_of(cgroup.fd())));
  kill(pid, SIGKILL);
  ended(pid);
}

TEST_F(TaskCgroups, AnOrphanIsEndedByItsJobAndByOthers) {
  for (const bool by_job : {true, false}) {
    const pid_t owner = fork();
    if (owner == 0) {  // a TaskStarter that is killed
      TaskCgroup mine = TaskCgroup::make(job);
      const pid_t left = start("trap '' TERM; sleep 100", mine.fd());
      _exit(left > 0 ? 0 : 1);
    }
    ASSERT_EQ(ended(owner), 0);
    const std::string path = directory_of(cgroup.fd());
    const std::string orphaned = path.substr(0, path.rfind('/')) + "/" + std::to_string(owner);
    ASSERT_TRUE(exists(orphaned));
    // A child that has just executed may hold its parent's lock for a moment longer: then it is no orphan yet.
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    do by_job ? cgroup.end_orphans() : end_abandoned_jobs();
    while (exists(orphaned) && std::chrono::steady_clock::now() < deadline);
    EXPECT_FALSE(exists(orphaned)) << "empty and removed within 10 s";
    EXPECT_TRUE(exists(path));
  }
}

TEST(JobCgroupName, IsTheSameForOneJobAndAnotherForTheNext) {
  const std::string name = job_cgroup_name({"n1", "10.77.0.1"}, 40123);
  EXPECT_THAT(name, ::testing::MatchesRegex("rollcall-40123-[0-9a-f]{8}"));
  EXPECT_EQ(name, job_cgroup_name({"n1", "10.77.0.1"}, 40123));
  EXPECT_NE(name, job_cgroup_name({"n2", "10.77.0.1"}, 40123));
}

}  // namespace
}  // namespace rollcall::io
