// Cgroups of RES's jobs, with the kernel's own. Skipped, with the reason, where none can be made.
#include "common/io/cgroup_slots.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <ctime>
#include <filesystem>
#include <fstream>

#include "common/io/cgroup_files.hpp"
#include "common/io/job_cgroup.hpp"
#include "common/io/spawn.hpp"
#include "tests/io/common/own_cgroup.hpp"

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

class CgroupSlots : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!own.why_none().empty()) GTEST_SKIP() << "no cgroup can be made here: " << own.why_none();
    folder = make_slots("/spool/" + std::to_string(getpid()));
    ASSERT_EQ(folder.why_none, "");
    ASSERT_THAT(folder.path, HasSubstr(own.path() + "/rollcall-res-"));
  }
  void TearDown() override {
    if (folder.path.empty()) return;
    folder.held.reset();
    for (const auto& entry : std::filesystem::directory_iterator(own.path()))
      if (entry.path().filename().string().starts_with(kSlotsPrefix)) remove_slots(entry.path());
  }

  // A process in the slot that waits, and has started one that has left its session.
  static pid_t start(const CgroupSlot& slot) {
    int ends[2];
    EXPECT_EQ(pipe2(ends, O_CLOEXEC), 0);
    const pid_t pid = fork_into_cgroup(slot.fd());
    EXPECT_GE(pid, 0) << errno;
    if (pid == 0) {  // as after an exec: no descriptor of ours, and so no lock
      dup2(ends[1], STDOUT_FILENO);
      syscall(SYS_close_range, 3U, ~0U, 0U);
      if (fork() == 0) {
        setsid();
        [[maybe_unused]] const ssize_t said = write(STDOUT_FILENO, ".", 1);
        for (;;) pause();
      }
      for (;;) pause();
    }
    char byte = 0;
    EXPECT_EQ(read(ends[0], &byte, 1), 1);
    close(ends[0]);
    close(ends[1]);
    return pid;
  }
  static int ended(pid_t pid) {
    int status = 0;
    waitpid(pid, &status, 0);
    return status;
  }
  bool exists(const std::string& name) const { return std::filesystem::exists(folder.path + "/" + name); }

  OwnCgroup own;
  SlotsFolder folder;
};

TEST_F(CgroupSlots, AChildIsBornInItsSlotAndEverythingThereEndsWithIt) {
  CgroupSlot slot = CgroupSlot::take(folder.path);
  ASSERT_TRUE(slot);
  const pid_t pid = start(slot);
  EXPECT_THAT(cgroup_of(pid), EndsWith("/slot-0"));
  EXPECT_EQ(cgroup_members(slot.fd()).size(), 2U);
  slot.end();
  EXPECT_EQ(WTERMSIG(ended(pid)), SIGKILL);
  wait_for_empty_cgroup(slot.fd());
  EXPECT_FALSE(cgroup_is_populated(slot.fd()));
}

TEST_F(CgroupSlots, EachJobHasOneAndTheNextOneHasItAgain) {
  CgroupSlot first = CgroupSlot::take(folder.path);
  const CgroupSlot second = CgroupSlot::take(folder.path);
  ASSERT_TRUE(first && second);
  EXPECT_TRUE(exists("slot-0") && exists("slot-1"));
  first = CgroupSlot();
  const CgroupSlot third = CgroupSlot::take(folder.path);
  ASSERT_TRUE(third);
  EXPECT_FALSE(exists("slot-2")) << "no more than there are jobs at once";
}

TEST_F(CgroupSlots, EndsProcessesOfUnheldSlotsAlone) {
  CgroupSlot held = CgroupSlot::take(folder.path);
  CgroupSlot left = CgroupSlot::take(folder.path);
  const pid_t neighbour = start(held);
  const pid_t orphan = start(left);
  left = CgroupSlot();
  end_unheld_slots(folder.path);
  EXPECT_EQ(WTERMSIG(ended(orphan)), SIGKILL);
  EXPECT_EQ(waitpid(neighbour, nullptr, WNOHANG), 0) << "it lives";
  held.end();
  ended(neighbour);
}

TEST_F(CgroupSlots, IsEmptyWhenItIsTaken) {
  CgroupSlot left = CgroupSlot::take(folder.path);
  const pid_t orphan = start(left);
  left = CgroupSlot();
  const CgroupSlot next = CgroupSlot::take(folder.path);
  ASSERT_TRUE(next);
  EXPECT_EQ(WTERMSIG(ended(orphan)), SIGKILL);
  EXPECT_FALSE(cgroup_is_populated(next.fd()));
}

// A kernel that has killed a cgroup once kills what is born into it ever after.
TEST_F(CgroupSlots, CgroupThatWasKilledOnceIsNotUsedAgain) {
  CgroupSlot first = CgroupSlot::take(folder.path);
  const pid_t pid = start(first);
  first.end();
  ended(pid);
  EXPECT_FALSE(exists("slot-0"));
  first = CgroupSlot();
  CgroupSlot left = CgroupSlot::take(folder.path);
  const pid_t orphan = start(left);  // it lives: its first word was heard
  left = CgroupSlot();
  CgroupSlot next = CgroupSlot::take(folder.path);  // the kernel kills every process in it
  EXPECT_EQ(WTERMSIG(ended(orphan)), SIGKILL);
  const pid_t child = start(next);
  EXPECT_EQ(waitpid(child, nullptr, WNOHANG), 0);
  next.end();
  ended(child);
}

TEST_F(CgroupSlots, AProgramThatTheKernelKillsAtItsBirthWasNotStarted) {
  const CgroupSlot slot = CgroupSlot::take(folder.path);
  ASSERT_TRUE(write_cgroup_file(slot.fd(), "cgroup.kill", "1"));
  SpawnPlan plan;
  sigemptyset(&plan.mask);
  plan.argv = {"/bin/true"};
  plan.cgroup = slot.fd();
  const auto started = spawn(plan);
  if (const auto* pid = std::get_if<pid_t>(&started)) {
    EXPECT_EQ(ended(*pid), 0) << "an older kernel starts it";
  } else {
    EXPECT_EQ(std::get<SpawnError>(started).stage, SpawnStage::cgroup);
    EXPECT_EQ(std::get<SpawnError>(started).error, ECANCELED);
  }
  EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1) << "no process is left in it";
}

TEST_F(CgroupSlots, CgroupMarkedAsKilledIsMadeAnew) {
  CgroupSlot first = CgroupSlot::take(folder.path);
  ASSERT_TRUE(write_cgroup_file(first.fd(), "cgroup.kill", "1"));
  ASSERT_EQ(chmod(first.path().c_str(), 0500), 0);  // whoever did this could not remove it
  first = CgroupSlot();
  CgroupSlot again = CgroupSlot::take(folder.path);
  const pid_t child = start(again);
  EXPECT_EQ(waitpid(child, nullptr, WNOHANG), 0);
  again.end();
  ended(child);
}

TEST_F(CgroupSlots, NoneBelowACgroupThatWasKilled) {
  const std::string killed = own.path() + "/killed";
  ASSERT_EQ(mkdir(killed.c_str(), 0755), 0);
  ASSERT_TRUE(write_cgroup_file(open_cgroup(AT_FDCWD, killed.c_str()).get(), "cgroup.kill", "1"));
  const pid_t pid = fork();
  if (pid == 0) {
    if (!write_cgroup_file(open_cgroup(AT_FDCWD, killed.c_str()).get(), "cgroup.procs",
                           std::to_string(getpid())))
      _exit(2);
    SlotsFolder made = make_slots("/of/another/res");
    // A kernel that does not do this gives one that can be used.
    if (made.path.empty()) _exit(made.why_none.find("was killed before") != made.why_none.npos ? 0 : 3);
    {
      const CgroupSlot slot = CgroupSlot::take(made.path);
      const pid_t child = fork_into_cgroup(slot.fd());
      if (child == 0) _exit(0);
      if (!WIFEXITED(ended(child))) _exit(4);
    }
    remove_slots(made.path);
    _exit(0);
  }
  const int status = ended(pid);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  remove_cgroup(killed);
}

TEST_F(CgroupSlots, TheFolderGoesWithTheLastOne) {
  CgroupSlot slot = CgroupSlot::take(folder.path);
  ASSERT_TRUE(CgroupSlot::take(folder.path));
  remove_slots(folder.path);
  EXPECT_TRUE(exists("slot-0")) << "it is held";
  EXPECT_FALSE(exists("slot-1"));
  slot = CgroupSlot();
  remove_slots(folder.path);
  EXPECT_FALSE(std::filesystem::exists(folder.path));
  EXPECT_FALSE(CgroupSlot::take(folder.path)) << "a job goes without one";
}

TEST_F(CgroupSlots, FoldersOfAResThatIsGoneGoUnlessAJobIsInThem) {
  SlotsFolder gone = make_slots("/gone"), busy = make_slots("/busy"), living = make_slots("/living");
  const CgroupSlot job = CgroupSlot::take(busy.path);
  const CgroupSlot idle = CgroupSlot::take(living.path);
  ASSERT_TRUE(job && idle && CgroupSlot::take(gone.path));
  gone.held.reset();
  busy.held.reset();
  const SlotsFolder next = make_slots("/next");
  EXPECT_FALSE(std::filesystem::exists(gone.path));
  EXPECT_TRUE(std::filesystem::exists(busy.path + "/slot-0"));
  EXPECT_TRUE(std::filesystem::exists(living.path + "/slot-0"));
  EXPECT_TRUE(exists("")) << "ours is held";
  remove_slots(living.path);
  remove_slots(next.path);
}

TEST_F(CgroupSlots, OnlyItsUserCanOpenThemAndSoLockThem) {
  const CgroupSlot slot = CgroupSlot::take(folder.path);
  ASSERT_TRUE(slot);
  struct stat facts;
  for (const auto& path : {folder.path, slot.path()}) {
    ASSERT_EQ(stat(path.c_str(), &facts), 0);
    EXPECT_EQ(facts.st_mode & 0777, 0711u) << path;
  }
  if (geteuid() != 0) GTEST_SKIP() << "needs root, to be somebody else";
  chmod(own.path().c_str(), 0755);
  const pid_t stranger = fork();
  if (stranger == 0) {
    const bool became = setresgid(65534, 65534, 65534) == 0 && setresuid(65534, 65534, 65534) == 0;
    const bool opened =
        open_cgroup(AT_FDCWD, folder.path.c_str()) || open_cgroup(AT_FDCWD, slot.path().c_str());
    const bool counted = access((slot.path() + "/cgroup.procs").c_str(), R_OK) == 0;
    _exit(became && !opened && counted ? 0 : 1);
  }
  EXPECT_EQ(ended(stranger), 0) << "only their user opens them; others read the counters by name";
}

TEST_F(CgroupSlots, ALockOfAStrangersHoldsUpNoRes) {
  SlotsFolder older = make_slots("/older");
  const CgroupSlot slot = CgroupSlot::take(older.path);
  older.held.reset();
  ASSERT_EQ(chmod(older.path.c_str(), 0755), 0);
  ASSERT_EQ(chmod(slot.path().c_str(), 0755), 0);
  const Descriptor strangers = open_cgroup(AT_FDCWD, older.path.c_str());
  ASSERT_EQ(flock(strangers.get(), LOCK_EX | LOCK_NB), 0) << "from before an upgrade";
  const SlotsFolder blocked = make_slots("/older");
  EXPECT_THAT(blocked.why_none, HasSubstr("cannot make and lock " + older.path));
  struct stat facts;
  for (const auto& path : {older.path, slot.path()}) {
    ASSERT_EQ(stat(path.c_str(), &facts), 0);
    EXPECT_EQ(facts.st_mode & 0777, 0711u) << path;
  }
  ASSERT_EQ(flock(strangers.get(), LOCK_UN), 0);
  EXPECT_EQ(make_slots("/older").path, older.path) << "the next one has it again";
}

TEST_F(CgroupSlots, TheyAreBesideUsWhereTheCgroupAboveUsWasDelegated) {
  const auto enter = [](const std::string& cgroup) {
    const Descriptor directory = open_cgroup(AT_FDCWD, cgroup.c_str());
    return write_cgroup_file(directory.get(), "cgroup.procs", "0");
  };
  const std::string part = own.path() + "/part";
  ASSERT_EQ(mkdir(part.c_str(), 0755), 0);
  ASSERT_TRUE(enter(part));
  const SlotsFolder below = make_slots("/below");
  const bool marked = setxattr(own.path().c_str(), "trusted.delegate", "1", 1, 0) == 0;
  const SlotsFolder beside = make_slots("/beside");
  removexattr(own.path().c_str(), "trusted.delegate");
  EXPECT_TRUE(enter(own.path()));
  remove_slots(below.path);
  remove_slots(beside.path);
  EXPECT_EQ(rmdir(part.c_str()), 0);
  EXPECT_THAT(below.path, testing::StartsWith(part + "/rollcall-res-"));
  if (!marked) GTEST_SKIP() << "a cgroup cannot be marked here";
  EXPECT_THAT(beside.path, testing::StartsWith(own.path() + "/rollcall-res-"));
}

TEST_F(CgroupSlots, ATaskStarterInOneMakesNoFurtherOne) {
  CgroupSlot slot = CgroupSlot::take(folder.path);
  const pid_t pid = fork_into_cgroup(slot.fd());
  ASSERT_GE(pid, 0);
  if (pid == 0) {
    const JobCgroup job = JobCgroup::enter("rollcall-1-01234567");
    _exit(!job && job.why_none().find("RES's") != std::string::npos ? 7 : 8);
  }
  EXPECT_EQ(WEXITSTATUS(ended(pid)), 7);
}

TEST_F(CgroupSlots, OneThatIsRemovedMeanwhileIsMadeAnew) {
  for (int round = 0; round < 100; ++round) {
    const CgroupSlot slot = CgroupSlot::take(folder.path);
    ASSERT_TRUE(slot);
    if (round % 2 == 0) rmdir((folder.path + "/slot-0").c_str());
  }
}

TEST_F(CgroupSlots, TheKernelCountsItsTime) {
  const CgroupSlot slot = CgroupSlot::take(folder.path);
  const pid_t pid = fork_into_cgroup(slot.fd());
  if (pid == 0) {
    // CPU time of the process itself; asking for the clock would be time of the kernel.
    volatile unsigned work = 0;
    while (clock() < CLOCKS_PER_SEC / 10)
      for (int i = 0; i < 1'000'000; ++i) work = work + 1;
    _exit(0);
  }
  ended(pid);
  EXPECT_THAT(read_cgroup_file(slot.fd(), "cpu.stat"), HasSubstr("user_usec "));
  EXPECT_THAT(read_cgroup_file(slot.fd(), "cpu.stat"), ::testing::Not(HasSubstr("user_usec 0\n")));
}

TEST(CgroupSlot, WithoutAFolderThereIsNone) {
  EXPECT_FALSE(CgroupSlot::take(""));
  EXPECT_FALSE(CgroupSlot::take("/no/such/folder"));
  EXPECT_FALSE(CgroupSlot::take("/proc"));
  end_unheld_slots("");
  remove_slots("");
}

}  // namespace
}  // namespace rollcall::io
