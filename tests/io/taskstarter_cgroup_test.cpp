// Both levels of a TaskStarter killed at the same instant: what its task has started is ended by the next of ours.
// Skipped, with the reason, where no cgroup can be made.
#include <gmock/gmock.h>
#include <signal.h>
#include <sys/stat.h>

#include <cstdlib>
#include <list>

#include "taskstarter_stage.hpp"
#include "tests/io/own_cgroup.hpp"

namespace rollcall::taskstarter::test {
namespace {

class TaskStarterCgroup : public Stage {
 protected:
  void SetUp() override {
    setenv("ROLLCALL_TASK_CGROUPS", "Y", 1);  // not made unless asked for
    if (!own_.why_none().empty()) GTEST_SKIP() << "no cgroup can be made here: " << own_.why_none();
  }

  // The directories of this test's job.
  bool job_directory_exists() const {
    struct stat info;
    const auto job = io::job_cgroup_name({"127.0.0.1"}, static_cast<std::uint16_t>(pam_.port()));
    return stat((own_.path() + "/" + job).c_str(), &info) == 0;
  }

  // Starts a task that has a child and a double-forked grandchild, kills both levels at once, and returns who is left:
  // the grandchild and the child, since the task dies with its parent.
  std::vector<pid_t> kill_both_levels() {
    Program& starter = killed_.emplace_back(plan({probe(), "nest"}));
    auto pam = pam_.accept();
    const auto told = pam.registration();
    EXPECT_EQ(told.no_cgroup(), "");
    const auto pids = pids_in(starter.line("the task's set-up"));
    starter.signal(SIGSTOP);  // so that neither sees the other's end
    kill(told.inner_pid(), SIGSTOP);
    kill(told.inner_pid(), SIGKILL);
    starter.signal(SIGKILL);
    EXPECT_FALSE(pam.next_or_end("the end of the connection"));
    EXPECT_EQ(starter.wait(), ExitStatus::signaled(SIGKILL));
    wait_until("the task's own end", [&] { return !alive(pids[0]); });
    return {pids.begin() + 1, pids.end()};
  }

  static void expect_gone(const std::vector<pid_t>& pids) {
    for (const pid_t pid : pids)
      wait_until("process " + std::to_string(pid) + " to be gone", [&] { return !alive(pid); });
  }

  io::OwnCgroup own_;
  std::list<Program> killed_;  // it ends what is left of them, so it does that last
};

TEST_F(TaskStarterCgroup, AnotherOneOfTheJobEndsThemWhenPamSaysSo) {
  Program other(plan({probe(), "nest"}));
  auto others = pam_.accept();
  others.registration();
  const auto its_own = pids_in(other.line("the other task's set-up"));
  const auto left = kill_both_levels();
  for (const pid_t pid : left) EXPECT_TRUE(alive(pid)) << "nobody is there to end it: the test shows nothing";
  wire::FromPam message;
  message.mutable_end_orphans();
  others.send(message);
  expect_gone(left);
  for (const pid_t pid : its_own) EXPECT_TRUE(alive(pid));
  others.end_task(0);
  others.ended();
  other.wait();
  EXPECT_FALSE(job_directory_exists());
}

TEST_F(TaskStarterCgroup, AnotherOneThatTheLauncherEndsEndsThem) {
  Program other(plan({probe(), "nest"}));
  auto others = pam_.accept();
  others.registration();
  other.line("the other task's set-up");
  const auto left = kill_both_levels();
  other.signal(SIGTERM);
  expect_gone(left);
  other.wait();
  EXPECT_FALSE(job_directory_exists());
}

TEST_F(TaskStarterCgroup, TheFirstOfTheNextJobEndsThem) {
  const auto left = kill_both_levels();
  EXPECT_TRUE(job_directory_exists());
  FakePam next(key_.key);
  auto plan = this->plan({probe(), "exit", "0"});
  for (auto& word : plan.words)
    if (word == pam_.where()) word = next.where();
  Program starter(plan);
  auto pam = next.accept();
  pam.registration();
  expect_gone(left);
  pam.ended();
  starter.wait();
  wait_until("the directories to be gone", [&] { return !job_directory_exists(); });
}

TEST_F(TaskStarterCgroup, NothingIsLeftOfItsDirectories) {
  for (const int victim : {0, SIGTERM, SIGKILL}) {
    Program starter(victim == 0 ? plan({probe(), "exit", "3"}) : plan({probe(), "nest"}));
    auto pam = pam_.accept();
    const auto told = pam.registration();
    if (victim != 0) starter.line("the task's set-up");
    if (victim != 0) starter.signal(victim);
    pam.ended();
    starter.wait();
    wait_until("the directories to be gone, victim " + std::to_string(victim),
               [&] { return !job_directory_exists(); });
  }
  Program starter(plan({probe(), "nest"}));
  auto pam = pam_.accept();
  const auto told = pam.registration();
  starter.line("the task's set-up");
  kill(told.inner_pid(), SIGKILL);
  EXPECT_EQ(starter.wait(), ExitStatus::signaled(SIGKILL));
  EXPECT_FALSE(job_directory_exists()) << "the outer level removes them";
}

}  // namespace
}  // namespace rollcall::taskstarter::test
