// UserGroups: the groups of the operating system that a user is in, by name. Kept for a while: a directory service is slow.
//
// Filled where one may wait (the thread that asks MUNGE), read in the loop; it has a lock of its own.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace rollcall::mbatchd {

class UserGroups {
 public:
  // Looks them up, unless that was done within five minutes.
  void find(const std::string& user, gid_t primary);
  // What was found; none where nobody looked.
  std::vector<std::string> of(const std::string& user) const;

 private:
  struct Found {
    std::vector<std::string> names;
    std::chrono::steady_clock::time_point at;
  };
  mutable std::mutex mutex_;
  std::map<std::string, Found> found_;
};

}  // namespace rollcall::mbatchd
