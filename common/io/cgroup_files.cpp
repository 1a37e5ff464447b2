// The files read:
//   /proc/self/cgroup      "0::" PATH "\n" among lines of version 1
//   /proc/self/mountinfo   id parent major:minor ROOT MOUNT-POINT options ... "- cgroup2" source options
//   cgroup.events          "populated 0\n" or "populated 1\n", among other lines
//   cgroup.procs           pid "\n" ...         (0: a process that our pid namespace does not show)
#include "common/io/cgroup_files.hpp"

#include <dirent.h>
#include <linux/magic.h>
#include <poll.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <optional>

#include "common/io/read_file.hpp"

namespace rollcall::io {
namespace {

constexpr int kMostLevels = 16;   // of nested cgroups that a task has made
constexpr int kPatienceMs = 200;  // until killed processes are gone

// "" where it cannot be read.
std::string text_of(const char* path) {
  auto content = read_file(path);
  return content ? std::move(*content) : std::string{};
}

struct Mount {
  std::string point;
  std::string root;  // which cgroup it shows
};

// The whole hierarchy at one of the usual places: statfs costs a thousandth of reading mountinfo.
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

// Removes the cgroups that a task has made in its own, too.
void remove_tree(int at, const std::string& name, int level = 0) {
  if (unlinkat(at, name.c_str(), AT_REMOVEDIR) == 0 || level == kMostLevels) return;
  const Descriptor directory = open_cgroup(at, name.c_str());
  if (!directory) return;
  for (const auto& below : cgroups_below(directory.get())) remove_tree(directory.get(), below, level + 1);
  unlinkat(at, name.c_str(), AT_REMOVEDIR);
}

}  // namespace

std::string own_cgroup() {
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

Descriptor open_cgroup(int at, const char* name) {
  return Descriptor(openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
}

void kill_cgroup(int directory) {
  const Descriptor file(openat(directory, "cgroup.kill", O_WRONLY | O_CLOEXEC));
  if (!file) return;
  [[maybe_unused]] const ssize_t written = write(file.get(), "1", 1);
}

void wait_for_empty_cgroup(int directory) {
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

std::vector<std::string> cgroups_below(int directory) {
  std::vector<std::string> names;
  const int copy = openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR* list = copy < 0 ? nullptr : fdopendir(copy);
  if (list == nullptr) return names;
  while (const dirent* entry = readdir(list))
    if (entry->d_type == DT_DIR && entry->d_name[0] != '.') names.emplace_back(entry->d_name);
  closedir(list);
  return names;
}

void remove_cgroup(const std::string& path) { remove_tree(AT_FDCWD, path); }

std::vector<pid_t> cgroup_members(int directory) {
  std::vector<pid_t> pids;
  const std::string text = read_cgroup_file(directory, "cgroup.procs");
  for (std::size_t at = 0; at < text.size(); at = text.find('\n', at) + 1) {
    if (const pid_t pid = std::atoi(text.c_str() + at); pid > 0) pids.push_back(pid);
    if (text.find('\n', at) == text.npos) break;
  }
  std::sort(pids.begin(), pids.end());
  return pids;
}

std::string read_cgroup_file(int directory, const char* name) {
  const Descriptor file(openat(directory, name, O_RDONLY | O_CLOEXEC));
  std::string text;
  std::array<char, 4096> part;
  for (ssize_t size = 0; file && (size = read(file.get(), part.data(), part.size())) > 0;)
    text.append(part.data(), static_cast<std::size_t>(size));
  return text;
}

bool write_cgroup_file(int directory, const char* name, std::string_view text) {
  const Descriptor file(openat(directory, name, O_WRONLY | O_CLOEXEC));
  return file && write(file.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size());
}

bool cgroup_is_populated(int directory) {
  return read_cgroup_file(directory, "cgroup.events").find("populated 1") != std::string::npos;
}

std::string cgroup_problem(const char* what, const std::string& path) {
  return std::string("cannot ") + what + " " + path + ": " + std::strerror(errno);
}

}  // namespace rollcall::io
