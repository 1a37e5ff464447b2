// JobMeter: samples the usage of the job's processes on this host, and decides which samples mbatchd gets.
//
// A job with limits that the shepherd enforces is sampled each second and reported at the usual interval. It reads and adds up
// (res/policy/job_usage.hpp); res/policy/job_life.hpp enforces the limits.
#pragma once

#include <optional>

#include "res/policy/job_life.hpp"
#include "res/policy/job_usage.hpp"

namespace rollcall::res {

class JobMeter {
 public:
  // `cgroup`: the job's, an open directory; -1: it has none.
  JobMeter(const wire::JobOrder& order, const wire::Limits& limits, int cgroup);
  void set(const wire::ToRes::Welcome& settings, TimePoint now);
  void set(const wire::Limits& limits, TimePoint now);

  // A process runs: the first sample comes soon.
  void begin(TimePoint now);
  void end() { due_.reset(); }
  bool begun() const { return due_.has_value(); }
  std::optional<TimePoint> due() const { return due_; }

  event::Sampled sample(TimePoint now);
  // The kernel has ended processes of the job for its memory.
  bool out_of_memory() const;
  // The next sample is reported, however recent the last report is.
  void tell_next() { told_.reset(); }
  // True once after each sample that is to be reported.
  bool take_telling(TimePoint now);

  // The job is over. `own`: something of it has run.
  void finish(bool own, std::int64_t end_us);
  const wire::JobUsage& usage() const { return meter_.usage(); }
  bool sampled() const { return meter_.sampled(); }

 private:
  CgroupNumbers cgroup_numbers_here() const;
  void look_at_cgroup();

  int cgroup_;
  bool has_memory_ = false;                   // its cgroup counts that, too
  CgroupNumbers at_begin_;                    // what the slot had counted before
  double own_user_s_ = 0, own_system_s_ = 0;  // our own time then
  wire::Limits limits_;
  double factor_;
  unsigned slots_ = 0;
  std::uint32_t own_interval_ms_ = 0;  // DJOB_RU_INTERVAL of this job; 0: that of all
  Duration looked_at_{}, told_every_{};
  UsageMeter meter_;
  std::optional<TimePoint> due_, told_;
};

}  // namespace rollcall::res
