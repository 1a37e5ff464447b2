// job_hosts.hpp, where RES runs the jobs.
#include <chrono>
#include <thread>

#include "common/io/res_client.hpp"
#include "sched/client/job_hosts.hpp"

namespace rollcall::client {
namespace {

HostTrouble trouble_of(const io::ResError& error) {
  return {error.kind == io::ResError::Kind::refused, error.text};
}

using Clock = std::chrono::steady_clock;
using Kind = io::ResError::Kind;
constexpr std::chrono::milliseconds kLook{100};
constexpr std::chrono::seconds kAtOnce{1};

// A RES that starts again breaks the connection: the order is repeated.
std::optional<HostTrouble> stop(const io::ResClient& client, const std::string& host) {
  wire::ControlRes control;
  control.set_action(wire::ControlRes::SHUTDOWN);
  const auto began = Clock::now();
  const auto said = client.control(host, control);
  if (said) return std::nullopt;
  if (said.error().kind != Kind::unreachable || Clock::now() - began > kAtOnce)
    return trouble_of(said.error());
  std::this_thread::sleep_for(2 * kLook);
  const auto again = client.control(host, control);
  if (again || again.error().kind == Kind::not_running) return std::nullopt;
  return trouble_of(again.error());
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
  const io::ResClient client(files, settings);
  if (order == DaemonOrder::stop) return stop(client, host);
  if (const auto done = client.restart(host); !done) return trouble_of(done.error());
  return std::nullopt;
}

Forgetting forget_jobs(const conf::ClusterFiles& files, const conf::BatchSettings& settings,
                       const std::string& host, bool sure) {
  wire::ControlRes control;
  control.set_action(wire::ControlRes::FORGET);
  if (sure) control.set_text("yes");
  const auto said = io::ResClient(files, settings).control(host, control);
  if (!said) return {"", trouble_of(said.error())};
  return {*said, std::nullopt};
}

}  // namespace rollcall::client
