// What lsf.conf and the environment tell a TaskStarter: which key file is ours on this host, whether jobs have cgroups, and where
// the job's shepherd is.
#pragma once

#include <optional>
#include <string>

#include "common/base/result.hpp"
#include "common/io/secure_channel.hpp"

namespace rollcall::taskstarter {

// Of the environment, else of CONFDIR/lsf.conf where there is one.
struct SiteWords {
  std::optional<std::string> key_file;      // ROLLCALL_KEY_FILE
  std::optional<std::string> task_cgroups;  // ROLLCALL_TASK_CGROUPS
  std::string relay = {};                   // ROLLCALL_RELAY, of the environment alone; "" : there is none
};
// The error names the file, and the line where it has one.
Result<SiteWords> read_site(const std::string& conf_dir);

// That file, else HOME/.rollcall/key. A launcher may have dropped HOME: then the user's home directory is looked up. The
// error names the file.
Result<io::Key> find_key(const Result<SiteWords>& site);

// Which file that was, for the line that says that pam has another key.
std::string key_file_told(const std::string& conf_dir);

// Unless the word is "N": docs/decisions/0012.
bool job_cgroups_wanted(const Result<SiteWords>& site);

}  // namespace rollcall::taskstarter
