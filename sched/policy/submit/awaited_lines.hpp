// AwaitedLines: what bsub -K and -I tell of a job that they wait for: one stepper for each job.
//
// mbatchd sends the job as it is, so several changes may arrive as one: a short job may be over in the first answer. The lines
// come in the same order all the same. Not the last line ("<<Job is finished>>"), which bsub prints itself, and not the reasons
// why a job pends. Owned by bsub. Rules: bsub(1).
//
//   the job         | lines, each once
//   ----------------+-------------------------------------------------------------------------------------------
//   pends           | Waiting for dispatch; the next start is told again
//   has hosts       | Waiting for dispatch, Starting on HOST
//   is suspended    | those, The job was suspended; again after it ran
//   over, was begun | Waiting for dispatch, Starting on HOST
//   over, was not   | Waiting for dispatch
#pragma once

#include <string>
#include <vector>

#include "common/wire/batch.pb.h"

namespace rollcall::sched::submit {

// Why a job pends, a line for each reason: "<<  TEXT: 2 hosts>>". "": none.
std::string reason_lines(const wire::BatchReply::JobView& job);

class AwaitedLines {
 public:
  // In the order in which they are printed.
  std::vector<std::string> told(const wire::BatchReply::Awaited& news);
  // An interactive job whose stream is ready there.
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
