// Processes that a job has left are known by its directory in their environment (res/daemon/orphans.hpp).
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/io/read_file.hpp"
#include "common/io/spawn.hpp"
#include "res/daemon/orphans.hpp"

namespace rollcall::res {
namespace {

pid_t start(const std::string& directory) {
  io::SpawnPlan plan;
  sigemptyset(&plan.mask);
  plan.argv = {"/bin/sleep", "1000"};
  plan.environment = {"PATH=/bin:/usr/bin", "LSB_JOBFILENAME=" + directory + "/u/1.2"};
  const auto started = io::spawn(plan);
  EXPECT_TRUE(std::holds_alternative<pid_t>(started));
  const pid_t pid = std::holds_alternative<pid_t>(started) ? std::get<pid_t>(started) : -1;
  // It is executed before its environment is to be seen.
  const auto has_it = [&] {
    const auto text = io::read_file("/proc/" + std::to_string(pid) + "/environ");
    return text && text->find(directory) != text->npos;
  };
  for (int i = 0; i < 3000 && !has_it(); ++i) poll(nullptr, 0, 10);
  EXPECT_TRUE(has_it()) << "waited for the environment of " << pid;
  return pid;
}

TEST(ResOrphans, ThoseOfTheJobAreEndedAndTheirNeighboursAreNot) {
  const std::string top = "/spool/" + std::to_string(getpid());
  const pid_t own = start(top + "/1.0.1"), neighbour = start(top + "/1.0.10"),
              longer = start(top + "/x/1.0.1");
  EXPECT_EQ(end_orphans(top + "/1.0.1", geteuid()), 1);
  int status = 0;
  EXPECT_EQ(waitpid(own, &status, 0), own);
  EXPECT_EQ(WTERMSIG(status), SIGKILL);
  for (const pid_t pid : {neighbour, longer}) {
    EXPECT_EQ(waitpid(pid, nullptr, WNOHANG), 0) << "it lives";
    kill(pid, SIGKILL);
    waitpid(pid, nullptr, 0);
  }
}

TEST(ResOrphans, AnotherUsersProcessesAreLeftAlone) {
  const std::string top = "/spool/" + std::to_string(getpid());
  const pid_t own = start(top + "/1.0.1");
  EXPECT_EQ(end_orphans(top + "/1.0.1", geteuid() + 1), 0);
  EXPECT_EQ(waitpid(own, nullptr, WNOHANG), 0) << "it lives";
  kill(own, SIGKILL);
  waitpid(own, nullptr, 0);
}

// Not yet waited for it is there, and can be signalled no more.
TEST(ResOrphans, EndedProcessesAreNotCounted) {
  const std::string top = "/spool/" + std::to_string(getpid());
  const pid_t own = start(top + "/1.0.1");
  kill(own, SIGKILL);
  siginfo_t info{};
  ASSERT_EQ(waitid(P_PID, static_cast<id_t>(own), &info, WEXITED | WNOWAIT), 0);
  EXPECT_EQ(end_orphans(top + "/1.0.1", geteuid()), 0);
  waitpid(own, nullptr, 0);
}

}  // namespace
}  // namespace rollcall::res
