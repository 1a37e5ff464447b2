// remover: the mode of the shepherd program that removes what users have left in the directories of finished jobs.
//
// RES starts one for each user (res/daemon/removals.hpp). It becomes that user first, so it removes only
// what the user could remove, and nothing of others that was moved there. RES removes the empty directories afterwards.
//   shepherd -r UID GID GROUP,GROUP NAME...     groups: "-" where there are none
//   descriptor 3     the folder that the directories NAME are in; u of each is emptied
//   descriptor 1     for each directory where something stays one line: NAME " " ENTRIES " " FIRST; at the end "done"
#pragma once

namespace rollcall::res {

// The words from UID on. Returns the exit status: 0; 1 if it cannot become the user; 2 if a word is missing or malformed.
int run_remover(int folder, int argc, char** argv);

}  // namespace rollcall::res
