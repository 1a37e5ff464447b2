#include "res/daemon/identities.hpp"

#include <grp.h>
#include <pwd.h>

#include <array>

namespace rollcall::res {
namespace {

constexpr std::chrono::seconds kKept{60};
constexpr std::size_t kRoom = 64 * 1024;

std::vector<gid_t> groups_of(const std::string& name, gid_t group) {
  int count = 64;
  std::vector<gid_t> groups(static_cast<std::size_t>(count));
  while (getgrouplist(name.c_str(), group, groups.data(), &count) < 0)
    groups.resize(static_cast<std::size_t>(count = std::max(count, static_cast<int>(groups.size()) * 2)));
  groups.resize(static_cast<std::size_t>(count));
  return groups;
}

std::string group_name(gid_t gid) {
  group entry{};
  group* found = nullptr;
  std::vector<char> room(kRoom);
  getgrgid_r(gid, &entry, room.data(), room.size(), &found);
  return found == nullptr ? std::to_string(gid) : found->gr_name;
}

}  // namespace

Result<Identity> Identities::find(uid_t uid) {
  const auto now = std::chrono::steady_clock::now();
  if (const auto kept = kept_.find(uid); kept != kept_.end() && now < kept->second.until)
    return kept->second.identity;
  passwd entry{};
  passwd* found = nullptr;
  std::vector<char> room(kRoom);
  getpwuid_r(uid, &entry, room.data(), room.size(), &found);
  if (found == nullptr) return internal_error("this host has no user with the number " + std::to_string(uid));
  Identity identity{
      uid, found->pw_gid, {}, found->pw_name, found->pw_dir, found->pw_shell, group_name(found->pw_gid)};
  identity.groups = groups_of(identity.name, identity.gid);
  kept_[uid] = {identity, now + kKept};
  return identity;
}

}  // namespace rollcall::res
