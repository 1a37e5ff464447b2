#include "sched/client/session.hpp"

#include "common/io/config_source.hpp"

namespace rollcall::client {

Failure failure_of(io::BatchError error) {
  const auto kind = [&error] {
    switch (error.kind) {
      case io::BatchError::Kind::unreachable:
        return Failure::Kind::unreachable;
      case io::BatchError::Kind::unknown:
        return Failure::Kind::unknown;
      case io::BatchError::Kind::refused:
        return Failure::Kind::refused;
      case io::BatchError::Kind::ours:
        break;
    }
    return Failure::Kind::ours;
  };
  return {kind(), std::move(error.text), std::move(error.refusal)};
}

Result<conf::ClusterFiles> read_configuration() {
  const auto sources = io::real_file_sources();
  auto alone = conf::read_files_to_ask(sources);
  if (alone && (!alone->candidates.empty() || !conf::named_mbd_host(*alone).empty()))
    return std::move(*alone);
  auto checked = conf::read_cluster_files(sources);
  if (checked.files) return std::move(*checked.files);
  const auto& problems = checked.problems.all();
  return configuration_error(problems.empty() ? "cannot read the configuration" : problems.front().line());
}

Result<Session> Session::open(const conf::ClusterFiles& files, Observer observer, int usual_tries) {
  auto mbatchd = io::BatchClient::of(files, observer, usual_tries);
  if (!mbatchd) return mbatchd.error();
  return Session(files, std::move(observer), std::move(*mbatchd));
}

Session::Session(const conf::ClusterFiles& files, Observer observer, io::BatchClient mbatchd)
    : files_(&files), observer_(std::move(observer)), mbatchd_(std::move(mbatchd)) {}

std::optional<Failure> Session::ask(wire::BatchRequest request, const Take& take) {
  auto error = mbatchd_.ask(std::move(request), take);
  if (error) return failure_of(std::move(*error));
  return std::nullopt;
}

Answered<wire::BatchReply> Session::ask(wire::BatchRequest request) {
  auto answer = mbatchd_.ask(std::move(request));
  if (answer.error) return failure_of(std::move(*answer.error));
  return std::move(answer.reply);
}

Answered<Session::Awaited> Session::await(wire::BatchRequest request,
                                          const std::function<bool(wire::BatchReply& part)>& take, int wake) {
  auto result = mbatchd_.await(std::move(request), take, wake);
  if (result.error) return failure_of(std::move(*result.error));
  return result.how;
}

void Session::tell(const std::string& line) const {
  if (observer_) observer_(line);
}

}  // namespace rollcall::client
