#include "elim/reader/files_below.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <memory>

namespace rollcall::load {
namespace {

constexpr std::size_t kMostBytes = 16 << 20;

// A path relative to the root's descriptor.
const char* relative(const std::string& path) {
  const auto start = path.find_first_not_of('/');
  return start == std::string::npos ? "." : path.c_str() + start;
}

struct CloseDirectory {
  void operator()(DIR* directory) const { closedir(directory); }
};

}  // namespace

FilesBelow::FilesBelow(const std::string& root)
    : root_(open(root.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC)) {}

std::optional<std::string> FilesBelow::text(const std::string& path) const {
  // Non-blocking, in case it is a FIFO.
  const io::Descriptor file(
      openat(root_.get(), relative(path), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (!file) return std::nullopt;
  std::string text;
  char buffer[16384];
  ssize_t size = 0;
  while ((size = read(file.get(), buffer, sizeof buffer)) > 0) {
    text.append(buffer, static_cast<std::size_t>(size));
    if (text.size() > kMostBytes) return std::nullopt;
  }
  if (size < 0) return std::nullopt;
  return text;
}

bool FilesBelow::exists(const std::string& path) const {
  return faccessat(root_.get(), relative(path), F_OK, 0) == 0;
}

std::vector<std::string> FilesBelow::names(const std::string& path) const {
  const int opened = openat(root_.get(), relative(path), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (opened < 0) return {};
  const std::unique_ptr<DIR, CloseDirectory> directory(fdopendir(opened));
  if (!directory) {
    close(opened);
    return {};
  }
  std::vector<std::string> names;
  while (const dirent* entry = readdir(directory.get()))
    if (entry->d_name[0] != '.') names.emplace_back(entry->d_name);
  std::sort(names.begin(), names.end());
  return names;
}

std::optional<long long> FilesBelow::last_used(const std::string& path) const {
  struct stat facts {};
  if (fstatat(root_.get(), relative(path), &facts, 0) != 0) return std::nullopt;
  return std::max(facts.st_atim.tv_sec, facts.st_mtim.tv_sec);
}

io::Descriptor FilesBelow::directory(const std::string& path) const {
  return io::Descriptor(openat(root_.get(), relative(path), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
}

}  // namespace rollcall::load
