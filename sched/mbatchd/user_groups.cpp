#include "sched/mbatchd/user_groups.hpp"

#include <grp.h>

#include <array>

#include "common/io/munge_asker.hpp"

namespace rollcall::mbatchd {
namespace {

constexpr std::chrono::minutes kKept{5};
constexpr std::chrono::minutes kNameKept{1};
constexpr std::size_t kMostNames = 100'000;

std::vector<std::string> groups_of_system(const std::string& user, gid_t primary) {
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

UserGroups::UserGroups()
    : UserGroups(System{io::user_name, groups_of_system, [] { return Steady::now(); }}) {}

std::string UserGroups::name(uid_t uid) {
  const auto now = system_.now();
  {
    const std::lock_guard lock(mutex_);
    const auto known = names_.find(uid);
    if (known != names_.end() && now - known->second.at < kNameKept) return known->second.text;
  }
  std::string text = system_.name(uid);
  const std::lock_guard lock(mutex_);
  if (text.empty() || names_.size() >= kMostNames)
    names_.erase(uid);
  else
    names_[uid] = {text, now};
  return text;
}

void UserGroups::find(const std::string& user, gid_t primary) {
  const auto now = system_.now();
  {
    const std::lock_guard lock(mutex_);
    const auto known = found_.find(user);
    if (known != found_.end() && now - known->second.at < kKept) return;
  }
  auto names = system_.groups(user, primary);
  const std::lock_guard lock(mutex_);
  found_[user] = {std::move(names), now};
}

std::vector<std::string> UserGroups::of(const std::string& user) const {
  const std::lock_guard lock(mutex_);
  const auto known = found_.find(user);
  return known == found_.end() ? std::vector<std::string>{} : known->second.names;
}

}  // namespace rollcall::mbatchd
