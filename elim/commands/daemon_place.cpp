#include "elim/commands/daemon_place.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "common/io/host_addresses.hpp"
#include "common/io/program_place.hpp"
#include "common/io/root_trust.hpp"
#include "elim/commands/daemon_process.hpp"

namespace rollcall::elim {
namespace {

constexpr std::size_t kMostLogBytes = 1 << 16;
constexpr int kMostPidFileBytes = 200;

Error failed(const std::string& path, const char* what, int error) {
  return configuration_error(path + ": cannot " + what + ": " + std::strerror(error));
}

show::Ownership ownership(const struct stat& info) {
  return {info.st_uid, info.st_gid, static_cast<std::uint32_t>(info.st_mode & 07777), S_ISDIR(info.st_mode)};
}

bool writable_directory(const std::string& path) {
  struct stat info;
  return !path.empty() && stat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode) &&
         faccessat(AT_FDCWD, path.c_str(), W_OK | X_OK, AT_EACCESS) == 0;
}

// An error where root is about to use a file that others could have put there.
Result<void> believe(const std::string& path, const char* what_for) {
  const auto trust = io::read_root_trust();
  if (!trust) return trust.error();
  return io::check_trust(*trust, path, what_for);
}

bool executable(const std::string& path) {
  struct stat info;
  return stat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode) && access(path.c_str(), X_OK) == 0;
}

std::string own_directory_prefix() { return "/tmp/rollcall-" + std::to_string(geteuid()) + "-"; }

// Up to `size` bytes from `from` on; fewer where there are no more.
std::string read_at(int fd, std::size_t from, std::size_t size) {
  std::string text(size, '\0');
  const ssize_t got = pread(fd, text.data(), size, static_cast<off_t>(from));
  text.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
  return text;
}

// The mark in an open pid file; none where it is malformed.
std::optional<show::ProcessMark> mark_in(int fd, const std::string& path) {
  struct stat info;
  if (fstat(fd, &info) != 0 || !S_ISREG(info.st_mode) || info.st_size > kMostPidFileBytes) return {};
  const auto mark = show::parse_pid_file(read_at(fd, 0, kMostPidFileBytes), path);
  if (!mark) return {};
  return *mark;
}

// Opened for appending, and only if it is ours: in a shared directory others may have placed a trap under the name.
io::Descriptor open_own_log(const std::string& path) {
  io::Descriptor fd(open(
      path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, 0644));
  struct stat info;
  const bool ours = fd && fstat(fd.get(), &info) == 0 && S_ISREG(info.st_mode) && info.st_uid == geteuid() &&
                    info.st_nlink == 1;
  if (!ours) return io::Descriptor();
  fcntl(fd.get(), F_SETFL, O_APPEND);
  return fd;
}

bool only_we_write(const std::string& path) {
  struct stat info;
  return lstat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode) && info.st_uid == geteuid() &&
         (info.st_mode & 022) == 0;
}

}  // namespace

DaemonPlace::DaemonPlace(conf::LoadSettings settings)
    : settings_(std::move(settings)), host_(io::host_name_here()) {}

Result<void> DaemonPlace::check_trust() const {
  for (const std::string& path : {settings_.env_dir, settings_.env_dir + "/lsf.conf"})
    if (auto trust = believe(path, "it says what root is to start"); !trust) return trust;
  return {};
}

// A build has a LIM too. The batch system exists only where a site has installed it.
std::vector<std::string> DaemonPlace::program_directories(const show::DaemonKind& kind) const {
  std::vector<std::string> directories;
  if (!settings_.server_dir.empty()) directories.push_back(settings_.server_dir);
  if (kind.where == show::DaemonKind::Where::every_host) directories.push_back(io::program_directory());
  return directories;
}

bool DaemonPlace::has_program(const show::DaemonKind& kind) const {
  const auto directories = program_directories(kind);
  return std::any_of(directories.begin(), directories.end(),
                     [&](const auto& directory) { return executable(directory + "/" + kind.name); });
}

Result<std::string> DaemonPlace::program(const show::DaemonKind& kind) const {
  const auto directories = program_directories(kind);
  for (const std::string& directory : directories) {
    const std::string path = directory + "/" + kind.name;
    if (!executable(path)) continue;
    if (auto trust = believe(directory, "root would run what is in it"); !trust) return trust.error();
    if (auto trust = believe(path, "root would run it"); !trust) return trust.error();
    return path;
  }
  std::string places = settings_.server_dir.empty() ? "LSF_SERVERDIR (not set)" : settings_.server_dir;
  if (kind.where == show::DaemonKind::Where::every_host)
    places += " nor in " + io::program_directory() + ", expected it in one of them";
  return configuration_error(kind.name + ": found no such program in " + places);
}

std::string DaemonPlace::own_directory() const {
  std::error_code error;
  const auto whole = std::filesystem::weakly_canonical(settings_.env_dir, error);
  return own_directory_prefix() + show::path_mark(error ? settings_.env_dir : whole.string());
}

// The directories that may have pid files. The last one is that of older releases, whose daemons may still run. Others can make
// directories of these names in /tmp, so only one that belongs to our user alone is read.
std::vector<std::string> DaemonPlace::pid_directories() const {
  std::vector<std::string> directories;
  if (!settings_.work_dir.empty()) directories.push_back(settings_.work_dir);
  for (const auto& own : {own_directory(), own_directory_prefix() + std::to_string(settings_.lim_port)})
    if (only_we_write(own)) directories.push_back(own);
  return directories;
}

Result<void> DaemonPlace::make_own_directory() const {
  const std::string path = own_directory();
  if (mkdir(path.c_str(), 0755) != 0 && errno != EEXIST) return failed(path, "make it", errno);
  struct stat info;
  if (lstat(path.c_str(), &info) != 0) return failed(path, "look at it", errno);
  if (S_ISDIR(info.st_mode) && info.st_uid == geteuid() && (info.st_mode & 022) == 0) return {};
  return configuration_error(path + ": found something of another's, expected a directory that only user " +
                             std::to_string(geteuid()) + " may write");
}

std::string DaemonPlace::prepare_logs() const {
  std::error_code error;
  std::string why = "LSF_LOGDIR is not set";
  const std::filesystem::path wanted = settings_.log_dir;
  if (!wanted.empty()) {
    if (!std::filesystem::exists(wanted, error)) {
      auto above = wanted.parent_path();
      while (above.has_relative_path() && !std::filesystem::exists(above, error)) above = above.parent_path();
      const auto trust = believe(above.string(), "root would make LSF_LOGDIR in it");
      error.clear();
      if (trust) std::filesystem::create_directories(wanted, error);
      why = trust ? "cannot make LSF_LOGDIR " + wanted.string() + ": " + error.message() : trust.error().text;
      if (trust && !error) return "";
    } else {
      if (writable_directory(settings_.log_dir)) return "";
      why = "LSF_LOGDIR " + settings_.log_dir + " is no directory that this user can write";
    }
  }
  return "logs are in " + own_directory() + ": " + why;
}

Result<DaemonPlace::OpenLog> DaemonPlace::open_log(const show::DaemonKind& kind) const {
  const std::string name = "/" + kind.name + ".log." + host_;
  OpenLog log;
  if (!settings_.log_dir.empty()) {
    log.path = settings_.log_dir + name;
    log.fd = open_own_log(log.path);
  }
  if (!log.fd) {
    if (auto made = make_own_directory(); !made) return made.error();
    log.path = own_directory() + name;
    log.fd = open_own_log(log.path);
    if (!log.fd) return configuration_error(log.path + ": cannot write to it");
  }
  struct stat info;
  if (fstat(log.fd.get(), &info) == 0) log.size = static_cast<std::size_t>(info.st_size);
  return log;
}

std::string DaemonPlace::pid_file_by_name(const show::DaemonKind& kind) const {
  const std::string name = "/" + kind.name + "." + host_ + ".pid";
  for (const std::string& directory : pid_directories())
    if (is_ours(read_pid_file(directory + name))) return directory + name;
  const std::string wanted = settings_.work_dir + name, own = own_directory() + name;
  if (settings_.work_dir.empty()) return own;
  const auto others = read_pid_file(wanted);
  if (others && HeldProcess::hold(*others)) return own;  // a daemon of another configuration
  if (access(wanted.c_str(), F_OK) == 0) return wanted;
  if (access(own.c_str(), F_OK) == 0) return own;
  return writable_directory(settings_.work_dir) ? wanted : own;
}

bool DaemonPlace::is_ours(const std::optional<show::ProcessMark>& mark) const {
  return mark && HeldProcess::hold(*mark) && belongs_to(mark->pid, settings_.env_dir);
}

// Searched only if such a process runs here: the directory may hold the pid files of thousands of hosts.
std::optional<DaemonPlace::PidPlace> DaemonPlace::older_pid_file(const show::DaemonKind& kind) const {
  if (!any_process_called(kind.name)) return std::nullopt;
  for (const std::string& directory : pid_directories()) {
    std::error_code error;
    for (std::filesystem::directory_iterator entry(directory, error), end; !error && entry != end;
         entry.increment(error)) {
      const std::string host = show::host_of_pid_file(kind, entry->path().filename().string());
      if (host.empty() || host == host_) continue;
      const auto mark = read_pid_file(entry->path());
      if (is_ours(mark) && shares_our_host_name(mark->pid)) return PidPlace{entry->path(), host};
    }
  }
  return std::nullopt;
}

DaemonPlace::PidPlace DaemonPlace::find_pid_file(const show::DaemonKind& kind) const {
  const std::string path = pid_file_by_name(kind);
  if (is_ours(read_pid_file(path))) return {path};
  return older_pid_file(kind).value_or(PidPlace{path});
}

Result<void> DaemonPlace::prepare_pid_file(const show::DaemonKind& kind) const {
  if (pid_file(kind).starts_with(own_directory() + "/")) return make_own_directory();
  return {};
}

std::string log_since(const std::string& path, std::size_t from) {
  const io::Descriptor fd(open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK));
  struct stat info;
  if (!fd || fstat(fd.get(), &info) != 0 || !S_ISREG(info.st_mode)) return "";
  const auto size = static_cast<std::size_t>(info.st_size);
  const std::size_t start = std::max(from, size > kMostLogBytes ? size - kMostLogBytes : 0);
  return size > start ? read_at(fd.get(), start, size - start) : "";
}

namespace {

// Checks the pid file or its lock: a regular file that no other user could have put there.
Result<void> check_own(int fd, const std::string& path) {
  struct stat held;
  if (fstat(fd, &held) != 0) return failed(path, "look at it", errno);
  if (!S_ISREG(held.st_mode)) return configuration_error(path + ": is no regular file");
  if (const auto why = show::unsafe_for(geteuid(), ownership(held)); !why.empty())
    return configuration_error(path + ": " + why);
  return {};
}

constexpr int kOpenFlags = O_RDWR | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY | O_NONBLOCK;

// A lock file beside the pid file, mode 0600: a file that others can read they can also lock. Waits for another lsf_daemons,
// which may be a neighbour's.
Result<io::Descriptor> lock_beside(const std::string& path, std::chrono::milliseconds patience) {
  constexpr int kPauseMs = 20;
  const auto end = std::chrono::steady_clock::now() + patience;
  while (true) {
    io::Descriptor fd(open(path.c_str(), kOpenFlags | O_CREAT, 0600));
    if (!fd) return failed(path, "open it", errno);
    if (auto own = check_own(fd.get(), path); !own) return own.error();
    struct stat held, named;
    if (fstat(fd.get(), &held) != 0 || fchmod(fd.get(), 0600) != 0)
      return failed(path, "close it to others", errno);
    if (flock(fd.get(), LOCK_EX | LOCK_NB) != 0) {
      if (errno != EWOULDBLOCK) return failed(path, "lock it", errno);
      if (std::chrono::steady_clock::now() < end) {
        poll(nullptr, 0, kPauseMs);
        continue;
      }
      return configuration_error(
          path + ": another lsf_daemons is at work on this daemon; try again when it has ended");
    }
    // The previous holder may have removed the file: then ours is not the one that others open.
    if (lstat(path.c_str(), &named) == 0 && named.st_ino == held.st_ino && named.st_dev == held.st_dev)
      return fd;
  }
}

}  // namespace

Result<std::optional<PidFile>> PidFile::lock(const std::string& path, bool make,
                                             std::chrono::milliseconds patience) {
  if (!make && access(path.c_str(), F_OK) != 0 && errno == ENOENT) return std::optional<PidFile>();
  const std::string beside = path + ".lock-" + std::to_string(geteuid());
  auto lock = lock_beside(beside, patience);
  if (!lock) return lock.error();
  io::Descriptor fd(open(path.c_str(), make ? kOpenFlags | O_CREAT : kOpenFlags, 0644));
  if (!fd) {
    const int error = errno;
    unlink(beside.c_str());
    if (error == ENOENT && !make) return std::optional<PidFile>();
    return failed(path, "open it", error);
  }
  if (auto own = check_own(fd.get(), path); !own) return own.error();
  return std::optional<PidFile>(PidFile(std::move(fd), std::move(*lock), path));
}

std::optional<show::ProcessMark> PidFile::mark() const { return mark_in(fd_.get(), path_); }

Result<void> PidFile::write(const show::ProcessMark& mark) {
  const std::string text = show::pid_file_text(mark);
  if (fchmod(fd_.get(), 0644) != 0 || ftruncate(fd_.get(), 0) != 0 ||
      pwrite(fd_.get(), text.data(), text.size(), 0) != static_cast<ssize_t>(text.size()))
    return failed(path_, "write it", errno);
  return {};
}

void PidFile::remove() {
  unlink(path_.c_str());
  unlink((path_ + ".lock-" + std::to_string(geteuid())).c_str());
}

std::optional<show::ProcessMark> read_pid_file(const std::string& path) {
  const io::Descriptor fd(open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY | O_NONBLOCK));
  if (!fd) return {};
  return mark_in(fd.get(), path);
}

}  // namespace rollcall::elim
