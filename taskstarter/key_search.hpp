// What lsf.conf and the environment tell a TaskStarter: which key file is ours on this host, and whether jobs have cgroups.
#pragma once

#include <string>

#include "common/base/result.hpp"
#include "common/io/secure_channel.hpp"

namespace rollcall::taskstarter {

// ROLLCALL_KEY_FILE of the environment, else of CONFDIR/lsf.conf (where there is one), else HOME/.rollcall/key. A launcher
// may have dropped HOME: then the user's home directory is looked up. The error names the file.
Result<io::Key> find_key(const std::string& conf_dir);

// Unless ROLLCALL_TASK_CGROUPS of the environment, else of CONFDIR/lsf.conf, is "N": docs/decisions/0012.
bool job_cgroups_wanted(const std::string& conf_dir);

}  // namespace rollcall::taskstarter
