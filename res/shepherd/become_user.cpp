#include "res/shepherd/become_user.hpp"

#include <grp.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace rollcall::res {
namespace {

// prlimit(2) requires that the target's real, effective and saved groups all equal the caller's. The shepherd takes this group
// as its saved one, so that its user's job cannot change its limits. Otherwise the job could lower the limit on descriptors,
// and bkill and limits would not reach the job any more. Programs that the shepherd executes get the user's group as their
// saved one (execve(2)).
constexpr gid_t kNobodysGroup = 65534;

std::string failed(const char* what) { return std::string("cannot ") + what + ": " + std::strerror(errno); }

}  // namespace

std::string become_user(uid_t user, gid_t group, const std::vector<gid_t>& groups) {
  if (geteuid() != 0) return getuid() == user ? "" : "this job is of another user, and we are not root";
  if ((user != 0 || !groups.empty()) && setgroups(groups.size(), groups.data()) != 0)
    return failed("set the groups");
  // A user namespace may not map kNobodysGroup.
  const bool kept = user != 0 && setresgid(group, group, kNobodysGroup) == 0;
  if (!kept && setresgid(group, group, group) != 0) return failed("set the group");
  if (setresuid(user, user, user) != 0) return failed("become the user");
  uid_t real = 0, effective = 0, saved = 0;
  if (getresuid(&real, &effective, &saved) != 0 || real != user || effective != user || saved != user)
    return "the kernel did not make us the user";
  if (user != 0 && setuid(0) == 0) return "root can be had back";
  return "";
}

}  // namespace rollcall::res
