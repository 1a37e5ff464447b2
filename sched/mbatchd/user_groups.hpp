// UserGroups: a cache of the operating system's names of users and of the groups that they are in: a directory service is slow, and
// every command asks.
//
// A thread beside the loop fills it, since that may wait; the loop reads it. Its lock is not held while the system is asked.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace rollcall::mbatchd {

class UserGroups {
 public:
  using Steady = std::chrono::steady_clock;
  struct System {
    std::function<std::string(uid_t)> name;  // "": no such user
    std::function<std::vector<std::string>(const std::string& user, gid_t primary)> groups;
    std::function<Steady::time_point()> now;
  };
  UserGroups();  // the system itself
  explicit UserGroups(System system) : system_(std::move(system)) {}

  // The user's name, asked for unless that was done within a minute; "" where there is none, which is not kept.
  std::string name(uid_t uid);
  // Looks the groups up, unless that was done within five minutes.
  void find(const std::string& user, gid_t primary);
  // The groups that were found; none: they were not looked up.
  std::vector<std::string> of(const std::string& user) const;

 private:
  struct Name {
    std::string text;
    Steady::time_point at;
  };
  struct Found {
    std::vector<std::string> names;
    Steady::time_point at;
  };
  System system_;
  mutable std::mutex mutex_;
  std::map<uid_t, Name> names_;
  std::map<std::string, Found> found_;
};

}  // namespace rollcall::mbatchd
