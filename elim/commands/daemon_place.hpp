// DaemonPlace: where the files of one host's daemons are, by the cluster's files: program, log, pid file.
//
//   program    LSF_SERVERDIR/NAME; for lim else the one beside the command
//   log        LSF_LOGDIR/NAME.log.HOST
//   pid file   ROLLCALL_RUNDIR, else LSF_LOGDIR: /NAME.HOST.pid
//
// What is not set or cannot be written is in /tmp/rollcall-UID-MARK instead, a directory of the user's own; MARK stands for
// LSF_ENVDIR, so no two configurations of one host share it, and a new port in lsf.conf changes nothing. Two configurations may
// name the same LSF_LOGDIR: a pid file whose process was started with another LSF_ENVDIR is left to that one. HOST is what
// gethostname says. It reads and makes files; it starts nothing.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "common/base/result.hpp"
#include "common/conf/cluster_files.hpp"
#include "common/io/descriptor.hpp"
#include "elim/policy/show/daemon_control.hpp"

namespace rollcall::elim {

class DaemonPlace {
 public:
  explicit DaemonPlace(conf::LoadSettings settings);

  const conf::LoadSettings& settings() const { return settings_; }

  // An error where root is to believe files that others may write.
  Result<void> check_trust() const;

  Result<std::string> program(const show::DaemonKind& kind) const;
  // There is such a program, whether it may be believed or not: without one this host has no part in the batch system.
  bool has_program(const show::DaemonKind& kind) const;

  struct OpenLog {
    io::Descriptor fd;
    std::string path;
    std::size_t size = 0;  // bytes before this start
  };
  // Makes LSF_LOGDIR where it is missing. One line that says where the logs are, and why, where they are not there; else "".
  std::string prepare_logs() const;
  // Ready to be appended to. A log that is a link or another user's is not touched; the next place is taken.
  Result<OpenLog> open_log(const show::DaemonKind& kind) const;

  // Where the pid file is, or is to be made: that of a process that lives and belongs to this configuration before others. A daemon that lives here under a pid file of another HOST was started before the
  // host was renamed: then it is that file, and `older_name` that HOST.
  struct PidPlace {
    std::string path;
    std::string older_name = {};
  };
  PidPlace find_pid_file(const show::DaemonKind& kind) const;
  std::string pid_file(const show::DaemonKind& kind) const { return find_pid_file(kind).path; }
  // Makes the directory of /tmp where that is to hold it.
  Result<void> prepare_pid_file(const show::DaemonKind& kind) const;

 private:
  std::vector<std::string> program_directories(const show::DaemonKind& kind) const;
  std::string own_directory() const;
  std::vector<std::string> pid_directories() const;
  bool is_ours(const std::optional<show::ProcessMark>& mark) const;
  std::string pid_file_by_name(const show::DaemonKind& kind) const;
  std::optional<PidPlace> older_pid_file(const show::DaemonKind& kind) const;
  Result<void> make_own_directory() const;

  conf::LoadSettings settings_;
  std::string host_;
};

// The bytes of a log behind the first `from`, 64 KiB at the most, from its end.
std::string log_since(const std::string& path, std::size_t from);

// The one pid file of a daemon, locked: two lsf_daemons never work on the same daemon at once. The lock is on a file beside it,
// PIDFILE.lock-UID, that its user alone can open; it goes with the pid file.
class PidFile {
 public:
  // make: where there is none, an empty one is made; else nothing is given. Errors: somebody holds the lock for longer than
  // `patience`, it is a link, or it belongs to somebody whom we must not believe.
  static Result<std::optional<PidFile>> lock(const std::string& path, bool make,
                                             std::chrono::milliseconds patience);

  std::optional<show::ProcessMark> mark() const;
  Result<void> write(const show::ProcessMark& mark);
  void remove();
  const std::string& path() const { return path_; }

 private:
  PidFile(io::Descriptor fd, io::Descriptor lock, std::string path)
      : fd_(std::move(fd)), lock_(std::move(lock)), path_(std::move(path)) {}
  io::Descriptor fd_, lock_;
  std::string path_;
};

// The same without a lock, for who only looks. Nothing where there is none or it makes no sense.
std::optional<show::ProcessMark> read_pid_file(const std::string& path);

}  // namespace rollcall::elim
