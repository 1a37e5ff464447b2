#include "sched/mbatchd/user_groups.hpp"

#include <grp.h>

#include <array>

namespace rollcall::mbatchd {
namespace {

constexpr std::chrono::minutes kKept{5};

std::vector<std::string> look_up(const std::string& user, gid_t primary) {
  std::vector<gid_t> ids(64);
  int count = static_cast<int>(ids.size());
  if (getgrouplist(user.c_str(), primary, ids.data(), &count) < 0) {
    ids.resize(static_cast<std::size_t>(count));
    if (getgrouplist(user.c_str(), primary, ids.data(), &count) < 0) return {};
  }
  ids.resize(static_cast<std::size_t>(count));
  std::vector<std::string> names;
  for (const gid_t id : ids) {
    group entry{};
    group* found = nullptr;
    std::array<char, 64 * 1024> room;
    if (getgrgid_r(id, &entry, room.data(), room.size(), &found) == 0 && found != nullptr)
      names.push_back(found->gr_name);
  }
  return names;
}

}  // namespace

void UserGroups::find(const std::string& user, gid_t primary) {
  const auto now = std::chrono::steady_clock::now();
  {
    const std::lock_guard lock(mutex_);
    const auto known = found_.find(user);
    if (known != found_.end() && now - known->second.at < kKept) return;
  }
  auto names = look_up(user, primary);
  const std::lock_guard lock(mutex_);
  found_[user] = {std::move(names), now};
}

std::vector<std::string> UserGroups::of(const std::string& user) const {
  const std::lock_guard lock(mutex_);
  const auto known = found_.find(user);
  return known == found_.end() ? std::vector<std::string>{} : known->second.names;
}

}  // namespace rollcall::mbatchd
