// Log: the daemon's log lines on stderr, with a time stamp and a level. lsf_daemons redirects stderr to LSF_LOGDIR/lim.log.HOST.
//
// Not a logging library: one line is one write, without buffering. A full disk, or a pipe without a reader, loses the line and
// nothing else. A line is cut at PIPE_BUF bytes (4096). Levels are those of syslog; LSF_LOG_MASK names the last one that is
// written.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace rollcall::io {

enum class Level { emergency, alert, critical, error, warning, notice, info, debug };

// "LOG_WARNING", "warning", "LOG_ERR", ...; none for other words.
std::optional<Level> parse_level(std::string_view word);

class Log {
 public:
  Log(int descriptor, std::string program, Level last)
      : fd_(descriptor), program_(std::move(program)), last_(last) {}

  void set_last(Level last) { last_ = last; }
  bool writes(Level level) const { return level <= last_; }

  void line(Level level, std::string_view text) const;
  void error(std::string_view text) const { line(Level::error, text); }
  void warning(std::string_view text) const { line(Level::warning, text); }
  void notice(std::string_view text) const { line(Level::notice, text); }
  void info(std::string_view text) const { line(Level::info, text); }
  void debug(std::string_view text) const { line(Level::debug, text); }

 private:
  int fd_;
  std::string program_;
  Level last_;
};

}  // namespace rollcall::io
