// JobMeter: when the job's processes on this host are looked at, what was found, and which of it mbatchd is told.
//
// A job with limits that the shepherd keeps is looked at each second and told of at the usual interval. It reads and adds
// up (res/policy/job_usage.hpp); what a limit means is decided by res/policy/job_life.hpp.
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

  // Something runs: the first look comes soon.
  void begin(TimePoint now);
  void end() { due_.reset(); }
  bool begun() const { return due_.has_value(); }
  std::optional<TimePoint> due() const { return due_; }

  event::Sampled sample(TimePoint now);
  // The kernel has ended processes of the job for its memory.
  bool out_of_memory() const;
  // What was found is told next time, however recently that was.
  void tell_next() { told_.reset(); }
  // Once after each sample that is to be told.
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
