// LogPlace: the directory in which the elims of this account may write their logs. Functions that look at the file system.
//
// LSF's convention is $LSF_LOGDIR/elim.NAME.log; but LSF_LOGDIR may be root's, or missing on this host. LIM names the
// directories that may do (elim/lim/elim_logs.hpp); MELIM, which has the account of the elims, takes the first it can write.
#pragma once

#include <string>
#include <vector>

namespace rollcall::melim {

// The first of `directories` that this process may write; one that is missing is made. Else `own`, made where it is
// missing, and taken only where nobody else may write it: it is below /tmp. "": none of them.
std::string writable_log_directory(const std::vector<std::string>& directories, const std::string& own);

// At the end: removes `own` with the logs in it, which nobody keeps in order below /tmp. Nothing happens where it is a link or where
// others may write it. Directories that an elim has made in it stay, and so does `own` then.
void remove_private_directory(const std::string& own);

}  // namespace rollcall::melim
