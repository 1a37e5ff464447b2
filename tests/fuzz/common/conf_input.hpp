// A set of configuration files from one input: "%% NAME" at the start of a line begins the file NAME, up to the next one.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "common/conf/cluster_files.hpp"

namespace rollcall::conf {

struct InputFiles {
  std::map<std::string, std::string> files;  // by path

  explicit InputFiles(std::string_view input, const std::map<std::string, std::string>& folders) {
    std::string path;
    while (!input.empty()) {
      const std::size_t end = input.find('\n');
      const std::string_view line = input.substr(0, end);
      if (line.starts_with("%% ")) {
        const std::string name(line.substr(3));
        const auto folder = folders.find(name.substr(0, 4));
        path = (folder == folders.end() ? "/c/" : folder->second) + name;
      } else {
        files[path].append(line).append("\n");
      }
      input = end == std::string_view::npos ? std::string_view{} : input.substr(end + 1);
    }
  }

  FileSources sources() const {
    return {.read = [this](const std::string& path) -> Result<std::string> {
              const auto found = files.find(path);
              if (found == files.end()) return configuration_error(path + ": none");
              return found->second;
            },
            .time =
                [](const std::string&) {
                  return LocalTime{3, 600};
                },
            .env_dir = "/c"};
  }
};

}  // namespace rollcall::conf
