// remove_tree: removes a directory with its contents, to any depth. Functions.
//
// One directory is open at a time, and levels are kept in memory, so neither descriptors nor the stack bound the depth. Symbolic
// links are removed, not followed; mount points stay. Our own directories get the permissions needed. Directories moved meanwhile
// lead nowhere else: each way back up is checked, and a mismatch ends the work.
#pragma once

#include <cstdint>
#include <string>

namespace rollcall::io {

// Entries that could not be removed. The walk stops after 1,000 of them, so more may remain.
struct TreeLeft {
  std::uint64_t entries = 0;
  std::string first;  // "PATH BELOW: REASON", PATH cut to its last part where it is long
};

// Removes everything in an open directory.
TreeLeft empty_directory(int directory);

// Removes a name with everything below it. False where something stays.
bool remove_tree_at(int directory, const std::string& name);

}  // namespace rollcall::io
