#include "common/io/sqlite_job_store_files.hpp"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>

namespace rollcall::io {
namespace {

using Kind = StoreError::Kind;

std::string errno_text() { return std::strerror(errno); }

StoreError failed(std::string text) { return {Kind::failed, std::move(text)}; }

// Others who may write the directory could replace our file.
StoreResult<void> check_owner(const std::string& path, const struct stat& found, mode_t forbidden) {
  if (found.st_uid != geteuid())
    return failed(path + ": found the owner uid " + std::to_string(found.st_uid) + ", expected uid " +
                  std::to_string(geteuid()) + ", which runs mbatchd");
  if ((found.st_mode & forbidden) != 0) {
    char mode[16];
    std::snprintf(mode, sizeof mode, "%04o", static_cast<unsigned>(found.st_mode & 07777));
    return failed(path + ": found mode " + mode + ", expected none of " +
                  (forbidden == 022 ? "0022" : "0077") + ": only its owner may " +
                  (forbidden == 022 ? "write in it" : "read and write it"));
  }
  return {};
}

}  // namespace

StoreResult<Descriptor> open_own(const std::string& path) {
  Descriptor file(::open(path.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!file) {
    const bool full = errno == ENOSPC || errno == EDQUOT;
    return StoreError{full ? Kind::disk_full : Kind::failed, path + ": cannot be opened: " + errno_text()};
  }
  struct stat found {};
  if (fstat(file.get(), &found) != 0) return failed(path + ": " + errno_text());
  if (!S_ISREG(found.st_mode)) return failed(path + ": found no regular file, expected one");
  if (const auto owned = check_owner(path, found, 077); !owned) return owned.error();
  return file;
}

StoreResult<Descriptor> lock_directory(const std::string& directory) {
  struct stat found {};
  if (lstat(directory.c_str(), &found) != 0)
    return failed(directory + ": cannot be looked at: " + errno_text());
  if (!S_ISDIR(found.st_mode)) return failed(directory + ": found no directory, expected one");
  if (const auto owned = check_owner(directory, found, 022); !owned) return owned.error();
  auto lock = open_own(directory + "/jobs.lock");
  if (!lock) return lock;
  if (flock(lock->get(), LOCK_EX | LOCK_NB) == 0) return lock;
  if (errno == EWOULDBLOCK)
    return StoreError{Kind::in_use, directory + "/jobs.lock: another mbatchd runs with these jobs"};
  return failed(directory + "/jobs.lock: cannot be locked: " + errno_text());
}

void lengthen(const std::string& path, std::size_t bytes) {
  static constexpr std::array<char, 64 * 1024> kZeros{};
  const Descriptor file(::open(path.c_str(), O_WRONLY | O_NOFOLLOW | O_CLOEXEC));
  struct stat found {};
  if (!file || fstat(file.get(), &found) != 0 || !S_ISREG(found.st_mode)) return;
  off_t at = found.st_size;
  while (static_cast<std::size_t>(at) < bytes) {
    const ssize_t wrote =
        pwrite(file.get(), kZeros.data(), std::min(kZeros.size(), bytes - static_cast<std::size_t>(at)), at);
    if (wrote <= 0) break;
    at += wrote;
  }
  const bool whole = static_cast<std::size_t>(at) >= bytes && fdatasync(file.get()) == 0;
  if (!whole && ftruncate(file.get(), found.st_size) != 0) return;  // the zeros after the log do no harm
}

}  // namespace rollcall::io
