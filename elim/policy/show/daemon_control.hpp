// DaemonControl: what lsf_daemons knows and says about the daemons of one host. Values and functions; it starts nothing.
//
//   pid file = pid newline ticks " " boot newline      LSF_LOGDIR/NAME.HOST.pid
//   pid      = 1*10 digits                              of the daemon
//   ticks    = 1*20 digits                              when it started, as /proc/PID/stat says it (clock ticks)
//   boot     = 36 of 0-9 a-f "-"                        of the kernel's run, /proc/sys/kernel/random/boot_id
//
// A pid alone names no process: numbers are used again, and a file outlives a boot. All three together do.
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
  // What it has started when it ends. RES's is jobs: they go on, and the next RES finds them.
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
// "" where the daemon belongs on such a host, else why not.
std::string why_not_here(const DaemonKind& kind, const HostRole& role);

struct ProcessMark {
  int pid = 0;
  std::uint64_t ticks = 0;
  std::string boot;
  friend bool operator==(const ProcessMark&, const ProcessMark&) = default;
};
std::string pid_file_text(const ProcessMark& mark);
Result<ProcessMark> parse_pid_file(std::string_view text, const std::string& path);
// The LSF_ENVDIR that a daemon was started with, from its /proc/PID/cmdline (words that end in NUL): the word after -d; "" where
// there is none. A daemon belongs to the configuration in that directory, whatever pid file names it.
std::string started_with_directory(std::string_view cmdline);
// 16 hexadecimal digits for a path: what a directory in /tmp is called by, so that each configuration has its own.
std::string path_mark(std::string_view path);
// The host in the name of a pid file of this kind, NAME.HOST.pid; "" where it is another file.
std::string host_of_pid_file(const DaemonKind& kind, std::string_view file);

// What was seen of one daemon.
struct DaemonSight {
  enum class Port {
    closed,    // nobody listens
    ours,      // who answers proved that it holds the cluster's key
    stranger,  // somebody answers, and did not
    mute,      // somebody took the call and said nothing in time
    unasked,   // there is no key to ask with
  };
  int pid = 0;        // the process that the pid file means, alive; 0: there is none
  std::string since;  // of that process, for people
  int stale_pid = 0;  // the pid file is there, and its process is gone; 0: not so
  Port port = Port::unasked;
  int port_number = 0;
  std::string older_name;  // what the host was called when the process was started; "": as now
};

struct Verdict {
  enum class State {
    running,
    ailing,  // neither: a dead one's pid file, a stranger on its port, a process that does not answer
    stopped,
  } state = State::stopped;
  std::string line;
};
Verdict judge(const DaemonKind& kind, const DaemonSight& sight);

// Exit status of `status` for all of them: 0 all run, 3 none runs, 1 anything else (the init scripts' convention).
int status_code(const std::vector<Verdict>& verdicts);

// What a daemon gets of the environment of whoever starts it: words of a short list, and for root a fixed PATH; then
// LSF_ENVDIR, ROLLCALL_READY_FD and ROLLCALL_PID_FILE. What a user has set for himself shall not reach programs that run
// for all.
struct DaemonWords {
  std::string env_dir;
  std::string pid_file;  // the daemon empties it when it ends as it was told
  int ready_descriptor = -1;
  std::string starter = {};  // lsf_daemons itself, to start neighbours that died again; "": none is to
};
std::vector<std::string> daemon_environment(const std::vector<std::string>& words, bool root,
                                            const DaemonWords& ours);

// The last line with anything in it, without what cannot be printed, 300 bytes at the most; "" where there is none.
std::string last_line(std::string_view log);

// Who may write a file or directory that decides what root starts.
struct Ownership {
  std::uint32_t owner = 0;
  std::uint32_t group = 0;
  std::uint32_t mode = 0;  // permission bits and the sticky one
  bool directory = false;
};
// "" where `user` may start what this file or directory names, else why not. Root starts nothing that others may change;
// everybody else only harms himself.
std::string unsafe_for(std::uint32_t user, const Ownership& file);

}  // namespace rollcall::elim::show
