// removal_steps: the work of Removals' thread, as the user of RES: finds the owner of a directory and removes it when it is empty.
// Functions; they may take long.
//
// A directory of a job holds files of RES's (order, end, post, ...) and u, which is the user's own and may hold anything, also what
// others own. So where u is another user's nothing in it is touched here.
#pragma once

#include <sys/types.h>

#include <map>
#include <string>
#include <vector>

namespace rollcall::res {

// The user as whom directories are emptied.
struct RemovalUser {
  uid_t user = 0;
  gid_t group = 0;
  std::vector<gid_t> groups;
  auto operator<=>(const RemovalUser&) const = default;
};

// A directory that stays, under the name that it has now.
struct LeftDirectory {
  std::string name;   // gone.left.JOB
  uid_t user = 0;     // whose u is
  std::string found;  // what stays in it, for people
};

// The prefix of directories that could not be removed: no RES tries them again.
inline constexpr std::string_view kLeftPrefix = "gone.left.";

struct SortedRemovals {
  std::map<RemovalUser, std::vector<std::string>> of_users;  // to be emptied first
  std::vector<LeftDirectory> left;
};
// Removes the directories whose u is RES's own or does not exist.
SortedRemovals remove_own(int folder, const std::vector<std::string>& names);

// Removes directories whose u is empty by now. `found`: what was said of those that are not, by name. `again`: those are given
// back, since their user's time was over; else they get a name of kLeftPrefix.
struct FinishedRemovals {
  std::vector<std::string> again;
  std::vector<LeftDirectory> left;
};
FinishedRemovals remove_emptied(int folder, const std::vector<std::string>& names,
                                const std::map<std::string, std::string>& found, bool again);

}  // namespace rollcall::res
