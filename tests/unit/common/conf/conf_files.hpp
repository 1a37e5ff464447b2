// A set of configuration files in memory, and the problems found in it: for the tests of common/conf.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "common/conf/cluster_files.hpp"

namespace rollcall::conf {

struct MemoryFiles {
  std::map<std::string, std::string> files;
  LocalTime now;
  std::string env_dir = "/c";

  FileSources sources() const {
    return {.read = [this](const std::string& path) -> Result<std::string> {
              const auto found = files.find(path);
              if (found == files.end()) return configuration_error(path + ": No such file or directory");
              return found->second;
            },
            .time = [this](const std::string& zone) -> std::optional<LocalTime> {
              if (zone == "NOWHERE") return std::nullopt;
              return zone.empty() ? now : LocalTime{now.day, (now.minute + 60) % 1440};
            },
            .env_dir = env_dir};
  }
};

// Every problem as a line.
inline std::vector<std::string> lines_of(const Problems& problems) {
  std::vector<std::string> lines;
  for (const Problem& problem : problems.all()) lines.push_back(problem.line());
  return lines;
}

// The same without warnings of keywords without effect (known_parameters_test.cpp checks those).
inline std::vector<std::string> lines_of_values(const Problems& problems) {
  auto lines = lines_of(problems);
  std::erase_if(lines, [](const std::string& line) { return line.find(" has no effect") != line.npos; });
  return lines;
}

}  // namespace rollcall::conf
