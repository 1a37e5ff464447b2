// key_search: what a TaskStarter takes from lsf.conf and the environment: its key file on this host, whether jobs have cgroups, and the
// address of the job's shepherd.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/base/result.hpp"
#include "common/io/secure_channel.hpp"
#include "taskstarter/policy/options.hpp"

namespace rollcall::taskstarter {

// Of the environment, else of CONFDIR/lsf.conf where there is one.
struct SiteWords {
  // Where the key may be, in this order: ROLLCALL_KEY_FILE of the environment alone; else pam's -k, then ROLLCALL_KEY_FILE of
  // lsf.conf. In a job on hosts of several clusters: the job's own, wherever its directory is on this host.
  std::vector<std::string> key_files = {};
  bool homes = false;                       // then HOME/.rollcall/key, and that of the user's home directory
  std::optional<std::string> task_cgroups;  // ROLLCALL_TASK_CGROUPS
  std::string relay = {};                   // ROLLCALL_RELAY, of the environment alone; "" : there is none
};
// The error names the file, and the line where it has one.
Result<SiteWords> read_site(const Options& options);

// In the first of those files that can be read: a script or a launcher may have changed or dropped HOME, and a path that pam
// handed down may be another host's. The error names all of them.
Result<io::Key> find_key(const Result<SiteWords>& site);

// Which file that was, for the line that says that pam has another key.
std::string key_file_told(const Options& options);

// Unless the word is "N": docs/decisions/0012.
bool job_cgroups_wanted(const Result<SiteWords>& site);

}  // namespace rollcall::taskstarter
