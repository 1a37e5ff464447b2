#include "res/daemon/identities.hpp"

#include <grp.h>
#include <pwd.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "common/base/host_list.hpp"

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

std::string words_of(const Account& account) {
  if (const auto* uid = std::get_if<uid_t>(&account)) return "user with the number " + std::to_string(*uid);
  return "user " + printable(std::get<std::string>(account));
}

}  // namespace

Result<Identity> look_up_identity(const Account& account) {
  passwd entry{};
  passwd* found = nullptr;
  std::vector<char> room(kRoom);
  if (const auto* uid = std::get_if<uid_t>(&account))
    getpwuid_r(*uid, &entry, room.data(), room.size(), &found);
  else
    getpwnam_r(std::get<std::string>(account).c_str(), &entry, room.data(), room.size(), &found);
  if (found == nullptr) return internal_error("this host has no " + words_of(account));
  Identity identity{found->pw_uid,
                    found->pw_gid,
                    {},
                    found->pw_name,
                    found->pw_dir,
                    found->pw_shell,
                    group_name(found->pw_gid)};
  identity.groups = groups_of(identity.name, identity.gid);
  return identity;
}

Identities::Identities(boost::asio::io_context& loop)
    : Identities(loop, {.waiting = kMostWaiting, .patience = kPatience}, look_up_identity) {}
Identities::Identities(boost::asio::io_context& loop, io::SideThread::Limits limits, LookUp look_up)
    : look_up_(std::move(look_up)), thread_(loop, limits) {}

void Identities::find(const Account& account, Found found) {
  const auto asked = waiting_.find(account);
  if (asked != waiting_.end()) return asked->second.push_back(std::move(found));
  const auto kept = kept_.find(account);
  if (kept != kept_.end() && std::chrono::steady_clock::now() < kept->second.until)
    return found(kept->second.identity);
  waiting_[account].push_back(std::move(found));
  ask(account);
}

void Identities::ask(const Account& account) {
  const auto answer = std::make_shared<Result<Identity>>(Error());
  thread_.ask([answer, look_up = look_up_, account] { *answer = look_up(account); },
              [this, answer, account](io::SideThread::End end) {
                if (end == io::SideThread::End::finished) return tell(account, *answer);
                // The thread may still write to *answer: do not read it.
                const auto kept = kept_.find(account);
                if (kept != kept_.end()) return tell(account, kept->second.identity);
                tell(account,
                     internal_error("the user database of this host does not answer: could not look up the " +
                                    words_of(account)));
              });
}

void Identities::tell(const Account& account, Result<Identity> found) {
  if (found) kept_[account] = {*found, std::chrono::steady_clock::now() + kKept};
  const auto waiting = std::move(waiting_[account]);
  waiting_.erase(account);
  for (const auto& told : waiting) told(found);
}

}  // namespace rollcall::res
