// TaskCgroup: a version 2 cgroup of a task's own, made below the one we are in, so that what the task starts can be
// ended whatever it does, and also when nobody who started it is left.
//
// Where none can be made (no version 2 mount, a directory that is not ours, a kernel without cgroup.kill) there is none,
// and it says why: everything works without. No controller is enabled in it, so limits and accounting stay those of
// the cgroup it is in. docs/decisions/0012 says who ends what.
//
//   OWN/rollcall-PORT-HASH/PID     OWN: our own cgroup; PORT, HASH: the job (pam's port and addresses);
//                                  PID: the outer TaskStarter
//
// A flock on the directory says that its owner lives: both levels of a TaskStarter hold it through one open file, the
// task does not. So who can take the lock knows that nobody is left to look after the processes in it, whatever has
// become of pids.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/io/descriptor.hpp"

namespace rollcall::io {

// The same for all TaskStarters of one job: of pam's addresses and its port, as they are told them.
std::string job_cgroup_name(const std::vector<std::string>& addresses, std::uint16_t port);

class TaskCgroup {
 public:
  // Makes one for a task of the job, locked.
  static TaskCgroup make(const std::string& job);
  static TaskCgroup none(std::string why);

  explicit operator bool() const { return static_cast<bool>(directory_); }
  int fd() const { return directory_.get(); }  // for SpawnPlan::cgroup
  // Why there is none, as one line; "" where there is one.
  const std::string& why_none() const { return why_none_; }
  // True where it is the job's first here: a good time for end_abandoned_jobs().
  bool first_of_job() const { return first_of_job_; }

  // Kills everything in it, even what belongs to another user by now.
  void kill() const;
  // Kills what is left, and removes the directory. Does nothing where there is none.
  void remove();
  // Ends what is in other cgroups of the job whose owners are gone, and removes them.
  void end_orphans() const;

 private:
  std::string path_;
  std::string job_path_;
  Descriptor directory_;
  std::string why_none_;
  bool first_of_job_ = false;
};

// end_orphans() of every job: nobody may have been left to do it.
void end_abandoned_jobs();

}  // namespace rollcall::io
