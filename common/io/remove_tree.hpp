// remove_tree: removes a directory with all that is in it, however deep it is. Functions.
//
// One directory is open at a time, and levels are kept in memory, so neither descriptors nor the stack bound the depth. Symbolic
// links are removed, not followed; what is mounted below stays. A directory of our own without the permissions that this needs
// gets them. Whoever moves directories meanwhile leads it nowhere else: each way back up is checked, and a wrong one ends the work.
#pragma once

#include <cstdint>
#include <string>

namespace rollcall::io {

// Entries that could not be removed. The walk stops after 1,000 of them, so more may remain.
struct TreeLeft {
  std::uint64_t entries = 0;
  std::string first;  // "PATH BELOW: REASON", PATH cut to its last part where it is long
};

// Everything in an open directory.
TreeLeft empty_directory(int directory);

// What is called so, with all that is in it. False where something stays.
bool remove_tree_at(int directory, const std::string& name);

}  // namespace rollcall::io
