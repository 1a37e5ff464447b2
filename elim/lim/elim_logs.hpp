// ElimLogs: the log directories of MELIM and the elims, where LIM runs as root and they run as the administrator.
//
//   LSF_LOGDIR                      | MELIM's log           | $LSF_LOGDIR of the elims
//   --------------------------------+-----------------------+------------------------------------------
//   the account may write it        | LSF_LOGDIR/melim.log  | as in lsf.conf
//   missing                         | made for the account  | as in lsf.conf
//   only root may write it          | made for the account  | LSF_LOGDIR/elims.HOST, made for the account
//   anything else, or not set       | beside the elims'     | /tmp/rollcall-elims-UID-PORT, made by MELIM
//
// LIM makes what is in the second and third row; MELIM takes the first directory that it can write. docs/decisions/0071.
#pragma once

#include <string>
#include <vector>

#include "common/base/result.hpp"
#include "common/io/spawn.hpp"

namespace rollcall::lim {

// LSF_LOGDIR and the elims' own directory in it; none where LSF_LOGDIR is not set.
std::vector<std::string> elim_log_directories(const std::string& log_dir, const std::string& host);

// Run as root. Does nothing where the account can write already, or where others than root could change LSF_LOGDIR.
Result<void> make_elim_logs(const std::string& log_dir, const std::string& host,
                            const io::SpawnIdentity& account);

}  // namespace rollcall::lim
