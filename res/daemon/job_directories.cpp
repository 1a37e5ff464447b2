#include "res/daemon/job_directories.hpp"

#include <dirent.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <map>
#include <sstream>
#include <vector>

#include "common/base/numbers.hpp"
#include "common/conf/batch_settings.hpp"
#include "common/io/durable_file.hpp"
#include "common/io/read_file.hpp"
#include "common/io/remove_tree.hpp"
#include "common/io/running_mark.hpp"
#include "res/daemon/removal_steps.hpp"

namespace rollcall::res {
namespace {

constexpr std::size_t kMostBytes = 8 << 20;
constexpr std::size_t kMostNotes = 1 << 30;
constexpr std::size_t kMostTerm = 1 << 20;   // kMostLeases lines of at most 69 bytes
constexpr std::size_t kNotesKept = 1 << 20;  // bytes of notes; beyond this the file may be rewritten
constexpr std::string_view kAside = "gone.";
constexpr const char* kOrder = "order";
constexpr const char* kPrepared = "prepared";
constexpr mode_t kFolderMode = 0711;  // users reach u/ of their jobs, and see nothing on the way

Error cannot(const char* what, const std::string& path) {
  return internal_error(std::string("cannot ") + what + " " + path + ": " + std::strerror(errno));
}

Result<void> make_folder(const std::string& path) {
  for (std::size_t at = 1; at != std::string::npos; ++at) {
    at = path.find('/', at);
    const std::string part = path.substr(0, at);
    if (mkdir(part.c_str(), 0755) != 0 && errno != EEXIST) return cannot("make", part);
    if (at == std::string::npos) return {};
  }
  return {};
}

template <class Message>
std::optional<Message> parsed(const std::optional<std::string>& bytes) {
  Message message;
  if (!bytes || !message.ParseFromString(*bytes)) return std::nullopt;
  return message;
}

}  // namespace

std::string directory_name(const wire::JobAttempt& job) {
  return std::to_string(job.key().id()) + "." + std::to_string(job.key().index()) + "." +
         std::to_string(job.attempt());
}

Result<JobDirectories> JobDirectories::open(const std::string& job_dir, const std::string& host) {
  JobDirectories result;
  result.path_ = job_dir + "/" + host;
  if (auto made = make_folder(result.path_); !made) return made.error();
  result.directory_ =
      io::Descriptor(::open(result.path_.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  struct stat facts;
  if (!result.directory_ || fstat(result.directory_.get(), &facts) != 0) return cannot("open", result.path_);
  if (facts.st_uid != geteuid() || (facts.st_mode & 022) != 0)
    return configuration_error(result.path_ + ": found a directory of user " + std::to_string(facts.st_uid) +
                               " that others may write or own, expected one of our own");
  fchmod(result.directory_.get(), kFolderMode);
  result.mark_ = io::hold_running_mark(result.directory_.get(), conf::kResMark);
  if (!result.mark_ && io::running_mark_held(result.path(conf::kResMark)).value_or(false))
    return configuration_error(result.path_ + ": found another RES that has it, expected one for each host");
  const auto term = io::read_at(result.directory_.get(), "term", kMostTerm);
  if (!term) return term.error();
  if (*term) {
    result.term_ = std::strtoull((*term)->c_str(), nullptr, 10);
    result.leases_ = LeaseNumbers::of_lines(**term);
  }
  io::Descriptor(openat(result.directory_.get(), "empty", O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0444));
  if (auto opened = result.open_notes(); !opened) return opened.error();
  return result;
}

Result<void> JobDirectories::set_term(std::uint64_t term) { return write_term(term, leases_); }
Result<void> JobDirectories::set_leases(LeaseNumbers leases) { return write_term(term_, std::move(leases)); }
Result<void> JobDirectories::forget_orders() { return write_term(0, {}); }

Result<void> JobDirectories::write_term(std::uint64_t term, LeaseNumbers leases) {
  const std::string text = std::to_string(term) + "\n" + leases.lines();
  if (auto kept = io::write_durably(directory_.get(), "term", text); !kept) return kept;
  term_ = term;
  leases_ = std::move(leases);
  return {};
}

std::vector<std::string> JobDirectories::entries() const {
  std::vector<std::string> names;
  DIR* list = opendir(path_.c_str());
  while (const dirent* entry = list == nullptr ? nullptr : readdir(list))
    if (entry->d_name[0] != '.' && entry->d_type != DT_REG) names.emplace_back(entry->d_name);
  if (list != nullptr) closedir(list);
  return names;
}

std::vector<std::string> JobDirectories::names() const {
  auto names = entries();
  std::erase_if(names, [](const std::string& name) { return name.starts_with(kAside); });
  return names;
}

std::vector<std::string> JobDirectories::set_aside_before() const {
  auto names = entries();
  std::erase_if(names, [](const std::string& name) {
    return !name.starts_with(kAside) || name.starts_with(kLeftPrefix);
  });
  return names;
}

std::size_t JobDirectories::left() const {
  const auto names = entries();
  return static_cast<std::size_t>(std::count_if(
      names.begin(), names.end(), [](const std::string& name) { return name.starts_with(kLeftPrefix); }));
}

Result<io::Descriptor> JobDirectories::create(const std::string& name, const wire::JobOrder& order,
                                              bool prepared) {
  if (mkdirat(directory_.get(), name.c_str(), kFolderMode) != 0) return cannot("make", path(name));
  fchmodat(directory_.get(), name.c_str(), kFolderMode, 0);
  io::Descriptor job = open_job(name);
  if (!job) return cannot("open", path(name));
  const io::Descriptor file(openat(job.get(), prepared ? kPrepared : kOrder,
                                   O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  const std::string bytes = io::marked(order.SerializeAsString());
  if (!file || write(file.get(), bytes.data(), bytes.size()) != static_cast<ssize_t>(bytes.size())) {
    const Error error = cannot("keep the order of", path(name));
    io::remove_tree_at(directory_.get(), name);
    return error;
  }
  return job;
}

// notes = ( ( "S" | "D" ) ID "." INDEX "." ATTEMPT "\n" )*     started, done; the last line may be cut off
Result<void> JobDirectories::open_notes() {
  const auto text = io::read_at(directory_.get(), "started", kMostNotes);
  if (!text) return text.error();
  std::map<std::string, wire::JobAttempt> open;
  std::istringstream lines(text->value_or(""));
  for (std::string line; std::getline(lines, line);) {
    int id = 0, index = 0;
    unsigned long long attempt = 0;
    if (line.empty() || std::sscanf(line.c_str() + 1, "%d.%d.%llu", &id, &index, &attempt) != 3) continue;
    wire::JobAttempt job;
    job.mutable_key()->set_id(id);
    job.mutable_key()->set_index(index);
    job.set_attempt(attempt);
    if (line[0] == 'S') open[directory_name(job)] = job;
    if (line[0] == 'D') open.erase(directory_name(job));
  }
  for (const auto& [name, job] : open) {
    open_.insert(name);
    noted_.push_back(job);
  }
  if (const auto written = write_notes(); written) return {};
  // The file could not be rewritten (a full disk): append to the old one, whose last line may be truncated.
  notes_ = io::Descriptor(
      openat(directory_.get(), "started", O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!notes_) return cannot("open", path("started"));
  notes_size_ = text->value_or("").size();
  cut_off_ = true;
  return {};
}

// Rewrites the file with only those jobs that are not over.
Result<void> JobDirectories::write_notes() {
  std::string lines;
  for (const auto& name : open_) lines += "S" + name + "\n";
  if (auto kept = io::write_durably(directory_.get(), "started", lines); !kept) return kept;
  notes_ = io::Descriptor(openat(directory_.get(), "started", O_WRONLY | O_APPEND | O_NOFOLLOW | O_CLOEXEC));
  if (!notes_) return cannot("open", path("started"));
  notes_size_ = lines.size();
  cut_off_ = false;
  return {};
}

Result<void> JobDirectories::note_started(const std::vector<wire::JobAttempt>& jobs) {
  // If the file cannot be rewritten, append to the long one.
  if (notes_size_ > kNotesKept && notes_size_ > 4 * 32 * open_.size()) {
    if (const auto written = write_notes(); !written && !notes_) return written;
  }
  std::string lines;
  for (const auto& job : jobs) lines += "S" + directory_name(job) + "\n";
  if (!append_notes(std::move(lines)) || fdatasync(notes_.get()) != 0)
    return cannot("write", path("started"));
  for (const auto& job : jobs) open_.insert(directory_name(job));
  return {};
}

// A line that a full disk truncated must not corrupt the next one.
bool JobDirectories::append_notes(std::string lines) {
  if (cut_off_) lines.insert(0, "\n");
  const ssize_t size = write(notes_.get(), lines.data(), lines.size());
  if (size > 0) notes_size_ += static_cast<std::size_t>(size);
  const bool whole = size == static_cast<ssize_t>(lines.size());
  if (size > 0) cut_off_ = !whole;
  return whole;
}

// Not synced: if this note is lost, the end is told and acknowledged once more.
void JobDirectories::note_over(const wire::JobAttempt& job) {
  append_notes("D" + directory_name(job) + "\n");
  open_.erase(directory_name(job));
}

io::Descriptor JobDirectories::open_job(const std::string& name) const {
  return io::Descriptor(
      openat(directory_.get(), name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
}

std::string JobDirectories::set_aside(const std::string& name) {
  for (;;) {
    std::string aside = std::string(kAside) + std::to_string(getpid()) + "." + std::to_string(next_aside_++);
    if (renameat(directory_.get(), name.c_str(), directory_.get(), aside.c_str()) == 0) return aside;
    if (errno != ENOTEMPTY && errno != EEXIST)
      return "";  // those two mean that an earlier RES with our pid took the name
  }
}

void JobDirectories::beat() const { io::beat_running_mark(mark_.get()); }

io::Descriptor JobDirectories::folder() const {
  return io::Descriptor(fcntl(directory_.get(), F_DUPFD_CLOEXEC, 3));
}

KeptJob read_kept(int directory) {
  KeptJob kept;
  kept.over = parsed<wire::FromRes::JobOver>(io::read_marked(directory, "end", kMostBytes));
  kept.post = parsed<wire::FromRes::PostOver>(io::read_marked(directory, "post", kMostBytes));
  return kept;
}

std::optional<wire::JobOrder> read_order(int directory, bool& begun) {
  struct stat facts;
  begun = fstatat(directory, "order", &facts, AT_SYMLINK_NOFOLLOW) == 0 && (facts.st_mode & S_IWUSR) == 0;
  return parsed<wire::JobOrder>(io::read_marked(directory, "order", kMostBytes));
}

std::optional<wire::JobOrder> read_prepared(int directory) {
  return parsed<wire::JobOrder>(io::read_marked(directory, kPrepared, kMostBytes));
}

Result<void> give_go(int directory) {
  if (renameat(directory, kPrepared, directory, kOrder) == 0) return {};
  return internal_error(std::string("cannot take the go-ahead: ") + std::strerror(errno));
}

io::Descriptor lock_job(int directory) {
  io::Descriptor lock(openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!lock || flock(lock.get(), LOCK_EX | LOCK_NB) != 0) return io::Descriptor();
  return lock;
}

io::Descriptor connect_shepherd(int directory) {
  io::Descriptor socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  sockaddr_un place{};
  place.sun_family = AF_UNIX;
  // Reach it by our own descriptor: the directory's path may be too long for sun_path.
  std::snprintf(place.sun_path, sizeof place.sun_path, "/proc/self/fd/%d/s", directory);
  if (!socket || connect(socket.get(), reinterpret_cast<sockaddr*>(&place), sizeof place) != 0)
    return io::Descriptor();
  return socket;
}

std::string memory_cgroup(int directory) {
  char path[4096];
  const ssize_t size = readlinkat(directory, "cgroup", path, sizeof path);
  return size <= 0 || size == sizeof path ? "" : std::string(path, static_cast<std::size_t>(size));
}

void keep_over(int directory, const wire::FromRes::JobOver& over) {
  [[maybe_unused]] const auto kept = io::write_marked(directory, "end", over.SerializeAsString());
}

std::string boot_id() {
  auto text = io::read_file("/proc/sys/kernel/random/boot_id");
  return text ? text->substr(0, text->find('\n')) : std::string();
}

}  // namespace rollcall::res
