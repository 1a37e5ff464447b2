// DaemonControl: what lsf_daemons knows and shows about the daemons of one host. Values and functions; it starts none.
//
//   pid file = pid newline "start=" ticks " boot=" boot newline      LSF_LOGDIR/NAME.HOST.pid; older releases: without the names
//   pid      = 1*10 digits                              of the daemon
//   ticks    = 1*20 digits                              when it started, as /proc/PID/stat says it (clock ticks)
//   boot     = 36 of 0-9 a-f "-"                        of the kernel's run, /proc/sys/kernel/random/boot_id
//
// A pid alone identifies no process: pids are used again, and a file outlives a boot. All three together do.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.hpp"

namespace rollcall::elim::show {

// The daemons of a host, in the order of their start.
struct DaemonKind {
  enum class Where { every_host, server_hosts, batch_host };
  // What becomes of its children when it ends. RES's are jobs: they go on, and the next RES finds them.
  enum class Children { end_too, stay };

  std::string name;       // the program in LSF_SERVERDIR; its files are NAME.log.HOST and NAME.HOST.pid
  std::string port_name;  // the parameter of lsf.conf, for messages
  Where where = Where::every_host;
  Children children = Children::end_too;
};
const std::vector<DaemonKind>& daemon_kinds();
const DaemonKind* daemon_kind(std::string_view name);  // null: there is none

// What this host is by the cluster's files.
struct HostRole {
  std::string name;        // official
  bool server = false;     // it takes jobs
  std::string batch_host;  // official, of the cluster's mbatchd
};
// "" where the daemon belongs on such a host, else why it does not.
std::string why_not_here(const DaemonKind& kind, const HostRole& role);

struct ProcessMark {
  int pid = 0;
  std::uint64_t ticks = 0;
  std::string boot;
  friend bool operator==(const ProcessMark&, const ProcessMark&) = default;
};
std::string pid_file_text(const ProcessMark& mark);
Result<ProcessMark> parse_pid_file(std::string_view text, const std::string& path);
// The LSF_ENVDIR of a daemon, from its /proc/PID/cmdline (words that end in NUL): the word after -d, or "". A daemon belongs to
// the configuration in that directory, whichever pid file names it.
std::string started_with_directory(std::string_view cmdline);
// 16 hexadecimal digits for a path: names a directory in /tmp, one for each configuration.
std::string path_mark(std::string_view path);
// The host in the name of a pid file of this kind, NAME.HOST.pid; "" where it is another file.
std::string host_of_pid_file(const DaemonKind& kind, std::string_view file);

// The observed state of one daemon.
struct DaemonSight {
  enum class Port {
    closed,    // nobody listens
    ours,      // a process that proved that it holds the cluster's key
    stranger,  // a process that answered without that proof
    mute,      // a process that accepted and did not answer in time
    unasked,   // there is no key to ask with
  };
  int pid = 0;        // the living process that the pid file names; 0: none
  std::string since;  // start time of that process, for display
  int stale_pid = 0;  // the pid file exists, but its process is gone; 0: not so
  Port port = Port::unasked;
  int port_number = 0;
  std::string older_name;  // this host's name when the process was started; "": unchanged
};

struct Verdict {
  enum class State {
    running,
    ailing,  // neither of the two: a stale pid file, a stranger on its port, a process that does not answer
    stopped,
  } state = State::stopped;
  std::string line;
};
Verdict judge(const DaemonKind& kind, const DaemonSight& sight);

// Exit status of `status` for all of them: 0 all run, 3 none runs, 1 anything else (the init scripts' convention).
int status_code(const std::vector<Verdict>& verdicts);

// The environment that a daemon gets from its starter: words of a short list, and for root a fixed PATH; then LSF_ENVDIR,
// ROLLCALL_READY_FD and ROLLCALL_PID_FILE. A user's own settings must not reach programs that run for all users.
struct DaemonWords {
  std::string env_dir;
  std::string pid_file;  // the daemon empties it when it stops as ordered
  int ready_descriptor = -1;
  std::string starter = {};  // lsf_daemons itself, to restart neighbours that died; "": none is restarted
};
std::vector<std::string> daemon_environment(const std::vector<std::string>& words, bool root,
                                            const DaemonWords& ours);

// The last line that is not blank, without control characters, at most 300 bytes; "" where there is none.
std::string last_line(std::string_view log);

// Owner and mode of a file or directory that decides what root starts.
struct Ownership {
  std::uint32_t owner = 0;
  std::uint32_t group = 0;
  std::uint32_t mode = 0;  // permission bits and the sticky one
  bool directory = false;
};
// "" where `user` may start what this file or directory names, else why not. Root starts only what others cannot change; other
// users are not checked.
std::string unsafe_for(std::uint32_t user, const Ownership& file);

}  // namespace rollcall::elim::show
