// A job as bsub sends it with -J, -o and -R, for benches of mbatchd. The environment is left out: the store has it, the Book
// does not. Owned by nobody: one inline function.
#pragma once

#include <string>

#include "common/wire/job.pb.h"

namespace rollcall::sched {

inline wire::Submission case_job(int number) {
  wire::Submission job;
  job.set_command("./solve --input /home/ann/project/case" + std::to_string(number) + ".in");
  job.set_job_name("case" + std::to_string(number));
  job.set_output_file("/home/ann/project/logs/%J.out");
  job.set_resreq("rusage[mem=2000.00]");
  job.set_cwd("/home/ann/project/2026/a-study-of-something");
  job.set_home("/home/ann");
  job.set_from_host("hostA");
  job.set_from_type("X86_64");
  job.set_umask(022);
  return job;
}

}  // namespace rollcall::sched
