// What is really started: the user's command with TaskStarter put before the job, or with TaskStarter's
// callback in the wrapper's environment. Functions of values.
//
// Nothing is looked up here: paths, hosts and port are the caller's. Whatever word we did not put in stays as
// it was, byte for byte and in its order.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "common/base/result.hpp"
#include "pam/policy/options.hpp"

namespace rollcall::pam {

// How a TaskStarter finds its way back to this pam.
struct Callback {
  std::string starter_path;  // absolute
  std::string hosts;         // names and addresses, comma between them: "n1,10.77.0.1"
  std::uint16_t port = 0;
  std::string env_dir;     // LSF_ENVDIR, where lsf.conf is
  std::string server_dir;  // LSF_SERVERDIR
  std::string host_type;   // HOSTTYPE
  std::string key_file;    // "" where a TaskStarter finds it without asking the name services
  bool one_word = false;   // ROLLCALL_ONE_WORD_CALLBACK
  std::string relay = {};  // the name of the relay that TaskStarters start on their host, "": they start none
};

// {STARTER, "-p", "HOST:PORT", "-c", ENVDIR, "-s", SERVERDIR, "-a", HOSTTYPE, "-k", KEYFILE, "-r", RELAY}; what is empty is left out with
// its letter. With one_word {STARTER, the same as common/base/callback_word.hpp joins them}.
std::vector<std::string> callback_words(const Callback& callback);

// What the caller found out about the launcher's word.
struct LauncherFacts {
  std::string resolved;  // its real file name after symbolic links, "" where unknown (see launcher_table)
  std::string default_wrapper;  // BINDIR/default_pjl_wrapper, for a bare job
  // Hydra would reach other hosts by a blaunch that is not there, and wait for ever: LSF's LSB_MCPU_HOSTS and LSF_BINDIR
  // are set, LSF_BINDIR has no blaunch, and no variable chooses another way.
  bool hydra_lacks_blaunch = false;
};

struct LaunchPlan {
  std::vector<std::string> argv;  // argv[0] is looked up in PATH as a shell does
  std::vector<std::pair<std::string, std::string>> environment;  // set in the launcher's environment
  std::string note;                                              // why, where it is not one of Method 2's
  std::size_t inserted = 0;                                      // how many words of argv are ours
};

// Method 1 and -mpi: the callback words before the job word (each application's). Method 2: nothing inserted;
// LSF_TS and LSF_TS_OPTIONS in the environment. A Hydra that is started directly and lacks blaunch has HYDRA_LAUNCHER=ssh
// there; its own -launcher wins over that. A bare job: Method 2 with facts.default_wrapper.
// Usage errors: those of find_job; a blank or a wildcard in a path or directory that LSF_TS_OPTIONS would
// have to carry (an unquoted expansion in a wrapper would take it apart).
Result<LaunchPlan> rewrite(const Options& options, const Callback& callback, const LauncherFacts& facts);

// The user's own command, one blank between the words: the "Job  ..." line of the closing table.
std::string command_text(const Options& options);

// What pam --dry-run prints: first the additions to the environment as assignments, one per line (LSF_TS=...,
// then LSF_TS_OPTIONS='...'), then one word of argv per line, all quoted for a shell. A line that begins with
// an unquoted NAME= is an assignment; a word that looks like one is in quotes. A newline inside a word stays
// inside its quotes. In bash:  eval "words=( $(pam --dry-run ...) )"
std::string dry_run_text(const LaunchPlan& plan);

}  // namespace rollcall::pam
