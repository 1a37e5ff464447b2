#include "res/daemon/identities.hpp"

#include <grp.h>
#include <pwd.h>

#include <algorithm>
#include <memory>
#include <utility>

namespace rollcall::res {
namespace {

constexpr std::chrono::seconds kKept{60};
constexpr std::chrono::seconds kPatience{10};
constexpr std::size_t kMostWaiting = 4096;  // users, each asked about once
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

Result<Identity> look_up_identity(uid_t uid) {
  passwd entry{};
  passwd* found = nullptr;
  std::vector<char> room(kRoom);
  getpwuid_r(uid, &entry, room.data(), room.size(), &found);
  if (found == nullptr) return internal_error("this host has no user with the number " + std::to_string(uid));
  Identity identity{
      uid, found->pw_gid, {}, found->pw_name, found->pw_dir, found->pw_shell, group_name(found->pw_gid)};
  identity.groups = groups_of(identity.name, identity.gid);
  return identity;
}

Identities::Identities(boost::asio::io_context& loop)
    : Identities(loop, {.waiting = kMostWaiting, .patience = kPatience}, look_up_identity) {}
Identities::Identities(boost::asio::io_context& loop, io::SideThread::Limits limits, LookUp look_up)
    : look_up_(std::move(look_up)), thread_(loop, limits) {}

void Identities::find(uid_t uid, Found found) {
  const auto asked = waiting_.find(uid);
  if (asked != waiting_.end()) return asked->second.push_back(std::move(found));
  const auto kept = kept_.find(uid);
  if (kept != kept_.end() && std::chrono::steady_clock::now() < kept->second.until)
    return found(kept->second.identity);
  waiting_[uid].push_back(std::move(found));
  ask(uid);
}

void Identities::ask(uid_t uid) {
  const auto answer = std::make_shared<Result<Identity>>(Error());
  thread_.ask([answer, look_up = look_up_, uid] { *answer = look_up(uid); },
              [this, answer, uid](io::SideThread::End end) {
                if (end == io::SideThread::End::finished) return tell(uid, *answer);
                // Still in the thread's hands: it is not to be read.
                const auto kept = kept_.find(uid);
                if (kept != kept_.end()) return tell(uid, kept->second.identity);
                tell(uid, internal_error("the user database of this host does not answer: who user " +
                                         std::to_string(uid) + " is cannot be found out"));
              });
}

void Identities::tell(uid_t uid, Result<Identity> found) {
  if (found) kept_[uid] = {*found, std::chrono::steady_clock::now() + kKept};
  const auto waiting = std::move(waiting_[uid]);
  waiting_.erase(uid);
  for (const auto& told : waiting) told(found);
}

}  // namespace rollcall::res
