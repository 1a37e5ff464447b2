// The files read:
//   /proc/self/cgroup      "0::" PATH "\n" among lines of version 1
//   /proc/self/mountinfo   id parent major:minor ROOT MOUNT-POINT options ... "- cgroup2" source options
//   cgroup.events          "populated 0\n" or "populated 1\n", among other lines
//   cgroup.procs           pid "\n" ...         (0: a process that our pid namespace does not show)
//   /proc/PID/stat         pid " (" name ") " state " " parent " " ...
#include "common/io/job_cgroup.hpp"

#include <dirent.h>
#include <errno.h>
#include <linux/magic.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string_view>

#include "common/io/read_file.hpp"

namespace rollcall::io {
namespace {

constexpr std::string_view kPrefix = "rollcall-";
constexpr std::string_view kDigits = "0123456789abcdef";  // of the hash,
constexpr std::size_t kHashDigits = 8;                    // as many
constexpr int kAttempts = 20;                             // its keeper may remove it while we enter it,
constexpr int kPauseMs = 1;                               // which takes this long or less
constexpr int kMostLevels = 16;                           // of cgroups that a task has made in its own
constexpr int kPatienceMs = 200;                          // for what KILL has ended to be gone
constexpr int kKillRounds = 20;                           // what forks while it is killed has new branches

// "" where it cannot be read.
std::string text_of(const char* path) {
  auto content = read_file(path);
  return content ? std::move(*content) : std::string{};
}

struct Mount {
  std::string point;
  std::string root;  // which cgroup it shows
};

// The whole hierarchy at one of the usual places. Asking the kernel what is there costs a thousandth of reading mountinfo.
std::optional<Mount> usual_mount() {
  for (const char* place : {"/sys/fs/cgroup", "/sys/fs/cgroup/unified"}) {
    struct statfs info;
    if (statfs(place, &info) == 0 && info.f_type == CGROUP2_SUPER_MAGIC) return Mount{place, "/"};
  }
  return std::nullopt;
}

// The blank-separated word of `line` at `index`.
std::string word(std::string_view line, int index) {
  for (; index > 0; --index) line.remove_prefix(std::min(line.find(' '), line.size() - 1) + 1);
  return std::string(line.substr(0, line.find(' ')));
}

std::optional<Mount> any_mount() {
  const std::string text = text_of("/proc/self/mountinfo");
  const auto at = text.find(" - cgroup2 ");
  if (at == text.npos) return std::nullopt;
  const auto newline = text.rfind('\n', at);
  const auto begin = newline == text.npos ? 0 : newline + 1;
  const std::string_view line(text.data() + begin, at - begin);
  return Mount{word(line, 4), word(line, 3)};
}

// Our cgroup as the kernel names it; "" where there is no version 2.
std::string own_name() {
  const std::string text = "\n" + text_of("/proc/self/cgroup");
  const auto at = text.find("\n0::/");
  if (at == text.npos) return "";
  const auto begin = at + 4;
  return text.substr(begin, text.find('\n', begin) - begin);
}

// Our cgroup's directory, "" where it cannot be seen.
std::string own_directory() {
  const std::string name = own_name();
  if (name.empty() || name.find("/..") != name.npos) return "";
  const auto below = [&](const Mount& mount) {
    if (mount.root == "/") return mount.point + (name == "/" ? "" : name);
    if (name == mount.root) return mount.point;
    return name.starts_with(mount.root + "/") ? mount.point + name.substr(mount.root.size()) : "";
  };
  if (const auto mount = usual_mount()) {
    const std::string place = below(*mount);
    if (access(place.c_str(), F_OK) == 0) return place;
  }
  const auto mount = any_mount();
  return mount ? below(*mount) : "";
}

Descriptor open_directory(int at, const char* name) {
  return Descriptor(openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
}

void kill_all_in(int directory) {
  const Descriptor file(openat(directory, "cgroup.kill", O_WRONLY | O_CLOEXEC));
  if (!file) return;
  [[maybe_unused]] const ssize_t written = write(file.get(), "1", 1);
}

void wait_until_empty(int directory) {
  const Descriptor events(openat(directory, "cgroup.events", O_RDONLY | O_CLOEXEC));
  constexpr int kStep = 20;
  for (int waited = 0; events && waited < kPatienceMs; waited += kStep) {
    std::array<char, 256> text;
    const ssize_t size = pread(events.get(), text.data(), text.size(), 0);
    if (size <= 0) return;
    const std::string_view told(text.data(), static_cast<std::size_t>(size));
    if (told.find("populated 0") != told.npos) return;
    pollfd changed{events.get(), POLLPRI, 0};
    poll(&changed, 1, kStep);
  }
}

std::vector<std::string> directories_in(int directory) {
  std::vector<std::string> names;
  const int copy = openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR* list = copy < 0 ? nullptr : fdopendir(copy);
  if (list == nullptr) return names;
  while (const dirent* entry = readdir(list))
    if (entry->d_type == DT_DIR && entry->d_name[0] != '.') names.emplace_back(entry->d_name);
  closedir(list);
  return names;
}

// What a task has made in its cgroup goes with it.
void remove_tree(int at, const std::string& name, int level = 0) {
  if (unlinkat(at, name.c_str(), AT_REMOVEDIR) == 0 || level == kMostLevels) return;
  const Descriptor directory = open_directory(at, name.c_str());
  if (!directory) return;
  for (const auto& below : directories_in(directory.get())) remove_tree(directory.get(), below, level + 1);
  unlinkat(at, name.c_str(), AT_REMOVEDIR);
}

// Nobody can enter it meanwhile: we hold the exclusive lock.
void end_and_remove(int directory, const std::string& path) {
  kill_all_in(directory);
  wait_until_empty(directory);
  remove_tree(AT_FDCWD, path);
}

std::vector<pid_t> members_of(int directory) {
  std::vector<pid_t> pids;
  const Descriptor file(openat(directory, "cgroup.procs", O_RDONLY | O_CLOEXEC));
  std::string text;
  std::array<char, 4096> part;
  for (ssize_t size = 0; file && (size = read(file.get(), part.data(), part.size())) > 0;)
    text.append(part.data(), static_cast<std::size_t>(size));
  for (std::size_t at = 0; at < text.size(); at = text.find('\n', at) + 1) {
    if (const pid_t pid = std::atoi(text.c_str() + at); pid > 0) pids.push_back(pid);
    if (text.find('\n', at) == text.npos) break;
  }
  std::sort(pids.begin(), pids.end());
  return pids;
}

struct Facts {
  std::string name;
  pid_t parent = 0;
};

std::optional<Facts> facts_of(pid_t pid) {
  const std::string stat = text_of(("/proc/" + std::to_string(pid) + "/stat").c_str());
  const auto open = stat.find('(');
  const auto close = stat.rfind(") ");
  if (open == stat.npos || close == stat.npos || close + 4 >= stat.size()) return std::nullopt;
  return Facts{stat.substr(open + 1, close - open - 1), std::atoi(stat.c_str() + close + 4)};
}

// True where the first process above `pid` that is no member is a TaskStarter (it has our name), and where that cannot
// be seen: who is not known to be an orphan is left alone.
bool looked_after(pid_t pid, const std::vector<pid_t>& members, const std::string& our_name) {
  for (auto facts = facts_of(pid); facts && facts->parent > 0; facts = facts_of(pid)) {
    pid = facts->parent;
    if (std::binary_search(members.begin(), members.end(), pid)) continue;
    const auto above = facts_of(pid);
    return !above || above->name == our_name;
  }
  return true;
}

// True where there were any.
bool kill_orphans_in(int directory, const std::string& our_name) {
  bool found = false;
  const auto members = members_of(directory);
  for (const pid_t pid : members) {
    if (looked_after(pid, members, our_name)) continue;
    // Held by the handle it is still the process that is looked at again, and no later one of its number.
    const Descriptor process(static_cast<int>(syscall(SYS_pidfd_open, pid, 0)));
    if (!process || looked_after(pid, members_of(directory), our_name)) continue;
    found = true;
    syscall(SYS_pidfd_send_signal, process.get(), SIGKILL, nullptr, 0);
  }
  return found;
}

// Exactly as job_cgroup_name makes them: what others call rollcall-something is theirs.
bool is_job_name(std::string_view name) {
  if (!name.starts_with(kPrefix)) return false;
  name.remove_prefix(kPrefix.size());
  const auto port = name.substr(0, name.find('-'));
  const auto hash = name.substr(std::min(port.size() + 1, name.size()));
  return !port.empty() && port.find_first_not_of("0123456789") == port.npos && hash.size() == kHashDigits &&
         hash.find_first_not_of(kDigits) == hash.npos;
}

void pause() { poll(nullptr, 0, kPauseMs); }

std::string cannot(const char* what, const std::string& path) {
  return std::string("cannot ") + what + " " + path + ": " + std::strerror(errno);
}

}  // namespace

std::string job_cgroup_name(const std::vector<std::string>& addresses, std::uint16_t port) {
  std::uint32_t hash = 2166136261U;  // FNV-1a
  for (const auto& address : addresses)
    for (const char c : address + ",") hash = (hash ^ static_cast<unsigned char>(c)) * 16777619U;
  std::string name = std::string(kPrefix) + std::to_string(port) + "-";
  for (int shift = 28; shift >= 0; shift -= 4) name += kDigits[hash >> shift & 15];
  return name;
}

JobCgroup JobCgroup::none(std::string why) {
  JobCgroup result;
  result.why_none_ = std::move(why);
  return result;
}

JobCgroup JobCgroup::enter(const std::string& job) {
  JobCgroup entered;
  const std::string own = own_directory();
  if (own.empty()) return none("no version 2 cgroup is mounted where this process is");
  entered.path_ = own + "/" + job;
  const char* path = entered.path_.c_str();
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    entered.directory_ = open_directory(AT_FDCWD, path);
    if (!entered && errno != ENOENT) return none(cannot("open", entered.path_));
    if (!entered) {
      entered.first_of_job_ = mkdir(path, 0700) == 0;
      if (!entered.first_of_job_ && errno != EEXIST) return none(cannot("make", entered.path_));
      entered.directory_ = open_directory(AT_FDCWD, path);
    }
    if (entered && flock(entered.fd(), LOCK_SH | LOCK_NB) == 0) {
      if (faccessat(entered.fd(), "cgroup.kill", W_OK, 0) == 0) return entered;
      const std::string why = cannot("use", entered.path_ + "/cgroup.kill");
      // Removed before we held it, it has no files any more. Before Linux 5.14 it has not got this one.
      if (faccessat(entered.fd(), "cgroup.procs", F_OK, 0) == 0) {
        if (entered.first_of_job_) rmdir(path);
        return none(why);
      }
    }
    pause();
    entered.first_of_job_ = false;
  }
  return none(cannot("hold", entered.path_));
}

void JobCgroup::end_orphans() const {
  const auto we = facts_of(getpid());
  if (!directory_ || !we) return;
  for (int round = 0; round < kKillRounds && kill_orphans_in(fd(), we->name); ++round) pause();
}

Descriptor open_job_cgroup(const std::string& path) { return open_directory(AT_FDCWD, path.c_str()); }

void end_job_cgroup(const Descriptor& directory, const std::string& path) {
  int locked = 0;
  while ((locked = flock(directory.get(), LOCK_EX)) != 0 && errno == EINTR) {
  }
  if (locked == 0 && faccessat(directory.get(), "cgroup.kill", W_OK, 0) == 0)
    end_and_remove(directory.get(), path);
}

void end_abandoned_jobs() {
  const std::string own = own_directory();
  const Descriptor directory = open_directory(AT_FDCWD, own.c_str());
  if (own.empty() || !directory) return;
  for (const auto& name : directories_in(directory.get())) {
    if (!is_job_name(name)) continue;
    const Descriptor job = open_directory(directory.get(), name.c_str());
    if (job && flock(job.get(), LOCK_EX | LOCK_NB) == 0) end_and_remove(job.get(), own + "/" + name);
  }
}

}  // namespace rollcall::io
