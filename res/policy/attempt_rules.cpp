// Reads the rules for a job's life from its order, and prints effects as lines.
#include "common/base/exit_status.hpp"
#include "res/policy/job_life.hpp"

namespace rollcall::res {

AttemptRules attempt_rules(const wire::JobOrder& order) {
  AttemptRules rules;
  rules.first_host = order.has_start();
  rules.limits = order.has_start() ? order.start().limits() : order.expect().limits();
  rules.memory_of_job = order.enforcement().memory_of_job();
  rules.cpu_of_job = order.enforcement().cpu_of_job();
  rules.stop_signal = order.stop_signal();
  if (order.settings().terminate_interval_ms() != 0)
    rules.terminate_interval = std::chrono::milliseconds(order.settings().terminate_interval_ms());
  if (!order.has_start()) {
    rules.polite_stop = true;
    return rules;
  }
  const auto& start = order.start();
  const auto& asked = start.submission();
  using Transfer = wire::FileTransfer;
  for (const auto& transfer : asked.transfers()) {
    if (transfer.direction() == Transfer::TO_HOST || transfer.direction() == Transfer::BOTH)
      rules.pre_exec = true;
    if (transfer.direction() != Transfer::TO_HOST) rules.copies_back = true;
  }
  if (!start.from_cluster().empty()) {
    if (!asked.input_file().empty() && !asked.has_spooled_input()) rules.pre_exec = true;
    if (!asked.output_file().empty() || !asked.error_file().empty())
      rules.copies_back = rules.returns_output = true;
  }
  if (!start.queue_pre_exec().empty() || !asked.pre_exec().empty() || !order.eexec().empty())
    rules.pre_exec = true;
  rules.post_exec = !start.queue_post_exec().empty() || !asked.post_exec().empty();
  rules.interactive = asked.interactive() != wire::Submission::NONE;
  unsigned slots = 0;
  for (const auto& host : start.hosts()) slots += host.slots();
  rules.polite_stop = rules.interactive || slots > 1;
  rules.controls = start.controls();
  rules.warning_signal = asked.warning_signal();
  rules.warning_before = std::chrono::seconds(asked.warning_seconds());
  if (const auto s = order.settings().pre_exec_seconds(); s != 0)
    rules.pre_patience = std::chrono::seconds(s);
  if (const auto s = order.settings().post_exec_seconds(); s != 0)
    rules.post_patience = std::chrono::seconds(s);
  return rules;
}

namespace {

struct LifeTexts {
  std::string operator()(const effect::RunPreExec&) const { return "run the pre-execution"; }
  std::string operator()(const effect::AwaitClient&) const { return "await the client"; }
  std::string operator()(const effect::StartJob&) const { return "start the job"; }
  std::string operator()(const effect::Signal& e) const { return "signal " + signal_name(e.signo); }
  std::string operator()(const effect::RunControl& e) const { return "run the control " + e.command; }
  std::string operator()(const effect::KillAll&) const { return "kill all"; }
  std::string operator()(const effect::ChangeLimits&) const { return "change limits"; }
  std::string operator()(const effect::RunCopiesBack& e) const {
    return e.output_alone ? "run copies back of the output alone" : "run copies back";
  }
  std::string operator()(const effect::TellRunning&) const { return "tell running"; }
  std::string operator()(const effect::LookForRunning&) const { return "look for running processes"; }
  std::string operator()(const effect::Freeze&) const { return "freeze"; }
  std::string operator()(const effect::Thaw&) const { return "thaw"; }
  std::string operator()(const effect::TellStopped&) const { return "tell stopped"; }
  std::string operator()(const effect::TellResumed&) const { return "tell resumed"; }
  std::string operator()(const effect::TellOver& e) const {
    return "tell over " + std::to_string(e.how) + " " + std::to_string(e.exit_status) + " " +
           std::to_string(e.term_reason);
  }
  std::string operator()(const effect::RunPostExec&) const { return "run the post-execution"; }
  std::string operator()(const effect::TellPostOver& e) const {
    return e.failed ? "tell post failed" : "tell post done";
  }
  std::string operator()(const effect::Finish&) const { return "finish"; }
};

}  // namespace

std::string text(const Effect& effect) { return std::visit(LifeTexts{}, effect); }

}  // namespace rollcall::res
