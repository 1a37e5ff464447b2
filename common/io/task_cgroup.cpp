// The files read:
//   /proc/self/cgroup      "0::" PATH "\n" among lines of version 1
//   /proc/self/mountinfo   id parent major:minor ROOT MOUNT-POINT options ... "- cgroup2" source options
//   cgroup.events          "populated 0\n" or "populated 1\n", among other lines
#include "common/io/task_cgroup.hpp"

#include <dirent.h>
#include <errno.h>
#include <linux/magic.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <string_view>

#include "common/io/read_file.hpp"

namespace rollcall::io {
namespace {

constexpr std::string_view kPrefix = "rollcall-";
constexpr int kAttempts = 4;      // others may remove a directory while we make one in it
constexpr int kMostLevels = 16;   // of cgroups that a task has made in its own
constexpr int kPatienceMs = 200;  // for what KILL has ended to be gone

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

bool lock(int directory) { return flock(directory, LOCK_EX | LOCK_NB) == 0; }

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

// False where its owner lives.
bool end_if_orphaned(int job, const std::string& name) {
  const Descriptor directory = open_directory(job, name.c_str());
  if (!directory) return true;
  if (!lock(directory.get())) return false;
  kill_all_in(directory.get());
  wait_until_empty(directory.get());
  remove_tree(job, name);
  return true;
}

void end_orphans_in(const std::string& job_path) {
  const Descriptor job = open_directory(AT_FDCWD, job_path.c_str());
  if (!job) return;
  for (const auto& name : directories_in(job.get())) end_if_orphaned(job.get(), name);
  rmdir(job_path.c_str());  // fails while one is left
}

std::string cannot(const char* what, const std::string& path) {
  return std::string("cannot ") + what + " " + path + ": " + std::strerror(errno);
}

}  // namespace

std::string job_cgroup_name(const std::vector<std::string>& addresses, std::uint16_t port) {
  std::uint32_t hash = 2166136261U;  // FNV-1a
  for (const auto& address : addresses)
    for (const char c : address + ",") hash = (hash ^ static_cast<unsigned char>(c)) * 16777619U;
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string name = std::string(kPrefix) + std::to_string(port) + "-";
  for (int shift = 28; shift >= 0; shift -= 4) name += kDigits[hash >> shift & 15];
  return name;
}

TaskCgroup TaskCgroup::none(std::string why) {
  TaskCgroup result;
  result.why_none_ = std::move(why);
  return result;
}

TaskCgroup TaskCgroup::make(const std::string& job) {
  TaskCgroup made;
  const std::string own = own_directory();
  if (own.empty()) return none("no version 2 cgroup is mounted where this process is");
  made.job_path_ = own + "/" + job;
  const std::string mine = made.job_path_ + "/" + std::to_string(getpid());
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    if (mkdir(made.job_path_.c_str(), 0700) == 0)
      made.first_of_job_ = true;
    else if (errno != EEXIST)
      return none(cannot("make", made.job_path_));
    // Of that name there may be one of an earlier process, or of one that lives in another pid namespace.
    made.path_ = attempt == 0 ? mine : mine + "-" + std::to_string(attempt);
    if (mkdir(made.path_.c_str(), 0700) != 0) {
      if (errno == ENOENT || errno == EEXIST) continue;
      return none(cannot("make", made.path_));
    }
    made.directory_ = open_directory(AT_FDCWD, made.path_.c_str());
    if (!made || !lock(made.fd())) continue;  // taken for an orphan's before it was locked
    if (faccessat(made.fd(), "cgroup.kill", W_OK, 0) == 0) return made;
    const std::string why = cannot("use", made.path_ + "/cgroup.kill");  // a kernel before 5.14
    made.remove();
    return none(why);
  }
  return none(cannot("make", made.path_));
}

void TaskCgroup::kill() const {
  if (directory_) kill_all_in(fd());
}

void TaskCgroup::remove() {
  if (!directory_) return;
  if (rmdir(path_.c_str()) != 0 && errno != ENOENT) {
    kill();
    wait_until_empty(fd());
    remove_tree(AT_FDCWD, path_);
  }
  rmdir(job_path_.c_str());  // the last one succeeds
  directory_.reset();
}

void TaskCgroup::end_orphans() const {
  if (!job_path_.empty()) end_orphans_in(job_path_);
}

void end_abandoned_jobs() {
  const std::string own = own_directory();
  const Descriptor directory = open_directory(AT_FDCWD, own.c_str());
  if (own.empty() || !directory) return;
  for (const auto& name : directories_in(directory.get()))
    if (name.starts_with(kPrefix)) end_orphans_in(own + "/" + name);
}

}  // namespace rollcall::io
