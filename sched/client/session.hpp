// Session: one program's conversation with mbatchd: what all functions of this room take. Blocking, for one thread at a time.
//
// It has no output: lines for a person who waits ("mbatchd is not running ... Please wait ...") go to the observer that the program
// gives. It adds no policy to io::BatchClient, which decides what to do while mbatchd is away.
// The program owns the configuration, which must outlive the session.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "common/io/batch_client.hpp"
#include "sched/client/failure.hpp"

namespace rollcall::client {

// Gets one line, without a newline, while the session waits. Called by the thread that waits.
using Observer = std::function<void(const std::string& line)>;

// The configuration for a program that is no command: lsf.conf and, unless it names the masters, the cluster's files. Error: the
// first problem.
Result<conf::ClusterFiles> read_configuration();

class Session {
 public:
  // Until mbatchd answers; kUsualTries: LSB_NTRIES, else 30, a second apart. No connection is made before the first request.
  static constexpr int kUsualTries = io::BatchClient::kUsualTries, kNoLimit = io::BatchClient::kNoLimit;
  // Errors: invalid ports and directories of lsf.conf.
  static Result<Session> open(const conf::ClusterFiles& files, Observer observer,
                              int usual_tries = kUsualTries);

  // Calls `take` with every part of the answer, in sequence.
  using Take = io::BatchClient::Take;
  std::optional<Failure> ask(wire::BatchRequest request, const Take& take);
  // The same with all parts in one.
  Answered<wire::BatchReply> ask(wire::BatchRequest request);

  // As io::BatchClient::await(): without a limit of time, until the last part, `take` says false, or `wake` can be read.
  using Awaited = io::BatchClient::Awaited;
  Answered<Awaited> await(wire::BatchRequest request, const std::function<bool(wire::BatchReply& part)>& take,
                          int wake = -1);

  void tell(const std::string& line) const;
  const conf::ClusterFiles& files() const { return *files_; }
  const conf::BatchSettings& settings() const { return mbatchd_.settings(); }
  // Official name of this host.
  const std::string& from_host() const { return mbatchd_.from_host(); }

 private:
  Session(const conf::ClusterFiles& files, Observer observer, io::BatchClient mbatchd);

  const conf::ClusterFiles* files_;
  Observer observer_;
  io::BatchClient mbatchd_;
};

}  // namespace rollcall::client
