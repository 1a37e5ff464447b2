#include "res/shepherd/hooks.hpp"

#include <fcntl.h>

#include <algorithm>

#include "common/io/descriptor.hpp"
#include "res/policy/job_environment.hpp"
#include "res/policy/process_plan.hpp"

namespace rollcall::res {

void Hooks::begin(const std::vector<std::string>& commands, int exit_status, After after) {
  left_.clear();
  for (const auto& command : commands)
    if (!command.empty()) left_.push_back(command);
  exit_status_ = exit_status;
  after_ = after;
  worst_ = 0;
  failed_.clear();
  begun_ = true;
  next();
}

void Hooks::next() {
  running_ = -1;
  while (running_ < 0 && !left_.empty() && (worst_ == 0 || after_ == After::failure_goes_on)) {
    auto plan = plan_();
    plan.environment = hook_environment(std::move(plan.environment));
    add_exit_status(plan.environment, exit_status_);
    present_ = left_.front();
    running_ = start(std::move(plan), present_);
    left_.pop_front();
    if (running_ < 0) note(127 << 8);
  }
}

void Hooks::note(int status) {
  if (worst_ != 0 || status == 0) return;
  worst_ = status;
  failed_ = present_;
}

void Hooks::ended(pid_t pid, int status) {
  if (pid != running_) return;
  note(status);
  next();
}

void Hooks::stop() {
  left_.clear();
  running_ = -1;
  begun_ = false;
}

std::optional<int> Hooks::take_result() {
  if (!begun_ || running_ > 0) return std::nullopt;
  begun_ = false;
  return worst_;
}

void Hooks::run_control(const effect::RunControl& control, const std::vector<ProcessFacts>& job) const {
  std::string pids, pgids;
  std::vector<std::int32_t> groups;
  for (const auto& process : job) {
    pids += (pids.empty() ? "" : " ") + std::to_string(process.pid);
    if (std::find(groups.begin(), groups.end(), process.pgid) == groups.end()) groups.push_back(process.pgid);
  }
  for (const auto group : groups) pgids += (pgids.empty() ? "" : " ") + std::to_string(group);
  auto plan = plan_();
  plan.environment = control_environment(std::move(plan.environment));
  set_variable(plan.environment, "LSB_JOBPIDS", pids);
  set_variable(plan.environment, "LSB_JOBPGIDS", pgids);
  if (control.suspend_reasons != 0)
    set_variable(plan.environment, "LSB_SUSP_REASONS", std::to_string(control.suspend_reasons));
  start(std::move(plan), control.command);
}

pid_t Hooks::start(io::SpawnPlan plan, const std::string& command) const {
  const io::Descriptor nowhere(open("/dev/null", O_RDWR | O_CLOEXEC));
  plan.argv = hook_words(command);
  plan.directory = "/tmp";
  plan.descriptors = {{nowhere.get(), 0}, {nowhere.get(), 1}, {nowhere.get(), 2}};
  const auto started = io::spawn(plan);
  const auto* pid = std::get_if<pid_t>(&started);
  return pid == nullptr ? -1 : *pid;
}

}  // namespace rollcall::res
