#include "elim/melim/log_place.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <memory>

namespace rollcall::melim {
namespace {

bool writable(const std::string& directory) {
  mkdir(directory.c_str(), 0755);  // usually exists already
  struct stat found {};
  return stat(directory.c_str(), &found) == 0 && S_ISDIR(found.st_mode) &&
         access(directory.c_str(), W_OK | X_OK) == 0;
}

bool ours_alone(const std::string& directory) {
  struct stat found {};
  return lstat(directory.c_str(), &found) == 0 && S_ISDIR(found.st_mode) && found.st_uid == geteuid() &&
         (found.st_mode & 022) == 0;
}

}  // namespace

std::string writable_log_directory(const std::vector<std::string>& directories, const std::string& own) {
  for (const std::string& directory : directories)
    if (!directory.empty() && writable(directory)) return directory;
  return !own.empty() && writable(own) && ours_alone(own) ? own : "";
}

void remove_private_directory(const std::string& own) {
  if (own.empty() || !ours_alone(own)) return;
  // Names are resolved relative to this descriptor: it must not matter that /tmp is sticky.
  const int fd = open(own.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  const std::unique_ptr<DIR, int (*)(DIR*)> listing(fd < 0 ? nullptr : fdopendir(fd), closedir);
  if (!listing) return;
  while (const dirent* entry = readdir(listing.get())) unlinkat(fd, entry->d_name, 0);
  rmdir(own.c_str());
}

}  // namespace rollcall::melim
