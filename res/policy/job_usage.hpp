// job_usage: what a job has used on one host, from what the kernel says of its processes. A value.
//
// Times of processes that have ended are kept: the kernel adds them to their parents, and in the end to the shepherd, so
// a sum is complete but for children that nobody waited for. Memory is the sum of resident sets (shared pages count for
// each), swap that of address spaces, as LSF shows it unless told otherwise. Where the job has a cgroup that counts them, its
// times and its memory are that cgroup's.
#pragma once

#include <cstdint>
#include <vector>

#include "common/base/job_clock.hpp"
#include "common/wire/job.pb.h"
#include "res/policy/cgroup_numbers.hpp"

namespace rollcall::res {

struct ProcessFacts {
  std::int32_t pid = 0;
  std::int32_t pgid = 0;
  double cpu_user_s = 0, cpu_system_s = 0;  // its own and of the children it has waited for
  std::int64_t memory_kb = 0;
  std::int64_t swap_kb = 0;
  std::int32_t threads = 0;
};

class UsageMeter {
 public:
  // What the job's cgroup counts, where it has one, before each of the two below: it misses nothing, and counts pages that
  // processes share once. `own_*`: the shepherd's own time, which is in it.
  void set_cgroup(const CgroupNumbers& numbers, double own_user_s, double own_system_s);
  // `ended_*`: of everything that the shepherd has waited for.
  void sample(const std::vector<ProcessFacts>& living, double ended_user_s, double ended_system_s,
              std::int64_t at_us);
  // The job is over: times only, and the largest resident set that one process had.
  void finish(double user_s, double system_s, std::int64_t largest_kb, std::int64_t at_us);

  const wire::JobUsage& usage() const { return usage_; }
  double cpu_s() const { return usage_.user_s() + usage_.system_s(); }
  bool sampled() const { return samples_ > 0; }

 private:
  void take_times(double user_s, double system_s);
  void forget_processes();
  CgroupNumbers cgroup_;
  wire::JobUsage usage_;
  std::int64_t samples_ = 0;
  double memory_sum_kb_ = 0;
};

// How often mbatchd is told: every `interval_ms` (0: 15 s), and for a job with several slots `factor` seconds later for each
// (LSF_PAM_RUSAGE_UPD_FACTOR; LSF HPC 7.3, pam).
Duration telling_interval(std::uint32_t interval_ms, double factor, unsigned slots);

}  // namespace rollcall::res
