// JobDirectories: where RES keeps on disk what it must find again: the jobs of this host, and mbatchd's term.
//
// Owns ROLLCALL_JOBDIR/HOST. What is in a job's directory, res/shepherd/guard.hpp says; who has written what is told there.
//   term                    the largest that was seen, a number
//   ID.INDEX.ATTEMPT/       a job here, from its order until mbatchd has acknowledged its end
//   task.NUMBER/            tasks of no job (lsrun)
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/base/result.hpp"
#include "common/io/descriptor.hpp"
#include "common/wire/res.pb.h"

namespace rollcall::res {

std::string directory_name(const wire::JobAttempt& job);

class JobDirectories {
 public:
  // Makes the folder; one that others may write is refused.
  static Result<JobDirectories> open(const std::string& job_dir, const std::string& host);

  std::uint64_t term() const { return term_; }
  Result<void> set_term(std::uint64_t term);

  std::vector<std::string> names() const;
  // A new directory with its order, both durable. An error where it is there.
  Result<io::Descriptor> create(const std::string& name, const wire::JobOrder& order);
  io::Descriptor open_job(const std::string& name) const;
  void remove(const std::string& name) const;
  std::string path(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
  io::Descriptor directory_;
  std::uint64_t term_ = 0;
};

// What is on disk of one job.
struct KeptJob {
  std::optional<wire::JobOrder> order;  // none: it was not finished, so nothing of the job has started
  std::optional<wire::FromRes::JobOver> over;
  std::optional<wire::FromRes::PostOver> post;
  bool begun = false;
};
KeptJob read_kept(int directory);
// The lock of a job's directory where nobody else holds it.
io::Descriptor lock_job(int directory);
// A connection to its shepherd; none: nobody listens.
io::Descriptor connect_shepherd(int directory);
void keep_over(int directory, const wire::FromRes::JobOver& over);

// /proc/sys/kernel/random/boot_id
std::string boot_id();

}  // namespace rollcall::res
