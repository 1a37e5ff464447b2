#include "elim/melim/elim_log.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <system_error>
#include <utility>

#include "common/io/descriptor.hpp"
#include "elim/melim/clock.hpp"

namespace rollcall::melim {
namespace {

// "" where `file` can be written, else why not. A line that the disk does not take is lost.
std::string append_line(const std::string& path, const std::string& line) {
  // Non-blocking, in case it is a FIFO.
  const int flags = O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;
  const io::Descriptor file(::open(path.c_str(), flags, 0644));
  struct stat facts {};
  if (!file || fstat(file.get(), &facts) != 0)
    return "cannot open it: " + std::generic_category().message(errno);
  if (!S_ISREG(facts.st_mode) || facts.st_nlink != 1)
    return "found no regular file of one name, expected one";
  if (facts.st_uid != geteuid() && facts.st_uid != 0) return "it belongs to another user";
  [[maybe_unused]] const ssize_t written = ::write(file.get(), line.data(), line.size());
  return "";
}

}  // namespace

void ElimLog::open(std::string file, std::string otherwise) {
  if (file.empty() || file == otherwise) file = std::exchange(otherwise, "");
  if (file != file_ || otherwise != otherwise_) complained_ = false;
  file_ = std::move(file);
  otherwise_ = std::move(otherwise);
}

void ElimLog::say(std::string_view text) {
  if (file_.empty() || !budget_.take(time_now())) return;
  const std::string head = date_text() + " " + std::to_string(getpid()) + " ";
  if (const auto missing = budget_.left_out(); missing > 0)
    write_line(head + std::to_string(missing) + " lines were left out: too many at once\n");
  write_line(head + std::string(text) + "\n");
}

void ElimLog::complain(const std::string& file, const std::string& why) {
  if (std::exchange(complained_, true)) return;
  const std::string instead = otherwise_.empty() ? "is logged nowhere" : "is logged in " + otherwise_;
  std::fprintf(stderr, "melim: %s: %s; what elims do %s\n", file.c_str(), why.c_str(), instead.c_str());
}

void ElimLog::write_line(const std::string& line) {
  const std::string why = append_line(file_, line);
  if (why.empty()) return;
  complain(file_, why);
  if (!otherwise_.empty()) append_line(otherwise_, line);
}

}  // namespace rollcall::melim
