// show_history: the output of bhist: the seconds that each job has spent in each state, with -l all its events; and the output of
// badmin's hist commands. Pure.
//
// A JobHistory is made from a job's events in order. Elements of an array share the events of the whole array (JOB_NEW, bmod),
// which come first. An end has a time of its own, and may be heard after other states were recorded, such as UNKWN: the job was in none of
// them after its end.
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
  std::int64_t since_us = 0;                   // of that status
  std::int64_t end_us = 0;                     // 0: it has not ended
  std::array<std::int64_t, 6> spent_us{};      // by SpentIn, up to the last event

  // Seconds in each state, the present one up to `now`; then their sum.
  std::array<std::int64_t, 7> seconds(WallTime now) const;
};

class Histories {
 public:
  void add(const wire::JobEvent& event);
  // By key. An array is given as its elements; as one job if no element has an event of its own.
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

// bhist -t: the events of these jobs in the order of time, each with its job. `from_us`, `to_us`: 0: no bound.
std::string history_by_time(const std::vector<JobHistory>& jobs, std::int64_t from_us, std::int64_t to_us,
                            Wrapping wrapping, const ShowTime& time);
// bhist -N: scales the job's CPU times to the speed of a CPU factor.
void at_speed(JobHistory& job, double speed);
// bhist -gpu: the devices of its last start.
JobDevices gpus_of(const JobHistory& job);

// badmin hhist, qhist, hist, mbdhist: one line; "" for an event of a job.
std::string system_line(const wire::JobEvent& event, const ShowTime& time);

}  // namespace rollcall::sched::show
