// Both levels of a TaskStarter killed at the same instant: what its task has started is ended by another one of the job,
// by the keeper of the job's cgroup where it was the last, and by the next job where the keeper was killed as well.
// Skipped, with the reason, where no cgroup can be made.
#include <gmock/gmock.h>
#include <signal.h>
#include <sys/stat.h>

#include <cstdlib>
#include <fstream>
#include <list>

#include "tests/io/common/own_cgroup.hpp"
#include "tests/io/taskstarter/taskstarter_stage.hpp"

namespace rollcall::taskstarter::test {
namespace {

class TaskStarterCgroup : public Stage {
 protected:
  void SetUp() override {
    unsetenv("ROLLCALL_TASK_CGROUPS");
    if (!own_.why_none().empty()) GTEST_SKIP() << "no cgroup can be made here: " << own_.why_none();
  }

  // A keeper is in our own cgroup until it has ended.
  void TearDown() override {
    if (own_.why_none().empty()) wait_until("the keepers to be gone", [&] { return keepers().empty(); });
  }

  // The directory of this test's job.
  bool job_directory_exists() const {
    struct stat info;
    const auto job = io::job_cgroup_name({"127.0.0.1"}, static_cast<std::uint16_t>(pam_.port()));
    return stat((own_.path() + "/" + job).c_str(), &info) == 0;
  }
  void expect_no_directory(const std::string& after) const {
    wait_until("the directory to be gone after " + after, [&] { return !job_directory_exists(); });
  }

  // All in our cgroup, but the job's tasks, which are below it.
  std::vector<pid_t> keepers() const {
    std::vector<pid_t> found;
    std::ifstream members(own_.path() + "/cgroup.procs");
    for (pid_t pid = 0; members >> pid;) {
      std::ifstream file("/proc/" + std::to_string(pid) + "/comm");
      std::string name;
      if (std::getline(file, name) && name == "rollcall-keeper") found.push_back(pid);
    }
    return found;
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
  for (const pid_t pid : left)
    EXPECT_TRUE(alive(pid)) << "expected it to live without TaskStarters, else the test shows nothing";
  wire::FromPam message;
  message.mutable_end_orphans();
  others.send(message);
  expect_gone(left);
  for (const pid_t pid : its_own) EXPECT_TRUE(alive(pid));
  others.end_task(0);
  others.ended();
  other.wait();
  expect_no_directory("the other one's end");
}

TEST_F(TaskStarterCgroup, TheKeeperEndsThemWithTheLastOneOfTheJob) {
  Program other(plan({probe(), "nest"}));
  auto others = pam_.accept();
  others.registration();
  other.line("the other task's set-up");
  const auto left = kill_both_levels();
  for (const pid_t pid : left) EXPECT_TRUE(alive(pid)) << "the other one lives";
  other.signal(SIGTERM);
  expect_gone(left);
  other.wait();
  expect_no_directory("the last one's end");
}

TEST_F(TaskStarterCgroup, TheKeeperEndsThemWhereAllWereKilled) {
  expect_gone(kill_both_levels());
  expect_no_directory("that");
  wait_until("the keeper to be gone", [&] { return keepers().empty(); });
}

TEST_F(TaskStarterCgroup, TheKeeperIsOneForTheJobAndHasNothingOfTheLaunchers) {
  Program first(plan({probe(), "nest"}));
  auto pam = pam_.accept();
  pam.registration();
  Program second(plan({probe(), "nest"}));
  auto other = pam_.accept();
  other.registration();
  ASSERT_EQ(keepers().size(), 1U);
  const std::string process = "/proc/" + std::to_string(keepers().front());
  std::ifstream file(process + "/cmdline");
  std::string words;
  std::getline(file, words, '\0');
  EXPECT_EQ(words, "rollcall-keeper") << "pkill -f TaskStarter does not find it";
  wait_until("one descriptor", [&] {
    const std::string list = process + "/fd";
    return access((list + "/0").c_str(), F_OK) != 0 && access((list + "/1").c_str(), F_OK) != 0 &&
           access((list + "/2").c_str(), F_OK) != 0;
  });
  for (auto* talk : {&pam, &other}) talk->end_task(0);
  first.wait();
  second.wait();
  expect_no_directory("both");
}

TEST_F(TaskStarterCgroup, TheFirstOfTheNextJobEndsThemWhereTheKeeperWasKilledToo) {
  Program& starter = killed_.emplace_back(plan({probe(), "nest"}));
  auto pam = pam_.accept();
  const auto told = pam.registration();
  auto left = pids_in(starter.line("the task's set-up"));
  left.erase(left.begin());
  ASSERT_EQ(keepers().size(), 1U);
  kill(keepers().front(), SIGKILL);
  for (const int number : {SIGSTOP, SIGKILL}) {
    starter.signal(number);
    kill(told.inner_pid(), number);
  }
  starter.wait();
  EXPECT_TRUE(job_directory_exists());
  for (const pid_t pid : left)
    EXPECT_TRUE(alive(pid)) << "expected it to live without TaskStarters, else the test shows nothing";
  FakePam next(key_.key);
  auto plan = this->plan({probe(), "exit", "0"});
  for (auto& word : plan.words)
    if (word == pam_.where()) word = next.where();
  Program following(plan);
  auto nexts = next.accept();
  nexts.registration();
  expect_gone(left);
  nexts.ended();
  following.wait();
  expect_no_directory("the next job's first");
}

TEST_F(TaskStarterCgroup, RemovesItsDirectory) {
  for (const int victim : {0, SIGTERM, SIGKILL}) {
    Program starter(victim == 0 ? plan({probe(), "exit", "3"}) : plan({probe(), "nest"}));
    auto pam = pam_.accept();
    const auto told = pam.registration();
    if (victim != 0) starter.line("the task's set-up");
    if (victim != 0) starter.signal(victim);
    pam.ended();
    starter.wait();
    expect_no_directory("victim " + std::to_string(victim));
  }
  Program starter(plan({probe(), "nest"}));
  auto pam = pam_.accept();
  const auto told = pam.registration();
  starter.line("the task's set-up");
  kill(told.inner_pid(), SIGKILL);
  EXPECT_EQ(starter.wait(), ExitStatus::signaled(SIGKILL));
  expect_no_directory("the inner level's death");
}

TEST_F(TaskStarterCgroup, NIsTheWordThatSwitchesItOff) {
  setenv("ROLLCALL_TASK_CGROUPS", "N", 1);
  Program starter(plan({probe(), "nest"}));
  auto pam = pam_.accept();
  EXPECT_EQ(pam.registration().no_cgroup(), "ROLLCALL_TASK_CGROUPS is N");
  EXPECT_FALSE(job_directory_exists());
  EXPECT_TRUE(keepers().empty());
  pam.end_task(0);
  starter.wait();
  unsetenv("ROLLCALL_TASK_CGROUPS");
}

}  // namespace
}  // namespace rollcall::taskstarter::test
