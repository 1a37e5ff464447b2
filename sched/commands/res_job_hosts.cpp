// job_hosts.hpp, where RES runs the jobs.
#include "common/io/res_client.hpp"
#include "sched/commands/job_hosts.hpp"

namespace rollcall::sched {
namespace {

HostTrouble trouble_of(const io::ResError& error) {
  return {error.kind == io::ResError::Kind::refused, error.text};
}

}  // namespace

std::optional<HostTrouble> read_output(const conf::ClusterFiles& files, const conf::BatchSettings& settings,
                                       const wire::JobRecord& job, const OutputPart& part,
                                       const std::function<bool(const std::string&)>& take) {
  wire::Peek peek;
  *peek.mutable_job()->mutable_key() = job.key();
  peek.mutable_job()->set_attempt(job.attempt());
  peek.set_errors(part.errors);
  peek.set_from(part.from);
  peek.set_follow(part.follow);
  const auto seen = io::ResClient(files, settings).peek(job.hosts(0).name(), peek, take);
  if (!seen) return trouble_of(seen.error());
  return std::nullopt;
}

std::optional<HostTrouble> order_daemon(const conf::ClusterFiles& files, const conf::BatchSettings& settings,
                                        const std::string& host, DaemonOrder order) {
  wire::ControlRes control;
  control.set_action(order == DaemonOrder::stop ? wire::ControlRes::SHUTDOWN : wire::ControlRes::RESTART);
  const auto said = io::ResClient(files, settings).control(host, control);
  if (!said) return trouble_of(said.error());
  return std::nullopt;
}

}  // namespace rollcall::sched
