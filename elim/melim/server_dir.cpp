#include "elim/melim/server_dir.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

namespace rollcall::melim {
namespace {

FileFacts facts_of(const struct stat& found) {
  FileFacts facts;
  facts.type = S_ISREG(found.st_mode)   ? FileType::regular
               : S_ISDIR(found.st_mode) ? FileType::directory
                                        : FileType::other;
  facts.mode = found.st_mode & 07777;
  facts.owner = found.st_uid;
  facts.group = found.st_gid;
  return facts;
}

}  // namespace

bool begins_with_dos_line(int directory, const char* name) {
  const io::Descriptor file(openat(directory, name, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  char bytes[256];  // the kernel reads no longer first lines
  const ssize_t size = file ? read(file.get(), bytes, sizeof bytes) : -1;
  return size > 0 && is_dos_line({bytes, static_cast<std::size_t>(size)});
}

void ServerDir::watch(const std::string& directory) {
  if (directory == path_ && inotify_) return;
  path_ = directory;
  inotify_ = io::Descriptor(inotify_init1(IN_NONBLOCK | IN_CLOEXEC));
  directory_ = parent_ = -1;
  watched_ = {};
}

void ServerDir::watch_what_is_there() {
  constexpr std::uint32_t kInIt =
      IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_CLOSE_WRITE | IN_ATTRIB;
  constexpr std::uint32_t kItself = IN_MOVE_SELF | IN_DELETE_SELF;
  if (!inotify_) return;
  struct stat found {
  }, named{};
  const bool there = stat(path_.c_str(), &found) == 0;
  const std::pair<std::uint64_t, std::uint64_t> now =
      there ? std::pair<std::uint64_t, std::uint64_t>{found.st_dev, found.st_ino} : watched_;
  if (directory_ >= 0 && (!there || now != watched_)) {
    inotify_rm_watch(inotify_.get(), directory_);
    directory_ = -1;
  }
  if (there && directory_ < 0)
    directory_ = inotify_add_watch(inotify_.get(), path_.c_str(), kInIt | kItself | IN_ONLYDIR);
  watched_ = now;
  const bool is_link = lstat(path_.c_str(), &named) == 0 && S_ISLNK(named.st_mode);
  const bool want_parent = !there || is_link;
  if (want_parent == (parent_ >= 0)) return;
  if (want_parent) {
    const std::string parent = path_.substr(0, std::max<std::size_t>(path_.rfind('/'), 1));
    parent_ = inotify_add_watch(inotify_.get(), parent.c_str(), IN_CREATE | IN_MOVED_TO | IN_ONLYDIR);
  } else {
    inotify_rm_watch(inotify_.get(), parent_);
    parent_ = -1;
  }
}

// The kernel's watch has ended: the directory is gone.
void ServerDir::forget(int watch) {
  if (watch == directory_) directory_ = -1;
  if (watch == parent_) parent_ = -1;
}

bool ServerDir::take_changes() {
  alignas(inotify_event) char bytes[4096];
  const std::string own = path_.substr(path_.rfind('/') + 1);
  bool changed = false;
  ssize_t size = 0;
  while ((size = read(inotify_.get(), bytes, sizeof bytes)) > 0) {
    for (ssize_t at = 0; at < size;) {
      inotify_event event;
      std::memcpy(&event, bytes + at, sizeof event);
      // An event without a name: the directory itself changed, or events were lost.
      const char* const name = event.len > 0 ? bytes + at + sizeof event : "";
      const bool known = event.wd == directory_ || event.wd == parent_ || event.wd < 0;
      const bool matters = event.len == 0        ? (event.mask & IN_IGNORED) == 0
                           : event.wd == parent_ ? own == name
                                                 : elim_name(name);
      if (known && matters) changed = true;
      if ((event.mask & IN_IGNORED) != 0) forget(event.wd);
      at += static_cast<ssize_t>(sizeof event + event.len);
    }
  }
  return changed;
}

ServerDirListing ServerDir::look() {
  ServerDirListing listing;
  watch_what_is_there();  // before reading, so that changes meanwhile are noticed
  const Runner runner{geteuid(), getegid()};
  struct stat found {};
  const FileFacts here = stat(path_.c_str(), &found) == 0 ? facts_of(found) : FileFacts{};
  listing.unsafe = unsafe_directory(here, runner);
  DIR* directory = listing.unsafe.empty() ? opendir(path_.c_str()) : nullptr;
  if (directory == nullptr) {
    if (listing.unsafe.empty()) listing.unsafe = std::string("cannot be read: ") + std::strerror(errno);
    return listing;
  }
  while (const dirent* entry = readdir(directory)) {
    const std::string name = entry->d_name;
    if (!elim_name(name)) continue;
    if (listing.elims.size() >= kMostElims) {
      listing.too_many = true;
      break;
    }
    const bool there = fstatat(dirfd(directory), entry->d_name, &found, 0) == 0;
    FoundElim elim;
    FileFacts facts = there ? facts_of(found) : FileFacts{};
    facts.dos_line = facts.type == FileType::regular && begins_with_dos_line(dirfd(directory), entry->d_name);
    elim.verdict = judge_elim(name, facts, runner);
    if (there) elim.identity = {found.st_ino, found.st_mtim.tv_sec, found.st_mtim.tv_nsec, found.st_size};
    listing.elims.emplace(name, std::move(elim));
  }
  closedir(directory);
  return listing;
}

}  // namespace rollcall::melim
