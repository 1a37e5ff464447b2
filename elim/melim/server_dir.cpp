#include "elim/melim/server_dir.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

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

void ServerDir::watch(const std::string& directory) {
  if (directory == path_ && inotify_) return;
  path_ = directory;
  inotify_ = io::Descriptor(inotify_init1(IN_NONBLOCK | IN_CLOEXEC));
  const std::uint32_t changes =
      IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_CLOSE_WRITE | IN_ATTRIB | IN_ONLYDIR;
  if (inotify_ && inotify_add_watch(inotify_.get(), path_.c_str(), changes) < 0) inotify_ = io::Descriptor();
}

bool ServerDir::take_changes() {
  alignas(inotify_event) char bytes[4096];
  bool changed = false;
  ssize_t size = 0;
  while ((size = read(inotify_.get(), bytes, sizeof bytes)) > 0) {
    for (ssize_t at = 0; at < size;) {
      inotify_event event;
      std::memcpy(&event, bytes + at, sizeof event);
      // Without a name it is the directory itself that changed, or events were lost.
      const bool named = event.len > 0;
      if (!named || elim_name(bytes + at + sizeof event)) changed = true;
      at += static_cast<ssize_t>(sizeof event + event.len);
    }
  }
  return changed;
}

ServerDirListing ServerDir::look() {
  ServerDirListing listing;
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
    elim.verdict = judge_elim(name, there ? facts_of(found) : FileFacts{}, runner);
    if (there) elim.identity = {found.st_ino, found.st_mtim.tv_sec, found.st_mtim.tv_nsec, found.st_size};
    listing.elims.emplace(name, std::move(elim));
  }
  closedir(directory);
  return listing;
}

}  // namespace rollcall::melim
