#include "res/daemon/removal_steps.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <optional>

#include "common/io/descriptor.hpp"
#include "common/io/remove_tree.hpp"
#include "res/daemon/job_directories.hpp"

namespace rollcall::res {
namespace {

constexpr const char* kUsers = "u";
constexpr int kMostNames = 10'000;  // tried for the leftovers of one job

io::Descriptor open_directory(int folder, const std::string& name) {
  return io::Descriptor(openat(folder, name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
}

std::optional<struct stat> users_part(int directory) {
  struct stat facts;
  if (fstatat(directory, kUsers, &facts, AT_SYMLINK_NOFOLLOW) != 0) return std::nullopt;
  return facts;
}

std::optional<wire::JobOrder> order_in(int directory) {
  bool begun = false;
  return read_order(directory, begun);
}

// The owner of the directory, with the job's groups if its order is still there.
RemovalUser user_of(int directory, const struct stat& facts) {
  RemovalUser who{facts.st_uid, facts.st_gid, {}};
  const auto order = order_in(directory);
  if (!order || order->uid() != who.user) return who;
  who.group = order->gid();
  who.groups.assign(order->groups().begin(), order->groups().end());
  return who;
}

LeftDirectory set_apart(int folder, const std::string& name, const std::string& found) {
  const io::Descriptor directory = open_directory(folder, name);
  const auto facts = users_part(directory.get());
  const auto order = order_in(directory.get());
  std::string job = name;
  if (order && (order->has_start() || order->has_expect()))
    job = directory_name(order->has_start() ? order->start().job() : order->expect().job());
  LeftDirectory left{std::string(kLeftPrefix) + job, facts ? facts->st_uid : geteuid(), found};
  const std::string wanted = left.name;
  for (int i = 1; i < kMostNames; ++i) {
    if (renameat2(folder, name.c_str(), folder, left.name.c_str(), RENAME_NOREPLACE) == 0) return left;
    if (errno != EEXIST) break;
    left.name = wanted + "-" + std::to_string(i);
  }
  left.name = name;
  return left;
}

// Removes the job's files, which are RES's, and a "u" that is not a directory. `order` stays for last: it names the owner of
// what is left.
bool removed_files(int directory) {
  const int copy = openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR* const entries = copy < 0 ? nullptr : fdopendir(copy);
  if (entries == nullptr) {
    if (copy >= 0) close(copy);
    return false;
  }
  while (const dirent* entry = readdir(entries))
    if (std::strcmp(entry->d_name, "order") != 0) unlinkat(directory, entry->d_name, 0);
  closedir(entries);
  return true;
}

}  // namespace

SortedRemovals remove_own(int folder, const std::vector<std::string>& names) {
  SortedRemovals sorted;
  for (const auto& name : names) {
    const io::Descriptor directory = open_directory(folder, name);
    const auto facts = directory ? users_part(directory.get()) : std::nullopt;
    if (facts && facts->st_uid != geteuid())
      sorted.of_users[user_of(directory.get(), *facts)].push_back(name);
    else if (!io::remove_tree_at(folder, name))
      sorted.left.push_back(set_apart(folder, name, "what is in it cannot be removed"));
  }
  return sorted;
}

FinishedRemovals remove_emptied(int folder, const std::vector<std::string>& names,
                                const std::map<std::string, std::string>& found, bool again) {
  FinishedRemovals finished;
  for (const auto& name : names) {
    const io::Descriptor directory = open_directory(folder, name);
    if (!directory) continue;
    if (unlinkat(directory.get(), kUsers, AT_REMOVEDIR) == 0 || errno == ENOENT) {
      removed_files(directory.get());
      unlinkat(directory.get(), "order", 0);
      if (unlinkat(folder, name.c_str(), AT_REMOVEDIR) == 0 || errno == ENOENT) continue;
    }
    const std::string why = std::strerror(errno);
    if (again)
      finished.again.push_back(name);
    else if (const auto said = found.find(name); said != found.end())
      finished.left.push_back(set_apart(folder, name, said->second));
    else
      finished.left.push_back(set_apart(folder, name, why));
  }
  return finished;
}

}  // namespace rollcall::res
