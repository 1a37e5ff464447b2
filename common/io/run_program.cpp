#include "common/io/run_program.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

#include "common/io/child.hpp"
#include "common/io/descriptor.hpp"

namespace rollcall::io {
namespace {

// Reads `fd` until its end; false where a limit is passed.
bool read_to_end(int fd, const CollectLimits& limits, std::string& text) {
  char buffer[4096];
  for (;;) {
    pollfd readable{fd, POLLIN, 0};
    const int events = poll(&readable, 1, static_cast<int>(limits.silence.count()));
    if (events < 0 && errno == EINTR) continue;  // after a stop and continue, for example
    if (events <= 0 || text.size() > limits.bytes) return false;
    const ssize_t size = read(fd, buffer, sizeof buffer);
    if (size < 0 && errno == EINTR) continue;
    if (size <= 0) return size == 0;
    text.append(buffer, static_cast<std::size_t>(size));
  }
}

}  // namespace

int wait_for_end(pid_t child) {
  int status = 0;
  pid_t ended = -1;
  while ((ended = waitpid(child, &status, 0)) < 0 && errno == EINTR) {
  }
  return ended == child ? status : kChildStatusUnknown;
}

std::variant<int, SpawnError> run_program(const SpawnPlan& plan) {
  const auto started = spawn(plan);
  if (const auto* error = std::get_if<SpawnError>(&started)) return *error;
  return wait_for_end(std::get<pid_t>(started));
}

std::variant<Collected, SpawnError> run_and_collect(SpawnPlan plan, const CollectLimits& limits) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return SpawnError{SpawnStage::redirect, errno, plan.argv[0]};
  const Descriptor from(ends[0]);
  Descriptor to(ends[1]);
  plan.standard_output = to.get();
  const auto started = spawn(plan);
  to.reset();
  if (const auto* error = std::get_if<SpawnError>(&started)) return *error;
  const pid_t child = std::get<pid_t>(started);
  Collected collected{};
  if (!read_to_end(from.get(), limits, collected.output)) kill(child, SIGKILL);
  collected.wait_status = wait_for_end(child);
  return collected;
}

}  // namespace rollcall::io
