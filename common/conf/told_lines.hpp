// ToldLines: the lines about configuration files that a daemon has already logged. A #if time() reads the same texts again every
// few hours; only new lines are logged then. A value, owned by the daemon.
#pragma once

#include <set>
#include <string>
#include <vector>

namespace rollcall::conf {

class ToldLines {
 public:
  // Removes the lines that were there at the last call.
  void keep_new(std::vector<std::string>& errors, std::vector<std::string>& warnings) {
    std::set<std::string> now(errors.begin(), errors.end());
    now.insert(warnings.begin(), warnings.end());
    const auto known = [this](const std::string& line) { return last_.contains(line); };
    std::erase_if(errors, known);
    std::erase_if(warnings, known);
    last_ = std::move(now);
  }

 private:
  std::set<std::string> last_;
};

}  // namespace rollcall::conf
