#include "elim/reader/host_sizes.hpp"

#include <sys/statvfs.h>
#include <time.h>

#include <cmath>

namespace rollcall::load {
namespace {

using std::chrono::seconds;

std::optional<FileSystemSize> size_by_statvfs(int directory) {
  struct statvfs size {};
  if (fstatvfs(directory, &size) != 0) return std::nullopt;
  constexpr double kMega = 1024.0 * 1024;
  const auto block = static_cast<double>(size.f_frsize);
  return FileSystemSize{std::floor(static_cast<double>(size.f_bavail) * block / kMega),
                        std::floor(static_cast<double>(size.f_blocks) * block / kMega)};
}

seconds system_clock_seconds() {
  struct timespec now {};
  clock_gettime(CLOCK_REALTIME, &now);
  return seconds(now.tv_sec);
}

}  // namespace

HostSource with_defaults(HostSource source) {
  if (!source.file_system_size) source.file_system_size = size_by_statvfs;
  if (!source.wall_clock) source.wall_clock = system_clock_seconds;
  return source;
}

std::optional<FileSystemSize> size_of_tmp(const HostSource& source, const FilesBelow& files) {
  const auto directory = files.directory("tmp");
  if (!directory) return std::nullopt;
  return source.file_system_size(directory.get());
}

}  // namespace rollcall::load
