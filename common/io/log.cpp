#include "common/io/log.hpp"

#include <limits.h>
#include <poll.h>
#include <strings.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include <array>
#include <string>

#include "common/base/terminal_text.hpp"

namespace rollcall::io {
namespace {

struct LevelName {
  const char* syslog;  // after LOG_
  const char* shown;
};
constexpr std::array<LevelName, 8> kLevels{{{"EMERG", "emergency"},
                                            {"ALERT", "alert"},
                                            {"CRIT", "critical"},
                                            {"ERR", "error"},
                                            {"WARNING", "warning"},
                                            {"NOTICE", "notice"},
                                            {"INFO", "info"},
                                            {"DEBUG", "debug"}}};

std::string stamp() {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  tm parts{};
  localtime_r(&now.tv_sec, &parts);
  char text[40];
  const std::size_t size = strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S", &parts);
  const std::string millis = std::to_string(now.tv_nsec / 1'000'000 + 1000);
  return std::string(text, size) + "." + millis.substr(1);
}

bool same(std::string_view word, const char* name) {
  return word.size() == std::char_traits<char>::length(name) &&
         strncasecmp(word.data(), name, word.size()) == 0;
}

}  // namespace

std::optional<Level> parse_level(std::string_view word) {
  if (word.size() > 4 && strncasecmp(word.data(), "LOG_", 4) == 0) word.remove_prefix(4);
  for (std::size_t i = 0; i < kLevels.size(); ++i)
    if (same(word, kLevels[i].syslog) || same(word, kLevels[i].shown)) return static_cast<Level>(i);
  if (same(word, "DEBUG1") || same(word, "DEBUG2") || same(word, "DEBUG3")) return Level::debug;
  return std::nullopt;
}

void Log::line(Level level, std::string_view text) const {
  if (!writes(level)) return;
  std::string line = stamp() + " " + program_ + "[" + std::to_string(getpid()) +
                     "]: " + kLevels[static_cast<std::size_t>(level)].shown + ": ";
  // Text of peers and files may contain control characters; a line must stay one line.
  line += terminal_text(text, Controls::none);
  // A pipe takes this much at once or nothing; a daemon does not wait for the reader of its log.
  if (line.size() >= PIPE_BUF) line.resize(PIPE_BUF - 1);
  line += '\n';
  pollfd room{fd_, POLLOUT, 0};
  if (poll(&room, 1, 0) == 0) return;
  [[maybe_unused]] const ssize_t written = ::write(fd_, line.data(), line.size());
}

}  // namespace rollcall::io
