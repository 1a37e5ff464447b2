// Identities: what this host knows of a user, kept for a while: for each job the user database would be asked otherwise.
//
// It waits for the database (files, LDAP): for a user whom it has not seen for a minute, once.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <string>
#include <unordered_map>
#include <vector>

#include "common/base/result.hpp"

namespace rollcall::res {

struct Identity {
  uid_t uid = 0;
  gid_t gid = 0;
  std::vector<gid_t> groups;
  std::string name, home, shell, group;
};

class Identities {
 public:
  Result<Identity> find(uid_t uid);

 private:
  struct Kept {
    Identity identity;
    std::chrono::steady_clock::time_point until;
  };
  std::unordered_map<uid_t, Kept> kept_;
};

}  // namespace rollcall::res
