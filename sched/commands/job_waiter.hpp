// JobWaiter: what bsub -K and -I do after the submission: they report the progress of the job, and wait for it.
//
// Reports go to standard error. On a terminal they have every reason for which the job waits, in words to act on, and who ended it;
// elsewhere LSF's own lines alone. Rules: bsub(1).
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "sched/client/await_job.hpp"
#include "sched/commands/ending_signals.hpp"
#include "sched/policy/submit/awaited_lines.hpp"

namespace rollcall::sched {

class JobWaiter {
 public:
  // `quiet`: BSUB_QUIET.
  JobWaiter(client::Session& session, wire::JobKey key, bool quiet);

  // Waits until the job is over. A signal that ends bsub leaves the job.
  client::Answered<client::JobEnd> until_over();
  // Waits until the job's host has it ready (then the place), or it is over. A signal that ends bsub ends the job; one that comes when
  // the place is known is left in `signals`.
  using Ready = std::variant<wire::StreamPlace, client::JobEnd>;
  client::Answered<Ready> until_ready(const EndingSignals& signals);

  const wire::JobKey& key() const { return key_; }
  // As last reported; 0: none was.
  std::uint64_t attempt() const { return attempt_; }

  void say(const std::string& line) const;
  // On a terminal, once: a signal of bsub was passed on to the job, which may go on all the same.
  void tell_passed_on(int signal);
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
  std::uint64_t attempt_ = 0;
  bool quiet_;
  bool terminal_;  // standard error is one: the reasons are printed
  bool signal_told_ = false;
  submit::AwaitedLines lines_;
  std::string reasons_told_;
};

}  // namespace rollcall::sched
