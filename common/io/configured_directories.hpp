// configured_directories: directories of lsf.conf that do not exist on this host. A function; it uses the file system and may hang with it.
#pragma once

#include <vector>

#include "common/conf/named_directories.hpp"
#include "common/conf/problems.hpp"

namespace rollcall::io {

// A warning for each that does not exist. Daemons make most of them at their start, so a mount that is missing would pass unnoticed.
void check_directories(const std::vector<conf::NamedDirectory>& directories, conf::Problems& problems);

}  // namespace rollcall::io
