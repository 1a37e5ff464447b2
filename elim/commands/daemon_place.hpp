// DaemonPlace: where the files of one host's daemons are by the configuration: program, log, pid file.
//
//   program    LSF_SERVERDIR/NAME; for lim else the one beside the command
//   log        LSF_LOGDIR/NAME.log.HOST
//   pid file   ROLLCALL_RUNDIR, else LSF_LOGDIR: /NAME.HOST.pid
//
// A directory that is not set or not writable is replaced by /tmp/rollcall-UID-MARK, the user's own. MARK stands for LSF_ENVDIR,
// so two configurations of one host do not share it, and it does not depend on the port in lsf.conf. If two configurations name
// the same LSF_LOGDIR, a pid file whose process was started with another LSF_ENVDIR belongs to that one. HOST is what gethostname
// says. It reads and makes files; it starts no daemon.
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

  // An error where root would use files that others may write.
  Result<void> check_trust() const;

  Result<std::string> program(const show::DaemonKind& kind) const;
  // True if the program exists, trusted or not. Without one this host has no part in the batch system.
  bool has_program(const show::DaemonKind& kind) const;

  struct OpenLog {
    io::Descriptor fd;
    std::string path;
    std::size_t size = 0;  // bytes before this start
  };
  // Makes LSF_LOGDIR where it is missing. Gives a message where the logs are and why, if they are elsewhere; else "".
  std::string prepare_logs() const;
  // Opens the log for appending. A log that is a link or another user's is not used; the next directory is tried.
  Result<OpenLog> open_log(const show::DaemonKind& kind) const;

  // The path of the pid file, existing or to be made; that of a living process of this configuration comes first. If such a
  // daemon has a pid file with another HOST, this host was renamed after its start: then that file is given, and `older_name` is
  // that HOST.
  struct PidPlace {
    std::string path;
    std::string older_name = {};
  };
  PidPlace find_pid_file(const show::DaemonKind& kind) const;
  std::string pid_file(const show::DaemonKind& kind) const { return find_pid_file(kind).path; }
  // Makes the directory in /tmp if the pid file goes there.
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

// The bytes of a log after the first `from`; at most the last 64 KiB of them.
std::string log_since(const std::string& path, std::size_t from);

// The pid file of a daemon, locked, so that two lsf_daemons never work on the same daemon at once. The lock is on a file beside
// it, PIDFILE.lock-UID, that only its user can open; it is removed with the pid file.
class PidFile {
 public:
  // make: makes an empty one if there is none; else the result is then none. Errors: the lock is held for longer than `patience`,
  // or the file is a link or of an untrusted user.
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

// The mark without a lock, for reading only. None where the file is missing or malformed.
std::optional<show::ProcessMark> read_pid_file(const std::string& path);

}  // namespace rollcall::elim
