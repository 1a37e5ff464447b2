#include "pam/output.hpp"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <time.h>
#include <unistd.h>

#include <system_error>

#include "pam/policy/command_rewrite.hpp"
#include "pam/policy/report.hpp"

namespace rollcall::pam {
namespace {

constexpr std::size_t kFoldFrom = 65;  // rows on a terminal

std::string local_time(std::int64_t us) {
  const time_t seconds = static_cast<time_t>(us / 1000000);
  tm parts{};
  char text[32];
  if (localtime_r(&seconds, &parts) == nullptr) return "";
  return std::string(text, strftime(text, sizeof text, "%m/%d/%Y %H:%M:%S", &parts));
}

// False where nothing can be written for so long that nobody reads.
bool wait_to_write(int fd) {
  constexpr int kPatience = 10'000;  // ms
  pollfd writable{fd, POLLOUT, 0};
  return poll(&writable, 1, kPatience) > 0;
}

// All of it, or errno of what stopped it.
int write_all(int fd, const std::string& text) {
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t size = ::write(fd, text.data() + done, text.size() - done);
    if (size < 0 && errno == EINTR) continue;
    if (size < 0 && errno == EAGAIN && wait_to_write(fd))
      continue;  // somebody made it non-blocking: it is shared
    if (size < 0) return errno;
    done += static_cast<std::size_t>(size);
  }
  return 0;
}

}  // namespace

Output::Output(bool verbose) : verbose_(verbose), terminal_(isatty(STDERR_FILENO) == 1) {}

void Output::say(const std::string& line) {
  end_progress();
  write("pam: " + line + "\n");
}

void Output::note(const std::string& line) {
  if (verbose_) say(line);
}

void Output::progress(const std::string& line) {
  if (!terminal_) return;
  write("\r\033[Kpam: " + line);
  progress_shown_ = true;
}

void Output::tables(const Roll& roll, const Options& options) {
  end_progress();
  const bool fold = options.fold || (terminal_ && !options.full_table && roll.tasks.size() >= kFoldFrom);
  if (!options.no_table) write(closing_table(roll, command_text(options), local_time, fold));
  if (options.usage) write((options.no_table ? "" : "\n") + usage_table(roll, fold));
}

void Output::end_progress() {
  if (progress_shown_) write("\r\033[K");
  progress_shown_ = false;
}

// A stderr that is gone is no reason to fail a job.
void Output::write(const std::string& text) { write_all(STDERR_FILENO, text); }

Result<ReportFile> ReportFile::open(const std::optional<std::string>& path) {
  if (!path) return ReportFile("", -1);
  // Non-blocking: a FIFO that nobody reads is an error, not a wait.
  const int fd = ::open(path->c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0666);
  if (fd < 0)
    return internal_error(*path + ": cannot write the report: " + std::generic_category().message(errno));
  return ReportFile(*path, fd);
}

ReportFile::ReportFile(ReportFile&& other) noexcept : path_(std::move(other.path_)), fd_(other.fd_) {
  other.fd_ = -1;
}

ReportFile::~ReportFile() {
  if (fd_ >= 0) ::close(fd_);
}

Result<void> ReportFile::write(const std::string& text) {
  if (fd_ < 0) return {};
  int error = ftruncate(fd_, 0) != 0 && errno != EINVAL ? errno : 0;  // a pipe or device has no length
  if (error == 0) lseek(fd_, 0, SEEK_SET);
  if (error == 0) error = write_all(fd_, text);
  if (error != 0)
    return internal_error(path_ + ": cannot write the report: " + std::generic_category().message(error));
  return {};
}

}  // namespace rollcall::pam
