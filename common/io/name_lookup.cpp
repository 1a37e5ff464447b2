// What getent prints:
//   ahosts   ADDRESS blanks TYPE [blanks NAME] newline ...       (an address once for each socket type)
//   passwd   name ":" x ":" uid ":" gid ":" text ":" HOME ":" shell newline
// It exits with 2 where the name is not known.
#include "common/io/name_lookup.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>

#include <algorithm>
#include <cerrno>

#include "common/io/descriptor.hpp"
#include "common/io/spawn.hpp"

namespace rollcall::io {
namespace {

constexpr int kAnswerLimit = 10'000;  // ms, from one byte to the next
constexpr int kUnknownName = 2;
constexpr std::size_t kMostBytes = 64 * 1024;  // bytes of an answer

struct Answer {
  std::string text;
  int wait_status = -1;
  bool exited_with(int code) const { return WIFEXITED(wait_status) && WEXITSTATUS(wait_status) == code; }
};

// All that comes from `fd` until its end; false where it takes too long or is too much.
bool read_to_end(int fd, std::string& text) {
  char buffer[4096];
  for (;;) {
    pollfd readable{fd, POLLIN, 0};
    const int events = poll(&readable, 1, kAnswerLimit);
    if (events < 0 && errno == EINTR) continue;  // stopped and continued, for one
    if (events <= 0 || text.size() > kMostBytes) return false;
    const ssize_t size = read(fd, buffer, sizeof buffer);
    if (size < 0 && errno == EINTR) continue;
    if (size <= 0) return size == 0;
    text.append(buffer, static_cast<std::size_t>(size));
  }
}

Answer ask(std::vector<std::string> words) {
  Answer answer;
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return answer;
  const Descriptor from(ends[0]);
  Descriptor to(ends[1]);
  SpawnPlan plan;
  plan.argv = std::move(words);
  plan.standard_output = to.get();
  sigemptyset(&plan.mask);
  const auto started = spawn(plan);
  to.reset();
  const auto* child = std::get_if<pid_t>(&started);
  if (child == nullptr) return answer;
  if (!read_to_end(from.get(), answer.text)) kill(*child, SIGKILL);
  while (waitpid(*child, &answer.wait_status, 0) < 0 && errno == EINTR) {
  }
  return answer;
}

}  // namespace

std::optional<std::vector<std::string>> look_up_host(const std::string& name) {
  const Answer answer = ask({"getent", "ahosts", "--", name});
  std::vector<std::string> addresses;
  if (answer.exited_with(kUnknownName)) return addresses;
  if (!answer.exited_with(0)) return std::nullopt;
  for (std::size_t line = 0; line < answer.text.size(); line = answer.text.find('\n', line) + 1) {
    const std::string address = answer.text.substr(line, answer.text.find_first_of(" \t\n", line) - line);
    if (std::find(addresses.begin(), addresses.end(), address) == addresses.end())
      addresses.push_back(address);
    if (answer.text.find('\n', line) == std::string::npos) break;
  }
  return addresses;
}

std::string look_up_home(uid_t user) {
  const Answer answer = ask({"getent", "passwd", std::to_string(user)});
  if (!answer.exited_with(0)) return {};
  std::size_t field = 0;
  for (int colons = 0; colons < 5; ++colons) {
    field = answer.text.find(':', field);
    if (field == std::string::npos) return {};
    ++field;
  }
  return answer.text.substr(field, answer.text.find(':', field) - field);
}

std::string look_up_user(uid_t user) {
  const Answer answer = ask({"getent", "passwd", std::to_string(user)});
  return answer.exited_with(0) ? answer.text.substr(0, answer.text.find(':')) : std::string();
}

bool no_such_user(const std::string& name) {
  return ask({"getent", "passwd", "--", name}).exited_with(kUnknownName);
}

bool no_such_group(const std::string& name) {
  return ask({"getent", "group", "--", name}).exited_with(kUnknownName);
}

}  // namespace rollcall::io
