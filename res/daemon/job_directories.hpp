// JobDirectories: what RES saves on disk: the jobs of this host, mbatchd's term, and grants of leases.
//
// Owns ROLLCALL_JOBDIR/HOST. res/shepherd/guard.hpp describes a job's directory.
//   term                    the largest that was seen, a number; behind it a line for each lease with the largest grant number
//                           that was seen (res/policy/lease_numbers.hpp). A RES that knows no leases does not start with such lines
//   started                 which jobs may have been started: durable before anything of them is
//   empty                   LSB_AFFINITY_HOSTFILE of all jobs
//   running                 held while a RES has this folder (common/io/running_mark.hpp)
//   ID.INDEX.ATTEMPT/       a job here, from its order until mbatchd has acknowledged its end. The order is the file `prepared`
//                           until the go-ahead comes, and then `order`: a RES that knows no go-aheads removes what is prepared
//   task.NUMBER/            tasks of no job (lsrun)
//   gone.PID.NUMBER/        of one that is over: what is in it is being removed
//   gone.left.JOB/          of one that is over: its user could not remove all that is in it, and an administrator has to
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "common/base/result.hpp"
#include "common/io/descriptor.hpp"
#include "common/wire/res.pb.h"
#include "res/policy/lease_numbers.hpp"

namespace rollcall::res {

std::string directory_name(const wire::JobAttempt& job);

class JobDirectories {
 public:
  // Makes the folder; one that others may write, or that another RES has, is refused.
  static Result<JobDirectories> open(const std::string& job_dir, const std::string& host);

  std::uint64_t term() const { return term_; }
  Result<void> set_term(std::uint64_t term);
  const LeaseNumbers& leases() const { return leases_; }
  Result<void> set_leases(LeaseNumbers leases);
  // As on a new disk: any mbatchd is obeyed, and no start of a lease before it is named.
  Result<void> forget_orders();

  std::vector<std::string> names() const;
  // A new directory with its order. An error where it is there. Not durable: what must be found after the host went down
  // is what may have started, see note_started().
  // With `prepared` nothing of it starts before give_go().
  Result<io::Descriptor> create(const std::string& name, const wire::JobOrder& order, bool prepared = false);
  // Durable when it returns, all of them with one sync: so many jobs cost little more than one. Now and then the file is
  // written anew, with those that are not over alone.
  Result<void> note_started(const std::vector<wire::JobAttempt>& jobs);
  void note_over(const wire::JobAttempt& job);
  // Noted before this run and not over. Those without a directory were lost with their host.
  const std::vector<wire::JobAttempt>& noted_before() const { return noted_; }

  io::Descriptor open_job(const std::string& name) const;
  // Renames the directory; gives its new name, "" if it does not exist. It must then be removed below folder(), which may take
  // long.
  std::string set_aside(const std::string& name);
  // The directories that an earlier RES has not removed.
  std::vector<std::string> set_aside_before() const;
  // The number of directories that an administrator has to remove.
  std::size_t left() const;
  io::Descriptor folder() const;
  // Tells LIM that RES's loop turns: the mark `running`.
  void beat() const;
  std::string path(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
  Result<void> write_term(std::uint64_t term, LeaseNumbers leases);
  Result<void> open_notes();
  Result<void> write_notes();
  bool append_notes(std::string lines);
  std::vector<std::string> entries() const;
  io::Descriptor directory_, notes_, mark_;
  std::vector<wire::JobAttempt> noted_;
  std::set<std::string> open_;  // started and not over, by name
  std::size_t notes_size_ = 0;
  bool cut_off_ = false;  // the last of the notes
  std::uint64_t term_ = 0;
  LeaseNumbers leases_;
  std::uint64_t next_aside_ = 1;
};

// The end of a job, as its guard has saved it.
struct KeptJob {
  std::optional<wire::FromRes::JobOver> over;
  std::optional<wire::FromRes::PostOver> post;
};
// None: it was not finished, so nothing of the job has started. `begun`: a guard has taken it.
std::optional<wire::JobOrder> read_order(int directory, bool& begun);
// The order of a directory that waits for its go-ahead; and the go-ahead.
std::optional<wire::JobOrder> read_prepared(int directory);
Result<void> give_go(int directory);
KeptJob read_kept(int directory);
// The lock of a job's directory; none: another process holds it.
io::Descriptor lock_job(int directory);
// A connection to its shepherd; none: nobody listens.
io::Descriptor connect_shepherd(int directory);
// The job's cgroup where the kernel keeps its limit on memory: the link `cgroup` that its guard has made; "" : it does not.
std::string memory_cgroup(int directory);
void keep_over(int directory, const wire::FromRes::JobOver& over);

// /proc/sys/kernel/random/boot_id
std::string boot_id();

}  // namespace rollcall::res
