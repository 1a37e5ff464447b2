// ResClient: requests to the RES of one host: run a task, read a running job's output, stop. Blocking.
//
// Each request has a connection of its own, without retries; its caller may retry. Each names the host that it is meant for, so
// that the RES of another host, reached by a wrong name or address, refuses it.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/conf/batch_settings.hpp"
#include "common/conf/cluster_files.hpp"
#include "common/io/daemon_client.hpp"
#include "common/wire/res.pb.h"

namespace rollcall::io {

struct ResError {
  enum class Kind {
    refused,      // RES said no
    not_running,  // the host answers, and no RES is there
    unreachable,  // the host does not answer, or the connection broke
  };
  Kind kind = Kind::unreachable;
  std::string text;  // one line that names the host
  bool not_allowed = false;
  bool no_job = false;
  // RES is overloaded, or the connection broke. A task may be asked for again: it starts only when a client opens its stream.
  bool again = false;
};
[[noreturn]] inline void throw_exception_from_error(const ResError& error, const boost::source_location&) {
  throw std::runtime_error(error.text);
}
template <class T>
using FromRes = boost::system::result<T, ResError>;

// Decodes RES's bytes: an answer, or the refusal as an error. Pure.
FromRes<wire::FromResToClient> res_answer_of(const std::string& host, std::string_view payload);

struct ResProtocol {
  using Out = wire::ToResFromClient;
  using In = wire::FromResToClient;
  static constexpr bool kMustProve = true;
  static void introduce(Out& message, const std::string& credential) { message.set_munge(credential); }
  // Environments may be large.
  static std::optional<std::string> divisible(const Out& message) {
    if (!message.has_task()) return std::nullopt;
    return message.task().SerializeAsString();
  }
  static bool is_answer(const In&) { return true; }
};

class ResClient {
 public:
  ResClient(const conf::ClusterFiles& files, const conf::BatchSettings& settings,
            std::chrono::milliseconds patience = std::chrono::seconds(15))
      : files_(files), settings_(settings), patience_(patience) {}

  // Where to open the task's stream; the task starts then.
  FromRes<wire::StreamPlace> run_task(const std::string& host, const wire::RunTask& task) const;
  // The same on a host of another cluster, or of ours, for a job whose key makes the ticket (job_key.hpp): at the first of these numeric
  // addresses that answers, which becomes the stream's host.
  struct SpanHost {
    std::string host;  // its name in its own cluster
    std::vector<std::string> addresses;
    int port = 0;
    std::optional<Ticket> ticket;  // none: the job's hosts here start no task there
  };
  FromRes<wire::StreamPlace> run_task(const SpanHost& host, const wire::RunTask& task) const;
  // Hands over the bytes as they come. With `follow` until the job has ended, without a time limit. `take` false: stop.
  FromRes<void> peek(const std::string& host, const wire::Peek& peek,
                     const std::function<bool(const std::string&)>& take) const;
  // RES's word to it.
  FromRes<std::string> control(const std::string& host, const wire::ControlRes& control) const;
  // Restarts it, and waits, 5 s at most, until it answers, so that the next order reaches the new RES.
  FromRes<void> restart(const std::string& host) const;

 private:
  using Client = DaemonClient<ResProtocol>;
  FromRes<Client> open(const std::string& host) const;
  FromRes<wire::StreamPlace> ask_for_task(Client& client, const std::string& host,
                                          const wire::RunTask& task) const;
  FromRes<void> send(Client& client, const std::string& host, wire::ToResFromClient message) const;
  FromRes<wire::FromResToClient> receive(Client& client, const std::string& host, bool patiently) const;

  const conf::ClusterFiles& files_;
  const conf::BatchSettings& settings_;
  std::chrono::milliseconds patience_;
};

}  // namespace rollcall::io
