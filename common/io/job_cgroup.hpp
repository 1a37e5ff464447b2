// JobCgroup: one version 2 cgroup for the tasks that a job has on this host, below the one we are in, so that what they
// start can be ended whatever it does, and also when nobody who started it is left.
//
// Where none can be made (no version 2 mount, a directory that is not ours, a kernel without cgroup.kill) there is none,
// and it says why: everything works without. No controller is enabled in it, so limits and accounting stay those of
// the cgroup it is in. One task's end is not its business, since neighbours are in it: docs/decisions/0012 says who ends
// what.
//
//   OWN/rollcall-PORT-HASH     OWN: our own cgroup; PORT, HASH: the job (pam's port and addresses) among the processes that we
//                              can see (our PID namespace): who cannot see each other cannot look after each other's tasks
//
// A flock on the directory says that somebody looks after it. Every TaskStarter of the job holds a shared one, both its
// levels through one open file, the task not at all. So who gets the exclusive one knows that no TaskStarter of the job is
// left here, whatever has become of pids. The first one's keeper waits for it (taskstarter/cgroup_keeper.hpp).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/io/descriptor.hpp"

namespace rollcall::io {

// The same for all TaskStarters of one job in one PID namespace: of pam's addresses and its port, as they are told them.
std::string job_cgroup_name(const std::vector<std::string>& addresses, std::uint16_t port);

class JobCgroup {
 public:
  // Makes it where it is not there, and holds it.
  static JobCgroup enter(const std::string& job);
  static JobCgroup none(std::string why);

  explicit operator bool() const { return static_cast<bool>(directory_); }
  int fd() const { return directory_.get(); }  // for SpawnPlan::cgroup
  // Why there is none, as one line; "" where there is one.
  const std::string& why_none() const { return why_none_; }
  // True where we are the job's first here: it wants a keeper.
  bool first_of_job() const { return first_of_job_; }
  const std::string& path() const { return path_; }

  // Ends what is in it and has no TaskStarter above it any more. Neighbours that are looked after are left alone.
  void end_orphans() const;

 private:
  std::string path_;
  Descriptor directory_;
  std::string why_none_;
  bool first_of_job_ = false;
};

// A handle of its own on a job's cgroup, not held; empty where there is none.
Descriptor open_job_cgroup(const std::string& path);
// Waits until nobody holds the cgroup, kills everything in it, even what belongs to another user by now, and removes it.
void end_job_cgroup(const Descriptor& directory, const std::string& path);

// Ends and removes those of all jobs that nobody holds: their keepers were killed as well.
void end_abandoned_jobs();

}  // namespace rollcall::io
