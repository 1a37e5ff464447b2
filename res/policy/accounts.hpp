// accounts: whether a job may run as the user of that name on this host. Functions.
//
// A user is a name: the numbers of a name may differ between hosts, and a job runs with the number that its user's name has
// on the execution host. mbatchd sends the name and the number that it knows; the user cannot set them.
#pragma once

#include <cstdint>
#include <string>

namespace rollcall::res {

struct AccountFacts {
  std::string name;
  std::uint32_t uid = 0;
};

// "" where a job of `asked` may run as `here`, which is what the host's database has for the name; else why not.
std::string why_not_as(const AccountFacts& asked, const AccountFacts& here, const std::string& host);

// The same for a RES that is not root and so is always `own`.
std::string why_not_by_owner(const AccountFacts& here, std::uint32_t own, const std::string& host);

}  // namespace rollcall::res
