#include "common/io/remove_tree.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <set>
#include <utility>
#include <vector>

#include "common/io/descriptor.hpp"

namespace rollcall::io {
namespace {

constexpr std::size_t kMostListed = 1024;  // directories of one level that are listed at a time
constexpr std::uint64_t kMostLeft = 1000;
constexpr int kMostTries = 100;  // of a directory that is filled again meanwhile
constexpr std::size_t kMostPath = 1000;
constexpr int kOpenFlags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;

// -1 with EXDEV at a mount point, without touching the mounted file system: a user's own may never answer.
int open_below(int directory, const std::string& name, dev_t device) {
  open_how how{};
  how.flags = kOpenFlags;
  how.resolve = RESOLVE_NO_XDEV | RESOLVE_NO_SYMLINKS;
  const int fd = static_cast<int>(syscall(SYS_openat2, directory, name.c_str(), &how, sizeof how));
  if (fd >= 0 || (errno != ENOSYS && errno != EPERM)) return fd;
  const int old_way = openat(directory, name.c_str(), kOpenFlags);
  struct stat facts;
  if (old_way < 0 || (fstat(old_way, &facts) == 0 && facts.st_dev == device)) return old_way;
  close(old_way);
  errno = EXDEV;
  return -1;
}

class Remover {
 public:
  explicit Remover(int top) : here_(openat(top, ".", kOpenFlags)) {}

  TreeLeft run() {
    struct stat facts;
    if (!here_ || fstat(here_.get(), &facts) != 0) {
      note(".", errno);
      return std::move(left_);
    }
    enter("", facts);
    while (!ended_ && (list() || up())) {
      auto& listed = levels_.back().listed;
      if (listed.empty()) continue;
      const std::string name = std::move(listed.back());
      listed.pop_back();
      down(name);
    }
    return std::move(left_);
  }

 private:
  struct Level {
    std::string name;
    dev_t device;
    ino_t inode;
    std::vector<std::string> listed = {};  // directories to go into
    std::set<std::string> kept = {};       // cannot be removed
    int tries = 0;                         // of directories that were filled again
  };

  void enter(const std::string& name, const struct stat& facts) {
    levels_.push_back({name, facts.st_dev, facts.st_ino});
    if (facts.st_uid == geteuid() && (facts.st_mode & S_IRWXU) != S_IRWXU) fchmod(here_.get(), S_IRWXU);
  }

  // Removes files and lists directories. False: this level is done.
  bool list() {
    auto& level = levels_.back();
    if (!level.listed.empty()) return true;
    const int copy = openat(here_.get(), ".", kOpenFlags);
    DIR* const entries = copy < 0 ? nullptr : fdopendir(copy);
    if (entries == nullptr) {
      if (copy >= 0) close(copy);
      return false;  // its removal fails later and gives the reason
    }
    while (const dirent* entry = ended_ ? nullptr : readdir(entries)) {
      const std::string name = entry->d_name;
      if (name == "." || name == ".." || level.kept.contains(name)) continue;
      if (entry->d_type == DT_DIR || !removed_file(name)) level.listed.push_back(name);
      if (level.listed.size() == kMostListed) break;
    }
    closedir(entries);
    return !level.listed.empty();
  }

  // False: it is a directory.
  bool removed_file(const std::string& name) {
    if (unlinkat(here_.get(), name.c_str(), 0) == 0 || errno == ENOENT) return true;
    const int error = errno;
    struct stat facts;
    if (fstatat(here_.get(), name.c_str(), &facts, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(facts.st_mode))
      return false;
    keep(name, error);
    return true;
  }

  void down(const std::string& name) {
    if (unlinkat(here_.get(), name.c_str(), AT_REMOVEDIR) == 0 || errno == ENOENT) return;
    const dev_t device = levels_.back().device;
    int fd = open_below(here_.get(), name, device);
    if (fd < 0 && errno == EACCES && permitted(name)) fd = open_below(here_.get(), name, device);
    if (fd < 0 && errno != ENOENT) return keep(name, errno);
    struct stat facts;
    if (fd < 0 || fstat(fd, &facts) != 0) return;
    here_ = Descriptor(fd);
    enter(name, facts);
  }

  // Gives us the rights to our own directory. Root needs none.
  bool permitted(const std::string& name) {
    struct stat facts;
    return geteuid() != 0 && fstatat(here_.get(), name.c_str(), &facts, AT_SYMLINK_NOFOLLOW) == 0 &&
           S_ISDIR(facts.st_mode) && facts.st_uid == geteuid() &&
           fchmodat(here_.get(), name.c_str(), S_IRWXU, 0) == 0;
  }

  // False: that was the top.
  bool up() {
    if (levels_.size() == 1) return false;
    const Level done = std::move(levels_.back());
    levels_.pop_back();
    const int fd = openat(here_.get(), "..", kOpenFlags);
    const int error = errno;
    struct stat facts;
    here_ = Descriptor(fd);
    auto& level = levels_.back();
    if (fd < 0 || fstat(fd, &facts) != 0 || facts.st_dev != level.device || facts.st_ino != level.inode) {
      note(done.name, fd < 0 ? error : ESTALE);
      return ended_ = true, false;
    }
    if (unlinkat(fd, done.name.c_str(), AT_REMOVEDIR) == 0 || errno == ENOENT) return true;
    const bool filled_again = errno == ENOTEMPTY && done.kept.empty();
    if (!done.kept.empty())
      level.kept.insert(done.name);  // what is in it was counted
    else if (!filled_again || ++level.tries > kMostTries)
      keep(done.name, errno);
    return true;
  }

  void keep(const std::string& name, int error) {
    levels_.back().kept.insert(name);
    note(name, error);
  }

  void note(const std::string& name, int error) {
    if (++left_.entries >= kMostLeft) ended_ = true;
    if (left_.entries > 1) return;
    std::string path = name;
    for (auto level = levels_.rbegin(); level != levels_.rend() && path.size() < kMostPath; ++level)
      if (!level->name.empty()) path.insert(0, level->name + "/");
    if (path.size() > kMostPath) path.replace(0, path.size() - kMostPath, "...");
    left_.first = path + ": " + std::strerror(error);
  }

  Descriptor here_;
  std::vector<Level> levels_;
  TreeLeft left_;
  bool ended_ = false;
};

}  // namespace

TreeLeft empty_directory(int directory) { return Remover(directory).run(); }

bool remove_tree_at(int directory, const std::string& name) {
  if (unlinkat(directory, name.c_str(), 0) == 0 || errno == ENOENT) return true;
  const Descriptor tree(openat(directory, name.c_str(), kOpenFlags));
  if (!tree) return false;
  empty_directory(tree.get());
  return unlinkat(directory, name.c_str(), AT_REMOVEDIR) == 0 || errno == ENOENT;
}

}  // namespace rollcall::io
