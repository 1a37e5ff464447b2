#include "common/io/program_place.hpp"

#include <filesystem>
#include <system_error>

namespace rollcall::io {

std::string program_directory() {
  std::error_code error;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", error);
  return error ? std::string() : program.parent_path().string();
}

}  // namespace rollcall::io
