// The one line on stderr, and a stderr that is full.
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#include "taskstarter/complaint.hpp"
#include "tests/io/taskstarter/taskstarter_stage.hpp"

namespace rollcall::taskstarter::test {
namespace {

TEST(TaskStarterComplaint, AFullNonBlockingStderrIsWaitedFor) {
  int pipe[2];
  ASSERT_EQ(pipe2(pipe, O_CLOEXEC | O_NONBLOCK), 0);
  const std::string page(4096, 'x');
  while (write(pipe[1], page.data(), page.size()) > 0) continue;
  const int own_errors = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 10);
  ASSERT_GE(dup2(pipe[1], STDERR_FILENO), 0);
  close(pipe[1]);

  std::atomic<pid_t> id = 0;
  std::atomic<bool> done = false;
  std::thread complaining([&] {
    id = static_cast<pid_t>(syscall(SYS_gettid));
    complain("n1", "something\x1b[31m\nis wrong");
    done = true;
  });
  wait_until("the complaint to wait for room", [&] { return done || (id != 0 && state_of(id) == 'S'); });
  EXPECT_FALSE(done) << "given up at once";
  std::string said;
  std::string bytes(4096, '\0');
  const auto drain = [&] {
    for (ssize_t size; (size = read(pipe[0], bytes.data(), bytes.size())) > 0;)
      said.append(bytes, 0, static_cast<std::size_t>(size));
    return done.load();
  };
  wait_until("the end of the complaint", drain);
  drain();
  complaining.join();
  dup2(own_errors, STDERR_FILENO);
  close(own_errors);
  close(pipe[0]);
  const std::string line = "TaskStarter: n1: something [31m is wrong\n";  // no control character
  EXPECT_TRUE(said.ends_with("x" + line)) << said.substr(said.find_last_not_of('x') + 1);
}

}  // namespace
}  // namespace rollcall::taskstarter::test
