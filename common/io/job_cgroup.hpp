// JobCgroup: one version 2 cgroup for a job's tasks on this host, below our own. It makes it possible to end every process that
// the tasks start, even if none of their starters is left.
//
// Where none can be made (no version 2 mount, a directory that is not ours, a kernel without cgroup.kill) it says why, and
// everything works without. No controller is enabled in it, so limits and accounting stay those of the cgroup above. The end of a
// single task is handled elsewhere, since its neighbours are in the same cgroup: docs/decisions/0012.
//
//   OWN/rollcall-PORT-HASH     OWN: our own cgroup; PORT, HASH: the job (pam's port and addresses) among the processes that we
//                              can see (our PID namespace): who cannot see each other cannot look after each other's tasks
//
// A flock on the directory means that the job is looked after. Every TaskStarter of the job holds a shared one, both its
// processes through one open file, the task none. So whoever gets the exclusive lock knows that no TaskStarter of the job is left
// here, whatever pids say. The first one's keeper waits for it (taskstarter/cgroup_keeper.hpp).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/io/descriptor.hpp"

namespace rollcall::io {

// The name is the same for all TaskStarters of one job in one PID namespace. It is made of pam's addresses and port as they know
// them.
std::string job_cgroup_name(const std::vector<std::string>& addresses, std::uint16_t port);

class JobCgroup {
 public:
  // Makes it if it does not exist, and holds it.
  static JobCgroup enter(const std::string& job);
  static JobCgroup none(std::string why);

  explicit operator bool() const { return static_cast<bool>(directory_); }
  int fd() const { return directory_.get(); }  // for SpawnPlan::cgroup
  // Why there is none, as one line; "" where there is one.
  const std::string& why_none() const { return why_none_; }
  // True if this is the job's first TaskStarter here: a keeper is needed.
  bool first_of_job() const { return first_of_job_; }
  const std::string& path() const { return path_; }

  // Kills processes in it that have no TaskStarter above them any more; others stay.
  void end_orphans() const;

 private:
  std::string path_;
  Descriptor directory_;
  std::string why_none_;
  bool first_of_job_ = false;
};

// A handle of its own on a job's cgroup, not held; empty where there is none.
Descriptor open_job_cgroup(const std::string& path);
// Waits until the cgroup is no longer held, kills everything in it, even if it changed its user, and removes it.
void end_job_cgroup(const Descriptor& directory, const std::string& path);

// Ends and removes the cgroups of all jobs that are not held, because their keepers were killed as well.
void end_abandoned_jobs();

}  // namespace rollcall::io
