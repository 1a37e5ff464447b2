// launch_options: the command lines of blaunch, lsgrun and lsrun. Functions over words; the grammar is at the top of
// launch_options.cpp. Rules: blaunch(1), lsgrun(1), lsrun(1). Errors are usage errors.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.hpp"

namespace rollcall::res {

// How the words are run.
enum class LaunchShell {
  plain,  // joined with blanks, for /bin/sh -c, as rsh does
  login,  // the same for the user's login shell
  none,   // executed as they are
};

struct BlaunchOptions {
  bool help = false, version = false;
  bool no_input = false;           // -n
  std::string host_file;           // -u
  std::vector<std::string> hosts;  // -z
  LaunchShell shell = LaunchShell::plain;
  std::vector<std::string> words;  // with neither -u nor -z the first one may be a host: see take_host()
};
Result<BlaunchOptions> parse_blaunch(const std::vector<std::string>& words);

struct LsgrunOptions {
  bool help = false, version = false;
  bool ask = false;       // -i
  bool no_input = false;  // -n
  bool parallel = false;  // -p
  bool terminal = false;  // -P, -S
  bool verbose = false;   // -v
  std::string host_file;  // -f
  std::string resreq;     // -R
  std::vector<std::string> hosts;
  std::vector<std::string> words;
};
Result<LsgrunOptions> parse_lsgrun(const std::vector<std::string>& words);

struct LsrunOptions {
  bool help = false, version = false;
  bool remote = false;    // -L: through RES even on this host
  bool terminal = false;  // -P, -S
  bool verbose = false;   // -v
  std::string resreq;     // -R
  std::vector<std::string> hosts;
  std::vector<std::string> words;
};
Result<LsrunOptions> parse_lsrun(const std::vector<std::string>& words);

// The hosts in a host file: a name on each line, # begins a comment.
std::vector<std::string> hosts_of_file(std::string_view text);

// The job's id from LSB_JOBID and LSB_JOBINDEX.
struct LaunchJob {
  int id = 0;
  int index = 0;
};
Result<LaunchJob> launch_job(std::string_view job_id, std::string_view job_index);

// The sources that name a job's hosts, as its processes see them; each may be missing.
struct JobHostWords {
  std::string mcpu_hosts;  // LSB_MCPU_HOSTS: HOST SLOTS HOST SLOTS ...
  std::string hosts;       // LSB_HOSTS: HOST HOST ...
  std::string file;        // what LSB_DJOB_HOSTFILE holds: a host on each line
};
// All hosts that any of them names, each once, in that order; none: nothing says it.
std::vector<std::string> hosts_of_job(const JobHostWords& words);
// One word for each slot of the job, in the job's order.
std::vector<std::string> slots_of_job(const JobHostWords& words);
// Without -u and -z: the first word is the host where it is one, else there is a task for each of `slots`.
Result<void> take_host(BlaunchOptions& options, const std::function<bool(const std::string&)>& is_host,
                       const std::vector<std::string>& slots);
// The line for a host that is not one of them, "" where all are. RES decides; this check answers at once, where RES
// would wait for mbatchd to announce the job. Names are official ones.
std::string stranger_among(const std::vector<std::string>& asked, const std::vector<std::string>& of_job,
                           const LaunchJob& job);

}  // namespace rollcall::res
