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

void ElimLog::open(std::string file) {
  if (file != file_) complained_ = false;
  file_ = std::move(file);
}

void ElimLog::say(std::string_view text) {
  if (file_.empty() || !budget_.take(time_now())) return;
  const std::string head = date_text() + " " + std::to_string(getpid()) + " ";
  if (const auto missing = budget_.left_out(); missing > 0)
    write_line(head + std::to_string(missing) + " lines were left out: too many at once\n");
  write_line(head + std::string(text) + "\n");
}

void ElimLog::complain(const std::string& why) {
  if (!std::exchange(complained_, true))
    std::fprintf(stderr, "melim: %s: %s; what elims do is logged nowhere\n", file_.c_str(), why.c_str());
}

void ElimLog::write_line(const std::string& line) {
  // Not to wait for a reader, should it be a FIFO.
  const int flags = O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;
  const io::Descriptor file(::open(file_.c_str(), flags, 0644));
  struct stat facts {};
  if (!file || fstat(file.get(), &facts) != 0)
    return complain("cannot open it: " + std::generic_category().message(errno));
  if (!S_ISREG(facts.st_mode) || facts.st_nlink != 1)
    return complain("found no regular file of one name, expected one");
  if (facts.st_uid != geteuid() && facts.st_uid != 0) return complain("it belongs to another user");
  [[maybe_unused]] const ssize_t written = ::write(file.get(), line.data(), line.size());
}

}  // namespace rollcall::melim
