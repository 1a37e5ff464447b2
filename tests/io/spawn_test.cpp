// What a started program gets as its standard output.
#include "common/io/spawn.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>

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

}  // namespace
}  // namespace rollcall::io
