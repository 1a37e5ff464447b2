#include "elim/policy/melim/elim_orders.hpp"

#include <map>
#include <string_view>
#include <utility>

namespace rollcall::melim {
namespace {

// For a LIM that was started without PATH.
constexpr const char* kStandardPath = "/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin";

using Variables = std::map<std::string, std::string, std::less<>>;

void set_all(Variables& variables, const std::vector<std::string>& words) {
  for (const std::string& word : words) {
    const std::size_t equals = word.find('=');
    if (equals == std::string::npos || equals == 0) continue;
    variables[word.substr(0, equals)] = word.substr(equals + 1);
  }
}

std::string joined(const std::vector<std::string>& words) {
  std::string result;
  for (const std::string& word : words) result += (result.empty() ? "" : " ") + word;
  return result;
}

// LSF's commands first, then LIM's own PATH.
std::string search_path(const Variables& variables) {
  std::string path;
  const auto add = [&path](const std::string& part) {
    if (!part.empty()) path += (path.empty() ? "" : ":") + part;
  };
  for (const char* name : {"LSF_BINDIR", "LSF_SERVERDIR", "PATH"})
    if (const auto found = variables.find(name); found != variables.end()) add(found->second);
  if (const auto inherited = variables.find("PATH");
      inherited == variables.end() || inherited->second.empty())
    add(kStandardPath);
  return path;
}

}  // namespace

bool same_start(const ElimOrders& before, const ElimOrders& now) {
  return before.host == now.host && before.server_dir == now.server_dir && before.master == now.master &&
         before.log_dir == now.log_dir && before.resources == now.resources &&
         before.arguments == now.arguments && before.environment == now.environment &&
         before.debug == now.debug && before.rules.abort_value == now.rules.abort_value;
}

std::vector<std::string> elim_environment(const std::vector<std::string>& inherited,
                                          const ElimOrders& orders) {
  Variables variables;
  set_all(variables, inherited);
  set_all(variables, orders.environment);
  variables["LSF_MASTER"] = std::string(1, orders.master ? 'Y' : 'N');
  variables["LSF_RESOURCES"] = joined(orders.resources);
  variables["ELIM_ABORT_VALUE"] = std::to_string(orders.rules.abort_value);
  if (!orders.log_dir.empty()) variables["LSF_LOGDIR"] = orders.log_dir;
  variables["PATH"] = search_path(variables);
  if (orders.debug) variables.try_emplace("LSF_ELIM_DEBUG", "y");
  std::vector<std::string> words;
  words.reserve(variables.size());
  for (const auto& [name, value] : variables) words.push_back(name + "=" + value);
  return words;
}

}  // namespace rollcall::melim
