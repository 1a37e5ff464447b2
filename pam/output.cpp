#include "pam/output.hpp"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <system_error>

#include "pam/policy/command_rewrite.hpp"
#include "pam/policy/report.hpp"
#include "pam/policy/report_rows.hpp"

namespace rollcall::pam {
namespace {

constexpr std::size_t kFoldFrom = 65;           // rows on a terminal
constexpr std::size_t kAlwaysFoldFrom = 10001;  // rows anywhere
constexpr std::size_t kWriteBytes = 64 << 10;   // of a long text at once
constexpr std::size_t kMostUnread = 1 << 20;    // bytes kept for a stderr that is not read
constexpr int kLookMs = 200;                    // how often a waiting writer checks whether pam must end
constexpr std::array kEndingSignals{SIGINT, SIGTERM, SIGHUP, SIGQUIT};

std::string local_time(std::int64_t us) {
  const time_t seconds = static_cast<time_t>(us / 1000000);
  tm parts{};
  char text[32];
  if (localtime_r(&seconds, &parts) == nullptr) return "";
  return std::string(text, strftime(text, sizeof text, "%m/%d/%Y %H:%M:%S", &parts));
}

// True if pam was told to end: these signals are blocked here and wait for the loop (signals.hpp).
bool told_to_end() {
  sigset_t waiting;
  if (sigpending(&waiting) != 0) return false;
  return std::any_of(kEndingSignals.begin(), kEndingSignals.end(),
                     [&](int signo) { return sigismember(&waiting, signo) == 1; });
}

enum class Wait { no, for_a_reader };

// False if there is no room: at once, or when no reader has come and pam is told to end.
bool has_room(int fd, Wait wait) {
  pollfd room{fd, POLLOUT, 0};
  for (;;) {
    const int ready = poll(&room, 1, wait == Wait::no ? 0 : kLookMs);
    if (ready > 0 || (ready < 0 && errno != EINTR)) return true;  // of an error the write tells
    if (wait == Wait::no || told_to_end()) return false;
  }
}

// Takes from `text` what has been written; 0, EAGAIN where there was no room, or errno of what stopped it.
int write_from(std::string& text, int fd, Wait wait) {
  std::string_view rest = text;
  int error = 0;
  while (!rest.empty() && error == 0) {
    if (!has_room(fd, wait)) {
      error = EAGAIN;
      break;
    }
    const ssize_t size = ::write(fd, rest.data(), std::min<std::size_t>(rest.size(), PIPE_BUF));
    if (size > 0) rest.remove_prefix(static_cast<std::size_t>(size));
    // EAGAIN: another process has made it non-blocking, and another writer was faster.
    if (size < 0 && errno != EINTR && errno != EAGAIN) error = errno;
  }
  text.erase(0, text.size() - rest.size());
  return error;
}

}  // namespace

Output::Output(bool verbose) : verbose_(verbose), terminal_(isatty(STDERR_FILENO) == 1) {}

Output::~Output() { wait_for_reader(); }

void Output::say(const std::string& line) {
  end_progress();
  write("pam: " + one_line(line) + "\n");
}

void Output::note(const std::string& line) {
  if (verbose_) say(line);
}

void Output::progress(const std::string& line) {
  if (!terminal_ || !unread_.empty()) return;
  write("\r\033[Kpam: " + line);
  progress_shown_ = true;
}

void Output::tables(const Roll& roll, const Options& options) {
  end_progress();
  wait_for_reader();
  const bool many = roll.tasks.size() >= (terminal_ ? kFoldFrom : kAlwaysFoldFrom);
  const bool fold = options.fold || (many && !options.full_table);
  const TextSink sink = [this](std::string_view part) { write_slowly(part); };
  if (!options.no_table) closing_table(roll, command_text(options), local_time, fold, sink);
  if (options.usage && !options.no_table) write_slowly("\n");
  if (options.usage) usage_table(roll, fold, sink);
  wait_for_reader();
}

void Output::end_progress() {
  if (progress_shown_) write("\r\033[K");
  progress_shown_ = false;
}

void Output::write(std::string_view text) {
  if (unread_.size() < kMostUnread) unread_ += text;
  flush();
}

void Output::write_slowly(std::string_view text) {
  if (given_up_) return;
  unread_ += text;
  if (unread_.size() >= kWriteBytes) wait_for_reader();
}

// A stderr that is gone is no reason to fail a job.
void Output::flush() {
  const int error = write_from(unread_, STDERR_FILENO, Wait::no);
  if (error != 0 && error != EAGAIN) unread_.clear();
}

void Output::wait_for_reader() {
  given_up_ |= write_from(unread_, STDERR_FILENO, Wait::for_a_reader) != 0;
  unread_.clear();
}

Result<ReportFile> ReportFile::open(const std::optional<std::string>& path, const std::string& what) {
  if (!path) return ReportFile("", what, -1);
  // Non-blocking: a FIFO without a reader must be an error, not a wait.
  const int fd = ::open(path->c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0666);
  if (fd < 0)
    return internal_error(*path + ": cannot write " + what + ": " + std::generic_category().message(errno));
  return ReportFile(*path, what, fd);
}

ReportFile::ReportFile(ReportFile&& other) noexcept
    : path_(std::move(other.path_)), what_(std::move(other.what_)), fd_(other.fd_) {
  other.fd_ = -1;
}

ReportFile::~ReportFile() {
  if (fd_ >= 0) ::close(fd_);
}

Result<void> ReportFile::write(const Source& source) {
  if (fd_ < 0) return {};
  int error = ftruncate(fd_, 0) != 0 && errno != EINVAL ? errno : 0;  // a pipe or device has no length
  if (error == 0) lseek(fd_, 0, SEEK_SET);
  std::string text;
  const auto pass_on = [&] {
    if (error == 0) error = write_from(text, fd_, Wait::for_a_reader);
    text.clear();
  };
  source([&](std::string_view part) {
    text += part;
    if (text.size() >= kWriteBytes) pass_on();
  });
  pass_on();
  if (error != 0)
    return internal_error(path_ + ": cannot write " + what_ + ": " + std::generic_category().message(error));
  return {};
}

}  // namespace rollcall::pam
