#include "res/policy/accounts.hpp"

#include "common/base/host_list.hpp"

namespace rollcall::res {

std::string why_not_as(const AccountFacts& asked, const AccountFacts& here, const std::string& host) {
  if (asked.name.empty()) return "the order for " + host + " names no user";
  if (here.name != asked.name)
    return host + " calls user " + printable(asked.name) + " " + printable(here.name) +
           ", expected the same name as on mbatchd's host";
  // The user must be root on both hosts or on neither: an administrator elsewhere must not make a cluster user root here.
  if ((here.uid == 0) != (asked.uid == 0))
    return "user " + printable(asked.name) + " has the number " + std::to_string(here.uid) + " on " + host +
           " and " + std::to_string(asked.uid) + " on mbatchd's host: only one of them is root";
  return "";
}

std::string why_not_by_owner(const AccountFacts& here, std::uint32_t own, const std::string& host) {
  if (here.uid == own) return "";
  return "RES of " + host + " does not run as root: it starts jobs of user " + std::to_string(own) +
         " alone, and this one is of user " + std::to_string(here.uid);
}

}  // namespace rollcall::res
