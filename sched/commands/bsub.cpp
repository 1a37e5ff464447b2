// bsub: submits a job.
#include <cstdio>

#include "sched/commands/commands.hpp"

namespace rollcall::sched {
namespace {

int run(io::Stage& stage, const std::vector<std::string>& words) {
  if (!words.empty() && words.front() == "-V") return std::fputs((stage.product() + "\n").c_str(), stderr), 0;
  return stage.fail("cannot submit yet. Job not submitted.");
}

}  // namespace

io::Command bsub_command() {
  io::Command command;
  command.shape.name = "bsub";
  command.run_raw = run;
  return command;
}

}  // namespace rollcall::sched
