// What getent prints:
//   ahosts   ADDRESS blanks TYPE [blanks NAME] newline ...       (an address once for each socket type)
//   passwd   name ":" x ":" uid ":" gid ":" text ":" HOME ":" shell newline
//   group    name ":" x ":" gid ":" members newline
// It exits with 2 where the name is not known.
#include "common/io/name_lookup.hpp"

#include <signal.h>
#include <sys/wait.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "common/io/run_program.hpp"

namespace rollcall::io {
namespace {

constexpr CollectLimits kAnswer{std::chrono::seconds(10), 64 * 1024};
constexpr int kUnknownName = 2;

struct Answer {
  std::string text;
  int wait_status = -1;
  bool exited_with(int code) const { return WIFEXITED(wait_status) && WEXITSTATUS(wait_status) == code; }
};

Answer ask(std::vector<std::string> words) {
  SpawnPlan plan;
  plan.argv = std::move(words);
  sigemptyset(&plan.mask);
  auto ran = run_and_collect(std::move(plan), kAnswer);
  auto* const said = std::get_if<Collected>(&ran);
  return said == nullptr ? Answer{} : Answer{std::move(said->output), said->wait_status};
}

// The field behind so many colons; "" where there is none.
std::string field_of(const Answer& answer, int before) {
  if (!answer.exited_with(0)) return {};
  std::size_t field = 0;
  for (int colons = 0; colons < before; ++colons) {
    field = answer.text.find(':', field);
    if (field == std::string::npos) return {};
    ++field;
  }
  return answer.text.substr(field, answer.text.find(':', field) - field);
}

std::optional<std::uint32_t> number_in(const std::string& text) {
  std::uint32_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return number;
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

std::string look_up_home(uid_t user) { return field_of(ask({"getent", "passwd", std::to_string(user)}), 5); }

std::optional<std::uint32_t> look_up_uid(const std::string& user) {
  return number_in(field_of(ask({"getent", "passwd", "--", user}), 2));
}

std::optional<std::uint32_t> look_up_gid(const std::string& group) {
  return number_in(field_of(ask({"getent", "group", "--", group}), 2));
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
