// await_job: what bsub -K and -I do once the job is submitted: they tell how far it is, and wait.
//
// What is told goes to standard error; on a terminal also why the job still waits, in words to act on; elsewhere the first of
// these reasons, once, after ten seconds. Rules: bsub(1).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/io/batch_client.hpp"
#include "sched/policy/submit/awaited_lines.hpp"

namespace rollcall::sched {

struct AwaitedJob {
  bool told = false;  // mbatchd knows how it ended
  bool killed_pending = false;
  int wait_status = 0;  // the word of wait(2)
  std::string trouble;  // why nothing is known; one line
};

class JobWaiter {
 public:
  // `quiet`: BSUB_QUIET.
  JobWaiter(io::BatchClient& client, wire::JobKey key, bool quiet);

  // Until the job is over. A signal that ends a program ends bsub alone.
  AwaitedJob until_over();
  // Until its host has it ready (then the place), or it is over. A signal that ends a program ends the job.
  std::optional<wire::StreamPlace> until_ready(AwaitedJob& ended);

  void say(const std::string& line) const;
  // LSF_RES_ALIVE_TIMEOUT
  Duration alive_timeout() const { return client_.settings().alive_timeout; }

 private:
  void say(const std::vector<std::string>& lines) const;
  void tell(const wire::BatchReply::Awaited& news);
  void tell_reasons(const wire::BatchReply::JobView& job);
  void kill();
  [[noreturn]] void leave_job(int signal) const;
  wire::BatchRequest question() const;

  io::BatchClient& client_;
  wire::JobKey key_;
  bool quiet_;
  bool terminal_;  // of standard error: only there the reasons are told
  submit::AwaitedLines lines_;
  std::string reasons_told_;
};

// What bsub exits with: the job's exit status; 128+n where a signal ended it; 126 where it never ran.
int exit_code_of(const AwaitedJob& ended);

}  // namespace rollcall::sched
