// cgroup_files: version 2 cgroups as directories: finds our own, lists members, kills and removes. Functions.
//
// The mount is looked for at the usual places, then in mountinfo. A function that cannot act does nothing; callers that need to
// know check afterwards.
#pragma once

#include <sys/types.h>

#include <string>
#include <string_view>
#include <vector>

#include "common/io/descriptor.hpp"

namespace rollcall::io {

// Our cgroup's directory, "" where it cannot be seen.
std::string own_cgroup();
// Without following links; `at`: AT_FDCWD, or an open directory.
Descriptor open_cgroup(int at, const char* name);

// Members of the cgroup and of all below it.
void kill_cgroup(int directory);
bool cgroup_is_populated(int directory);
// Waits a moment at most: killed processes are gone by then, unless the kernel holds them.
void wait_for_empty_cgroup(int directory);
// Removes it with the cgroups below it. It must be empty.
void remove_cgroup(const std::string& path);

std::vector<pid_t> cgroup_members(int directory);  // sorted
std::vector<std::string> cgroups_below(int directory);

// A file of a cgroup: "" where there is none.
std::string read_cgroup_file(int directory, const char* name);
bool write_cgroup_file(int directory, const char* name, std::string_view text);

// "cannot make /sys/fs/cgroup/...: Permission denied", as errno has it.
std::string cgroup_problem(const char* what, const std::string& path);

// True inside a cgroup that RES has made for a job, or below one (cgroup_slots.hpp).
inline constexpr std::string_view kSlotsPrefix = "rollcall-res-";
inline bool in_cgroup_slot(std::string_view path) {
  const auto at = path.find("/" + std::string(kSlotsPrefix));
  return at != path.npos && path.find("/slot-", at) != path.npos;
}

}  // namespace rollcall::io
