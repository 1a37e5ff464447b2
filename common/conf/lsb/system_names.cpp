#include "common/conf/lsb/system_names.hpp"

#include <algorithm>
#include <map>

#include "common/base/host_list.hpp"
#include "common/conf/row_reader.hpp"

namespace rollcall::conf {
namespace {

// Bounded: a look-up may ask a slow name service.
constexpr std::size_t kMostHostLookups = 200;

class UserCheck {
 public:
  UserCheck(const SystemNames& system, Problems& problems) : system_(system), problems_(problems) {}

  void add_group(const std::string& name) { unknown_[name] = false; }

  // Checks the names in a list of users; "~user", "group@" and keywords such as "all" are accepted.
  void check(const std::string& keyword, const std::vector<std::string>& words, const Place& place) {
    for (const std::string& word : words) {
      std::string name = word.starts_with('~') ? word.substr(1) : word;
      if (name.ends_with('@')) name.pop_back();
      if (name.empty() || name == "all" || name == "default" || name == "!" || name == "none" ||
          name.find_first_of("@\\/") != std::string::npos)
        continue;
      if (unknown(name))
        problems_.warning(place, keyword + ": found " + printable(word) + ", which is no user or group here");
    }
  }

 private:
  bool unknown(const std::string& name) {
    const auto [known, is_new] = unknown_.emplace(name, false);
    if (is_new) known->second = system_.no_user(name) && system_.no_group(name);
    return known->second;
  }

  const SystemNames& system_;
  Problems& problems_;
  std::map<std::string, bool> unknown_;
};

}  // namespace

void check_system_names(const ClusterFiles& files, const SystemNames& system, Problems& problems) {
  UserCheck users(system, problems);
  users.check("ADMINISTRATORS", files.cluster.administrators, files.cluster.administrators_place);
  std::size_t asked = 0;
  for (const ClusterHost& host : files.cluster.hosts) {
    if (!files.names.addresses(host.name).empty() || ++asked > kMostHostLookups) continue;
    if (system.no_host(host.name))
      problems.warning(host.place,
                       "HOSTNAME: found " + printable(host.name) +
                           ", which has no address, expected one of LSF_ENVDIR/hosts or the resolver");
  }
}

void check_system_names(const LsbFiles& lsb, const SystemNames& system, Problems& problems) {
  UserCheck users(system, problems);
  for (const UserGroup& group : lsb.users.groups) users.add_group(group.name);
  for (const UserLimits& row : lsb.users.users) users.check("USER_NAME", {row.name}, row.place);
  for (const UserGroup& group : lsb.users.groups) users.check("GROUP_MEMBER", group.members, group.place);
  for (const QueueRow& queue : lsb.queues)
    for (const auto& [keyword, names] :
         {std::pair("USERS", &queue.users), std::pair("ADMINISTRATORS", &queue.administrators),
          std::pair("FWD_USERS", &queue.forward_users)})
      users.check(std::string(keyword) + " of queue " + queue.name, *names,
                  place_of(queue.cells, keyword, queue.place));
  for (const ResourceLimit& limit : lsb.resources.limits)
    for (const auto& [keyword, names] : limit.consumers)
      if (keyword == "USERS" || keyword == "PER_USER") users.check(keyword, names, limit.place);
}

}  // namespace rollcall::conf
