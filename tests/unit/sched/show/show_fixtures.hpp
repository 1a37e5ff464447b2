// A job as the tables' tests know it, in a zone without surprises.
#pragma once

#include "sched/policy/show/show_jobs.hpp"

namespace rollcall::sched::show {

inline constexpr std::int64_t kMay10 = 1652216962;  // Tue May 10 21:09:22 2022 UTC

inline ShowTime shown_at(std::int64_t seconds) { return {wall_seconds(seconds), utc_time}; }

struct Shown {
  JobView view;
  wire::Submission asked;

  wire::JobRecord& job() { return *view.mutable_record(); }
};

inline void add_exec_host(wire::JobRecord& job, const std::string& name, unsigned slots) {
  auto& host = *job.add_hosts();
  host.set_name(name);
  host.set_slots(slots);
}

// Job 24520 of anna, which runs ./testjob.sh on kiln since a second after it was submitted.
inline Shown running_job() {
  Shown shown;
  auto& job = shown.job();
  job.mutable_key()->set_id(24520);
  job.set_submission(7);
  job.set_status(wire::STATUS_RUN);
  job.set_submit_us(kMay10 * 1'000'000);
  job.set_start_us((kMay10 + 1) * 1'000'000);
  job.set_queue("normal");
  job.set_exec_home("/home/annas");
  job.set_exec_cwd("/home/annas");
  add_exec_host(job, "kilenc", 1);
  auto& usage = *job.mutable_usage();
  usage.set_sampled_us((kMay10 + 39) * 1'000'000);
  usage.set_memory_kb(12 * 1024);
  usage.set_max_memory_kb(12 * 1024);
  usage.set_average_memory_kb(10 * 1024);
  usage.set_threads(5);
  usage.add_pgids(313588);
  for (const int pid : {313588, 313589, 313591, 313592}) usage.add_pids(pid);
  auto& asked = shown.asked;
  asked.set_user("annas");
  asked.set_command("./testjob.sh");
  asked.set_project("default");
  asked.set_from_host("kilenc");
  asked.set_cwd("/home/annas");
  asked.set_home("/home/annas");
  asked.set_output_file("/home/annas/output.%J");
  asked.set_error_file("/home/annas/error.%J");
  shown.view.set_combined_resreq("select[type == local] order[r15s:pg]");
  job.set_effective_resreq("select[type == local] order[r15s:pg]");
  return shown;
}

}  // namespace rollcall::sched::show
