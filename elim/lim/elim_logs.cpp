#include "elim/lim/elim_logs.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "common/io/descriptor.hpp"
#include "common/io/root_trust.hpp"

namespace rollcall::lim {
namespace {

constexpr int kDirectory = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;

Result<void> failed(const std::string& path, const char* what) {
  return internal_error(path + ": cannot " + what + " it: " + std::strerror(errno));
}

bool may_write(const struct stat& directory, const io::SpawnIdentity& account) {
  if (account.user == 0) return true;
  if (directory.st_uid == account.user) return (directory.st_mode & S_IWUSR) != 0;
  const auto& groups = account.groups;
  const bool group = directory.st_gid == account.group ||
                     std::find(groups.begin(), groups.end(), directory.st_gid) != groups.end();
  return (directory.st_mode & (group ? S_IWGRP : S_IWOTH)) != 0;
}

// A directory just made where only root may write: no other user has had access to it.
Result<void> make_directory(int parent, const char* name, const std::string& path,
                            const io::SpawnIdentity& account) {
  if (mkdirat(parent, name, 0755) != 0) return errno == EEXIST ? Result<void>() : failed(path, "make");
  const io::Descriptor made(openat(parent, name, kDirectory));
  if (!made || fchown(made.get(), account.user, account.group) != 0) return failed(path, "give away");
  return {};
}

Result<void> make_file(int parent, const std::string& name, const std::string& path,
                       const io::SpawnIdentity& account) {
  const io::Descriptor made(
      openat(parent, name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644));
  if (!made) return errno == EEXIST ? Result<void>() : failed(path, "make");
  return fchown(made.get(), account.user, account.group) == 0 ? Result<void>() : failed(path, "give away");
}

Result<void> only_root_changes(const std::string& path) {
  const auto trust = io::read_root_trust();
  if (!trust) return trust.error();
  return io::check_trust(*trust, path, "root would make logs of elims there");
}

std::string without_last_slashes(std::string path) {
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  return path;
}

Result<void> make_missing(const std::string& log_dir, const io::SpawnIdentity& account) {
  const std::size_t slash = log_dir.rfind('/');
  const std::string parent = log_dir.substr(0, std::max<std::size_t>(slash, 1));
  if (auto safe = only_root_changes(parent); !safe) return safe;
  const io::Descriptor opened(open(parent.c_str(), kDirectory));
  if (!opened) return failed(parent, "open");
  return make_directory(opened.get(), log_dir.c_str() + slash + 1, log_dir, account);
}

}  // namespace

std::vector<std::string> elim_log_directories(const std::string& log_dir, const std::string& host) {
  if (log_dir.empty()) return {};
  return {log_dir, log_dir + "/elims." + host};
}

Result<void> make_elim_logs(const std::string& configured, const std::string& host,
                            const io::SpawnIdentity& account) {
  if (configured.empty()) return {};
  const std::string log_dir = without_last_slashes(configured);
  struct stat found {};
  if (stat(log_dir.c_str(), &found) != 0)
    return errno == ENOENT ? make_missing(log_dir, account) : failed(log_dir, "look at");
  if (may_write(found, account)) return {};
  if (auto safe = only_root_changes(log_dir); !safe) return safe;
  const io::Descriptor opened(open(log_dir.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!opened) return failed(log_dir, "open");
  const std::string directory = "elims." + host, file = "melim.log." + host;
  if (auto made = make_directory(opened.get(), directory.c_str(), log_dir + "/" + directory, account); !made)
    return made;
  return make_file(opened.get(), file, log_dir + "/" + file, account);
}

}  // namespace rollcall::lim
