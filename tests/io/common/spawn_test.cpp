// spawn: descriptors, limits, users and signals of a started program.
#include "common/io/spawn.hpp"

#include <errno.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <string>
#include <thread>
#include <vector>

namespace rollcall::io {
namespace {

// All that `fd` gives until its end; nothing for 20 s counts as the end.
std::string read_all(int fd) {
  std::string result;
  char bytes[256];
  pollfd readable{fd, POLLIN, 0};
  while (poll(&readable, 1, 20'000) > 0) {
    const ssize_t size = read(fd, bytes, sizeof bytes);
    if (size <= 0) break;
    result.append(bytes, static_cast<std::size_t>(size));
  }
  return result;
}

// What `echo heard` writes to a close-on-exec pipe whose writing end is descriptor `end`.
std::string heard_through(int end) {
  int pipe[2];
  EXPECT_EQ(pipe2(pipe, O_CLOEXEC), 0);
  const int own_output = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 10);
  EXPECT_GE(dup3(pipe[1], end, O_CLOEXEC), 0);
  close(pipe[1]);
  SpawnPlan plan;
  plan.argv = {"sh", "-c", "echo heard"};
  plan.standard_output = end;
  const auto started = spawn(plan);
  close(end);
  dup2(own_output, STDOUT_FILENO);
  close(own_output);
  const std::string heard = read_all(pipe[0]);
  close(pipe[0]);
  EXPECT_TRUE(std::holds_alternative<pid_t>(started));
  if (const auto* pid = std::get_if<pid_t>(&started)) waitpid(*pid, nullptr, 0);
  return heard;
}

TEST(Spawn, APipeBecomesTheStandardOutput) { EXPECT_EQ(heard_through(20), "heard\n"); }

TEST(Spawn, APipeThatIsDescriptorOneAlreadyStaysOpen) { EXPECT_EQ(heard_through(STDOUT_FILENO), "heard\n"); }

int exit_code_of_run(const SpawnPlan& plan) {
  const auto started = spawn(plan);
  const auto* pid = std::get_if<pid_t>(&started);
  if (pid == nullptr) return -1;
  int status = 0;
  EXPECT_EQ(waitpid(*pid, &status, 0), *pid);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(Spawn, DescriptorsChangePlaces) {
  int first[2];
  int second[2];
  ASSERT_EQ(pipe2(first, O_CLOEXEC), 0);
  ASSERT_EQ(pipe2(second, O_CLOEXEC), 0);
  SpawnPlan plan;
  plan.argv = {"sh", "-c",
               "echo one >&" + std::to_string(first[1]) + "; echo two >&" + std::to_string(second[1]) +
                   "; echo three >&2"};
  plan.descriptors = {{first[1], second[1]}, {second[1], first[1]}, {first[1], STDERR_FILENO}};
  EXPECT_EQ(exit_code_of_run(plan), 0);
  close(first[1]);
  close(second[1]);
  EXPECT_EQ(read_all(first[0]), "two\nthree\n");
  EXPECT_EQ(read_all(second[0]), "one\n");
  close(first[0]);
  close(second[0]);
}

// A daemon of 10,000 connections starts programs with the limit that it was started with itself.
TEST(Spawn, AParentWithMoreOpenFilesThanTheChildMayHave) {
  rlimit before{};
  getrlimit(RLIMIT_NOFILE, &before);
  const rlimit many{std::min<rlim_t>(before.rlim_max, 1024), before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &many), 0);
  std::vector<int> open_ones;
  for (int i = 0; i < 300; ++i) open_ones.push_back(fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3));
  ASSERT_GT(open_ones.back(), 200);
  int pipe[2];
  ASSERT_EQ(pipe2(pipe, O_CLOEXEC), 0);
  SpawnPlan plan;
  plan.argv = {"sh", "-c", "ulimit -n"};
  plan.descriptors = {{pipe[1], STDOUT_FILENO}};
  plan.open_files = rlimit{100, before.rlim_max};
  EXPECT_EQ(exit_code_of_run(plan), 0);
  close(pipe[1]);
  EXPECT_EQ(read_all(pipe[0]), "100\n");
  close(pipe[0]);
  for (const int fd : open_ones) close(fd);
  setrlimit(RLIMIT_NOFILE, &before);
}

TEST(Spawn, ADescriptorThatIsNotOpenIsAnError) {
  SpawnPlan plan;
  plan.argv = {"true"};
  plan.descriptors = {{999, 3}};
  const auto started = spawn(plan);
  const auto* error = std::get_if<SpawnError>(&started);
  ASSERT_NE(error, nullptr);
  EXPECT_EQ(error->stage, SpawnStage::redirect);
  EXPECT_EQ(error->error, EBADF);
}

TEST(Spawn, AnotherUserWithItsGroupsAndNoWayBack) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can start a program as somebody else";
  SpawnPlan plan;
  plan.argv = {"sh", "-c",
               "test \"$(id -u):$(id -g):$(id -G)\" = '65534:65533:65533 7 8' && ! setpriv --reuid 0 true "
               "2>/dev/null"};
  plan.identity = SpawnIdentity{65534, 65533, {7, 8}};
  EXPECT_EQ(exit_code_of_run(plan), 0);
}

pid_t handler_owner = 0;
volatile sig_atomic_t handled_elsewhere = 0;
void note_who_handles(int) {
  if (getpid() != handler_owner) handled_elsewhere = 1;
}

// 0: our handler never ran in a child, which would have been in our memory. In a process group of its own, which is sent signals
// without end.
int spawn_under_signals() {
  setpgid(0, 0);
  handler_owner = getpid();
  signal(SIGUSR1, note_who_handles);
  std::atomic<bool> over = false;
  std::thread sender([&over] {
    while (!over) kill(0, SIGUSR1);
  });
  SpawnPlan plan;
  plan.argv = {"true"};
  int reached = 0;
  for (int i = 0; i < 200; ++i) {
    const auto started = spawn(plan);
    int status = 0;
    if (const auto* pid = std::get_if<pid_t>(&started))
      while (waitpid(*pid, &status, 0) < 0 && errno == EINTR) continue;
    if (WIFSIGNALED(status)) ++reached;
  }
  over = true;
  sender.join();
  return handled_elsewhere != 0 ? 1 : reached == 0 ? 2 : 0;
}

TEST(Spawn, ASignalThatReachesTheChildBeforeItsProgramRunsNoHandlerOfOurs) {
  const pid_t child = fork();
  if (child == 0) _exit(spawn_under_signals());
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status)) << status;
  EXPECT_NE(WEXITSTATUS(status), 1) << "a handler of the parent's ran in the child";
  EXPECT_NE(WEXITSTATUS(status), 2) << "no signal reached a child: the test shows nothing";
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

TEST(Spawn, AUserWhoMayNotBeTakenIsAnErrorAndNothingRuns) {
  if (geteuid() != 0) GTEST_SKIP() << "the child of root gives its right away first";
  // A child that is not root any more, and asks to be root again.
  const pid_t child = fork();
  if (child == 0) {
    if (setgid(65534) != 0 || setuid(65534) != 0) _exit(3);
    SpawnPlan plan;
    plan.argv = {"true"};
    plan.identity = SpawnIdentity{0, 0, {}};
    const auto started = spawn(plan);
    const auto* error = std::get_if<SpawnError>(&started);
    _exit(error != nullptr && error->stage == SpawnStage::identity && error->error == EPERM ? 0 : 4);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
}

}  // namespace
}  // namespace rollcall::io
