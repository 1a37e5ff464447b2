// JobWaiter: what bsub -K and -I do once the job is submitted: they tell how far it is, and wait.
//
// What is told goes to standard error; on a terminal also why the job still waits, in words to act on; elsewhere the first of
// these reasons, once, after ten seconds. Rules: bsub(1).
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "sched/client/await_job.hpp"
#include "sched/policy/submit/awaited_lines.hpp"

namespace rollcall::sched {

class JobWaiter {
 public:
  // `quiet`: BSUB_QUIET.
  JobWaiter(client::Session& session, wire::JobKey key, bool quiet);

  // Until the job is over. A signal that ends a program ends bsub alone.
  client::Answered<client::JobEnd> until_over();
  // Until its host has it ready (then the place), or it is over. A signal that ends a program ends the job.
  using Ready = std::variant<wire::StreamPlace, client::JobEnd>;
  client::Answered<Ready> until_ready();

  void say(const std::string& line) const;
  // LSF_RES_ALIVE_TIMEOUT
  Duration alive_timeout() const { return session_.settings().alive_timeout; }

 private:
  void say(const std::vector<std::string>& lines) const;
  void tell(const wire::BatchReply::Awaited& news);
  void tell_reasons(const wire::BatchReply::JobView& job);
  void kill();
  [[noreturn]] void leave_job(int signal) const;
  client::Waited wait(client::Until until, int wake);

  client::Session& session_;
  wire::JobKey key_;
  bool quiet_;
  bool terminal_;  // of standard error: only there the reasons are told
  submit::AwaitedLines lines_;
  std::string reasons_told_;
};

}  // namespace rollcall::sched
