#include "common/io/configured_directories.hpp"

#include <filesystem>
#include <system_error>

#include "common/base/host_list.hpp"

namespace rollcall::io {

void check_directories(const std::vector<conf::NamedDirectory>& directories, conf::Problems& problems) {
  std::error_code error;
  for (const auto& [parameter, path, place] : directories)
    if (!std::filesystem::is_directory(path, error))
      problems.warning(place, parameter + ": found " + printable(path) +
                                  ", expected a directory that exists on this host");
}

}  // namespace rollcall::io
