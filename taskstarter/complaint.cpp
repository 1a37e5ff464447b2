#include "taskstarter/complaint.hpp"

#include <limits.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>

namespace rollcall::taskstarter {
namespace {

using Clock = std::chrono::steady_clock;

// For a slow reader, or a full pipe without one: the longest time for which a complaint delays what follows it.
constexpr std::chrono::milliseconds kPatience{2000};

bool await_room(Clock::time_point deadline) {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now());
  if (left.count() <= 0) return false;
  pollfd room{STDERR_FILENO, POLLOUT, 0};
  const int ready = poll(&room, 1, static_cast<int>(left.count()));
  return ready > 0 || (ready < 0 && errno == EINTR);
}

}  // namespace

void complain(const std::string& host, std::string_view line) {
  std::string text = "TaskStarter: " + host + ": ";
  text += line;
  // Control characters in a user's words must not reach a terminal.
  for (char& c : text)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = ' ';
  text += '\n';
  const auto deadline = Clock::now() + kPatience;
  for (std::string_view rest = text; !rest.empty();) {
    if (!await_room(deadline)) return;
    const ssize_t size = write(STDERR_FILENO, rest.data(), std::min<std::size_t>(rest.size(), PIPE_BUF));
    if (size >= 0)
      rest.remove_prefix(static_cast<std::size_t>(size));
    else if (errno != EAGAIN && errno != EINTR)
      return;  // if even this fails, no further channel is left
  }
}

}  // namespace rollcall::taskstarter
