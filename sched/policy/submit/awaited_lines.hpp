// AwaitedLines: the lines that bsub -K and -I print about the job that they wait for. A stepper, one for each job.
//
// mbatchd sends the job's present state, so several changes may arrive as one: a short job may be over in the first answer. The
// lines have the same order nevertheless. bsub itself prints the last line ("<<Job is finished>>"), and on a terminal
// killed_line() and pending reasons. Owned by
// bsub. Rules: bsub(1).
//
//   the job         | lines, each once
//   ----------------+-------------------------------------------------------------------------------------------
//   pends           | Waiting for dispatch; a later start gives its line again
//   has hosts       | Waiting for dispatch, Starting on HOST
//   is suspended    | both, then The job was suspended; again after it ran
//   over, had begun | Waiting for dispatch, Starting on HOST
//   over, had not   | Waiting for dispatch
#pragma once

#include <string>
#include <vector>

#include "common/wire/batch.pb.h"

namespace rollcall::sched::submit {

// Why a job pends, a line for each reason: "<<  TEXT: 2 hosts>>". "": none.
std::string reason_lines(const wire::BatchReply::JobView& job);

// LSF's line of a job that is over since bkill ended it: "<< Job <7> has been terminated by user or administrator >>". "": it did not, or
// the job is not over.
std::string killed_line(const wire::BatchReply::Awaited& news);

class AwaitedLines {
 public:
  // The new lines, in order.
  std::vector<std::string> told(const wire::BatchReply::Awaited& news);
  // The new lines when the stream of an interactive job is ready on `host`.
  std::vector<std::string> ready_on(const std::string& host);

 private:
  void wait(std::vector<std::string>& lines);
  void start(std::vector<std::string>& lines, const std::string& host);
  void suspend(std::vector<std::string>& lines, const char* by);

  bool waiting_told_ = false;
  bool started_told_ = false;
  bool suspended_told_ = false;
};

}  // namespace rollcall::sched::submit
