// LogPlace: the directory for the logs of this account's elims. Functions that use the file system.
//
// LSF's convention is $LSF_LOGDIR/elim.NAME.log; but LSF_LOGDIR may be root's, or missing on this host. LIM names the candidates
// (elim/lim/elim_logs.hpp); MELIM, which has the account of the elims, takes the first that it can write.
#pragma once

#include <string>
#include <vector>

namespace rollcall::melim {

// The first of `directories` that this process can write; a missing one is made. Else `own`, which is below /tmp: made where it
// is missing, and used only where no other user may write it. "": none of them.
std::string writable_log_directory(const std::vector<std::string>& directories, const std::string& own);

// At the end: removes `own` with its logs, since logs below /tmp are not rotated. Does nothing where it is a link or writable by
// others. Directories that an elim has made in it stay, and so does `own` then.
void remove_private_directory(const std::string& own);

}  // namespace rollcall::melim
