// res_rights: the rights of users towards a RES. Functions.
//
// The caller is what was proved on the server's side: a connection that holds the cluster's key is the user who runs RES; a
// MUNGE credential names a user. A client's own claims do not count.
#pragma once

#include <sys/types.h>

#include <algorithm>
#include <string>
#include <vector>

namespace rollcall::res {

struct ResCaller {
  bool known = false;
  uid_t uid = 0;
  std::string name;  // "": this host has no such user
};

// Root, who runs RES, and the cluster's administrators.
inline bool is_administrator(const ResCaller& caller, uid_t owner,
                             const std::vector<std::string>& administrators) {
  if (!caller.known) return false;
  if (caller.uid == 0 || caller.uid == owner) return true;
  return !caller.name.empty() &&
         std::find(administrators.begin(), administrators.end(), caller.name) != administrators.end();
}

// Whether a job that runs here as `uid`, whom this host calls `user`, is the caller's. Both must agree: a number may be
// another user's on the host that the caller is on.
inline bool owns_job(const ResCaller& caller, uid_t uid, const std::string& user) {
  return caller.known && caller.uid == uid && !caller.name.empty() && caller.name == user;
}

// Root may do with a job on this host what its user may.
inline bool acts_for_job(const ResCaller& caller, uid_t uid, const std::string& user) {
  return (caller.known && caller.uid == 0) || owns_job(caller, uid, user);
}

}  // namespace rollcall::res
