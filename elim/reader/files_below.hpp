// FilesBelow: small files below a root directory, by paths relative to it. Owns the root's descriptor.
//
// The root is "/" or a fixture tree. An absolute symbolic link would lead out of a fixture tree, so those have none.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/io/descriptor.hpp"

namespace rollcall::load {

class FilesBelow {
 public:
  explicit FilesBelow(const std::string& root);

  // The whole text; none where the file is missing, cannot be read, or is over 16 MiB.
  std::optional<std::string> text(const std::string& path) const;
  bool exists(const std::string& path) const;
  // Names in a directory, sorted, without "." and ".."; empty where it does not exist.
  std::vector<std::string> names(const std::string& path) const;
  // When a file was last read or written, the later of both, in seconds since 1970.
  std::optional<long long> last_used(const std::string& path) const;
  io::Descriptor directory(const std::string& path) const;

 private:
  io::Descriptor root_;
};

}  // namespace rollcall::load
