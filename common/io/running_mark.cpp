#include "common/io/running_mark.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

namespace rollcall::io {

Descriptor hold_running_mark(int directory, const char* name) {
  constexpr int kTries = 100, kPauseMs = 10;
  // Mode 0600: a program that could lock it could make the daemon look running.
  Descriptor mark(openat(directory, name, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (mark) fchmod(mark.get(), 0600);
  for (int tried = 0; mark && tried < kTries; ++tried) {
    if (flock(mark.get(), LOCK_EX | LOCK_NB) == 0) {
      [[maybe_unused]] const int emptied =
          ftruncate(mark.get(), 0);  // removes the beats of an earlier holder
      return mark;
    }
    if (errno != EWOULDBLOCK) break;
    poll(
        nullptr, 0,
        kPauseMs);  // held for an instant by a program that checks it, or by a child that a killed holder was starting
  }
  return Descriptor();
}

// A mark without a byte belongs to a holder that does not beat.
void beat_running_mark(int mark) {
  [[maybe_unused]] const auto written = pwrite(mark, "1", 1, 0);
  futimens(mark, nullptr);
}

std::optional<std::int64_t> running_mark_beat(const std::string& path) {
  struct stat facts;
  if (lstat(path.c_str(), &facts) != 0 || !S_ISREG(facts.st_mode) || facts.st_size == 0) return std::nullopt;
  return facts.st_mtim.tv_sec * std::int64_t{1'000'000'000} + facts.st_mtim.tv_nsec;
}

std::optional<bool> running_mark_held(const std::string& path) {
  const Descriptor mark(open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (!mark) return std::nullopt;
  if (flock(mark.get(), LOCK_SH | LOCK_NB) == 0) return false;
  return errno == EWOULDBLOCK ? std::optional(true) : std::nullopt;
}

}  // namespace rollcall::io
