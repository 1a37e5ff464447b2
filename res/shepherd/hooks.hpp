// Hooks: what runs before and after a job, one command after the other, and the commands of JOB_CONTROLS beside it.
//
// It knows the pid of the running command; the shepherd reaps it and reports its end here.
#pragma once

#include <sys/types.h>

#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "common/io/spawn.hpp"
#include "res/policy/job_life.hpp"
#include "res/policy/job_usage.hpp"

namespace rollcall::res {

class Hooks {
 public:
  // `plan`: with the job's environment; the command is added here.
  explicit Hooks(std::function<io::SpawnPlan()> plan) : plan_(std::move(plan)) {}

  enum class After { failure_ends, failure_goes_on };
  // Empty commands are skipped. `exit_status`: LSB_JOBEXIT_STAT.
  void begin(const std::vector<std::string>& commands, int exit_status, After after);
  void ended(pid_t pid, int status);
  // Runs no further command, and drops the result of the running one: it is being killed.
  void stop();
  // Once, when all are over: 0, or the first other word of wait(2).
  std::optional<int> take_result();
  const std::string& failed() const { return failed_; }  // the command that gave it; "": none failed

  // Runs it once, with the job's processes in its environment; its result is not reported.
  void run_control(const effect::RunControl& control, const std::vector<ProcessFacts>& job) const;

 private:
  void next();
  void note(int status);
  pid_t start(io::SpawnPlan plan, const std::string& command) const;

  std::function<io::SpawnPlan()> plan_;
  std::deque<std::string> left_;
  std::string present_, failed_;
  After after_ = After::failure_ends;
  pid_t running_ = -1;
  int exit_status_ = 0, worst_ = 0;
  bool begun_ = false;
};

}  // namespace rollcall::res
