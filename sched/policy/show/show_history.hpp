// What bhist prints: of each job the seconds it has spent in each state, with -l all that happened to it; and what
// badmin's hist commands print. Pure.
//
// A JobHistory is made of a job's events in their order: what is common to an array (its JOB_NEW, bmod of the whole) comes
// first and is shared by its elements.
#pragma once

#include <array>
#include <map>
#include <string>
#include <vector>

#include "sched/policy/show/show_text.hpp"
#include "sched/policy/values/gpus.hpp"
#include "sched/policy/values/job.hpp"

namespace rollcall::sched::show {

// In bhist's columns.
enum class SpentIn { pend, psusp, run, ususp, ssusp, unkwn };

struct JobHistory {
  JobKey key;
  wire::Submission asked;
  std::string queue;
  std::vector<wire::JobEvent> events;          // the job's own and those of its array, by time
  wire::JobStatus status = wire::STATUS_NULL;  // the last one
  std::int64_t end_us = 0;                     // 0: it goes on
  std::array<std::int64_t, 6> spent_us{};      // by SpentIn, up to the last event

  // Seconds in each state, the present one up to `now`; then their sum.
  std::array<std::int64_t, 7> seconds(WallTime now) const;
};

class Histories {
 public:
  void add(const wire::JobEvent& event);
  // By key; arrays by their elements, an array whose elements have no event of their own as one.
  std::vector<JobHistory> jobs() const;

 private:
  struct Family {
    std::vector<wire::JobEvent> common;  // index 0
    std::map<std::int32_t, std::vector<wire::JobEvent>> elements;
  };
  std::map<std::int32_t, Family> families_;
};

std::string history_header();
std::string history_row(const JobHistory& job, bool wide, WallTime now);
std::string history_record(const JobHistory& job, WallTime now);  // bhist -json
// bhist -l: begins with a blank line.
std::string history_block(const JobHistory& job, Wrapping wrapping, const ShowTime& time);

// bhist -t: what happened to these jobs, one line after the other by time, each with its job; from and to: 0: no bound.
std::string history_by_time(const std::vector<JobHistory>& jobs, std::int64_t from_us, std::int64_t to_us,
                            Wrapping wrapping, const ShowTime& time);
// bhist -N: the job's processor times at the speed of a CPU factor.
void at_speed(JobHistory& job, double speed);
// bhist -gpu: the devices of its last start; empty where it had none.
JobDevices gpus_of(const JobHistory& job);

// badmin hhist, qhist, hist, mbdhist: one line; "" for an event of a job.
std::string system_line(const wire::JobEvent& event, const ShowTime& time);

}  // namespace rollcall::sched::show
