// Cgroups of jobs, with the kernel's own. Skipped, with the reason, where none can be made.
#include "common/io/job_cgroup.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>

#include "common/io/spawn.hpp"
#include "tests/io/common/own_cgroup.hpp"

namespace rollcall::io {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;

std::string cgroup_of(pid_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/cgroup");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("0::")) return line.substr(3);
  return "";
}

class JobCgroups : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!own.why_none().empty()) GTEST_SKIP() << "no cgroup can be made here: " << own.why_none();
    cgroup = JobCgroup::enter(job);
    ASSERT_TRUE(cgroup) << cgroup.why_none();
  }
  void TearDown() override {
    cgroup = JobCgroup();
    end_abandoned_jobs();
  }

  // A shell in the cgroup that runs `script`, and is ready once it has said so.
  pid_t start(const std::string& script, const JobCgroup& in) {
    int ends[2];
    EXPECT_EQ(pipe2(ends, O_CLOEXEC), 0);
    SpawnPlan plan;
    plan.argv = {"/bin/sh", "-c", "echo; exec >/dev/null; " + script};
    plan.cgroup = in.fd();
    plan.standard_output = ends[1];
    const auto started = spawn(plan);
    close(ends[1]);
    char byte = 0;
    EXPECT_EQ(read(ends[0], &byte, 1), 1) << script;
    close(ends[0]);
    EXPECT_TRUE(std::holds_alternative<pid_t>(started));
    return std::holds_alternative<pid_t>(started) ? std::get<pid_t>(started) : -1;
  }
  static int ended(pid_t pid) {
    int status = 0;
    waitpid(pid, &status, 0);
    return status;
  }
  bool exists() const {
    struct stat info;
    return stat(cgroup.path().c_str(), &info) == 0;
  }

  OwnCgroup own;
  std::string job = job_cgroup_name({"test", std::to_string(getpid())}, 1);
  std::string next_job = job_cgroup_name({"test", std::to_string(getpid())}, 2);
  JobCgroup cgroup;
};

TEST_F(JobCgroups, ATaskIsBornInIt) {
  const pid_t pid = start("read word", cgroup);
  EXPECT_THAT(cgroup_of(pid), EndsWith("/" + job));
  EXPECT_THAT(cgroup_of(getpid()), Not(HasSubstr(job))) << "we are not";
  kill(pid, SIGKILL);
  ended(pid);
}

TEST_F(JobCgroups, ItsExitCodeComesBackAndAFailedExecIsReported) {
  EXPECT_EQ(WEXITSTATUS(ended(start("exit 7", cgroup))), 7);
  SpawnPlan plan;
  plan.argv = {"/no/such/program"};
  plan.cgroup = cgroup.fd();
  const auto failed = spawn(plan);
  ASSERT_TRUE(std::holds_alternative<SpawnError>(failed));
  EXPECT_EQ(std::get<SpawnError>(failed).stage, SpawnStage::execute);
  EXPECT_EQ(std::get<SpawnError>(failed).error, ENOENT);
}

TEST_F(JobCgroups, AnotherDirectoryIsRefusedWithTheStage) {
  SpawnPlan plan;
  plan.argv = {"/bin/true"};
  const Descriptor root(open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  plan.cgroup = root.get();
  const auto failed = spawn(plan);
  ASSERT_TRUE(std::holds_alternative<SpawnError>(failed));
  EXPECT_EQ(std::get<SpawnError>(failed).stage, SpawnStage::cgroup);
}

TEST_F(JobCgroups, TheFirstOfTheJobMakesItAndTheOthersEnterIt) {
  EXPECT_TRUE(cgroup.first_of_job());
  const JobCgroup second = JobCgroup::enter(job);
  ASSERT_TRUE(second) << second.why_none();
  EXPECT_FALSE(second.first_of_job());
  EXPECT_EQ(second.path(), cgroup.path());
  const JobCgroup next = JobCgroup::enter(next_job);
  EXPECT_TRUE(next.first_of_job()) << "another job";
}

TEST_F(JobCgroups, IsEndedWhenItsLastHolderLeaves) {
  ASSERT_EQ(mkdir((cgroup.path() + "/of-a-task").c_str(), 0700), 0);
  const pid_t pid = start("setsid -f sleep 100; sleep 100", cgroup);
  JobCgroup other = JobCgroup::enter(job);
  const std::string path = cgroup.path();
  const pid_t keeper = fork();
  if (keeper == 0) {
    const Descriptor directory = open_job_cgroup(path);
    cgroup = JobCgroup();
    other = JobCgroup();
    end_job_cgroup(directory, path);
    _exit(0);
  }
  cgroup = JobCgroup();
  EXPECT_EQ(waitpid(pid, nullptr, WNOHANG), 0) << "another one holds it: it lives";
  other = JobCgroup();
  EXPECT_EQ(WTERMSIG(ended(pid)), SIGKILL);
  EXPECT_EQ(ended(keeper), 0);
  struct stat info;
  EXPECT_NE(stat(path.c_str(), &info), 0) << "removed, with what the task had made in it";
}

TEST_F(JobCgroups, HeldCgroupIsNotAbandoned) {
  const pid_t pid = start("sleep 100", cgroup);
  end_abandoned_jobs();
  EXPECT_EQ(waitpid(pid, nullptr, WNOHANG), 0) << "it lives";
  EXPECT_TRUE(exists());
  const std::string path = cgroup.path();
  cgroup = JobCgroup();
  end_abandoned_jobs();
  EXPECT_EQ(WTERMSIG(ended(pid)), SIGKILL);
  struct stat info;
  EXPECT_NE(stat(path.c_str(), &info), 0);
}

TEST_F(JobCgroups, CgroupsOfOtherNamesAreLeftAlone) {
  for (const char* name :
       {"rollcall-bench.7", "rollcall-1-0123456", "rollcall-1-0123456g", "rollcall--01234567",
        "rollcall-1-012345678", "rollcall-x-01234567", "rollcall-12345678"}) {
    const std::string path = own.path() + "/" + name;
    ASSERT_EQ(mkdir(path.c_str(), 0700), 0) << path;
    end_abandoned_jobs();
    EXPECT_EQ(rmdir(path.c_str()), 0) << path << " has been removed";
  }
}

TEST_F(JobCgroups, OneThatIsRemovedMeanwhileIsMadeAnew) {
  for (int round = 0; round < 200; ++round) {
    const JobCgroup mine = JobCgroup::enter(next_job);
    ASSERT_TRUE(mine) << mine.why_none();
    if (round % 2 == 0) rmdir(mine.path().c_str());
  }
}

// The parent of an orphan must not have this program's name.
TEST_F(JobCgroups, AnOrphanIsEndedAndItsNeighboursAreNot) {
  const pid_t neighbour = start("sleep 100 & wait", cgroup);
  int ends[2];
  ASSERT_EQ(pipe2(ends, O_CLOEXEC), 0);
  const pid_t stranger = fork();
  if (stranger == 0) {  // what adopts the orphans of a TaskStarter
    prctl(PR_SET_NAME, "launcher");
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    const pid_t killed = fork();
    if (killed == 0) {
      start("trap '' TERM; sleep 100", cgroup);
      _exit(0);
    }
    ended(killed);
    int status = 0;
    [[maybe_unused]] const ssize_t said = write(ends[1], ".", 1);
    _exit(wait(&status) > 0 && WIFSIGNALED(status) ? WTERMSIG(status) : 0);
  }
  char byte = 0;
  ASSERT_EQ(read(ends[0], &byte, 1), 1);
  cgroup.end_orphans();
  EXPECT_EQ(WEXITSTATUS(ended(stranger)), SIGKILL) << "how the orphan ended";
  EXPECT_EQ(waitpid(neighbour, nullptr, WNOHANG), 0) << "it lives";
  EXPECT_TRUE(exists());
  kill(neighbour, SIGKILL);
  ended(neighbour);
  close(ends[0]);
  close(ends[1]);
}

TEST(JobCgroupName, IsTheSameForOneJobAndAnotherForTheNext) {
  const std::string name = job_cgroup_name({"n1", "10.77.0.1"}, 40123);
  EXPECT_THAT(name, ::testing::MatchesRegex("rollcall-40123-[0-9a-f]{8}"));
  EXPECT_EQ(name, job_cgroup_name({"n1", "10.77.0.1"}, 40123));
  EXPECT_NE(name, job_cgroup_name({"n2", "10.77.0.1"}, 40123));
}

// Two containers with networks of their own, and one tree of cgroups.
TEST(JobCgroupName, IsAnotherInAnotherPidNamespace) {
  int ends[2];
  ASSERT_EQ(pipe2(ends, O_CLOEXEC), 0);
  const pid_t outside = fork();
  if (outside == 0) {
    if (unshare(CLONE_NEWPID) != 0) _exit(1);
    const pid_t inside = fork();  // the first one in there
    if (inside == 0) {
      const std::string name = job_cgroup_name({"n1", "10.77.0.1"}, 40123);
      _exit(write(ends[1], name.data(), name.size()) == static_cast<ssize_t>(name.size()) ? 0 : 2);
    }
    int status = 0;
    _exit(inside > 0 && waitpid(inside, &status, 0) == inside && status == 0 ? 0 : 2);
  }
  close(ends[1]);
  char text[64];
  const ssize_t size = read(ends[0], text, sizeof text);
  close(ends[0]);
  int status = 0;
  ASSERT_EQ(waitpid(outside, &status, 0), outside);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 1) GTEST_SKIP() << "no PID namespace can be made here";
  ASSERT_EQ(status, 0);
  ASSERT_GT(size, 0);
  const std::string there(text, static_cast<std::size_t>(size));
  EXPECT_THAT(there, ::testing::MatchesRegex("rollcall-40123-[0-9a-f]{8}"));
  EXPECT_NE(there, job_cgroup_name({"n1", "10.77.0.1"}, 40123));
}

}  // namespace
}  // namespace rollcall::io
