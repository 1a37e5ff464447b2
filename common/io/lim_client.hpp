// LimClient: sends a question to a LIM and reads its answer.
//
// Blocking, one connection for each question, no state between two. It asks the LIM of this host, then LSF_SERVER_HOSTS, then the
// master candidates, and goes on to the master if a LIM says that it is not the master. The commands know what is asked and how
// answers look.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "common/base/result.hpp"
#include "common/conf/cluster_files.hpp"
#include "common/wire/load.pb.h"

namespace rollcall::io {

// Why there is no answer. Commands treat some kinds in their own way (lsplace's exit status, a caret under a place).
struct ClientError {
  enum class Kind {
    unreachable,  // no LIM answers, or there is no master now
    refused,      // the LIM said no: `refusal` tells why
  };
  Kind kind = Kind::unreachable;
  std::string text;  // one line
  wire::Reply::Refusal refusal;
};

// An answer with its parts joined, or why there is none.
struct Answer {
  wire::Reply reply;
  std::optional<ClientError> error;
};

class LimClient {
 public:
  // How long one host may take to accept, and to send the next part of an answer.
  explicit LimClient(const conf::ClusterFiles& files,
                     std::chrono::milliseconds patience = std::chrono::seconds(5));

  Answer ask_any(const wire::Request& request) const;
  Answer ask_master(const wire::Request& request) const;
  // Asks the LIM of that host only. `host`: official name.
  Answer ask_host(const std::string& host, const wire::Request& request) const;

 private:
  std::vector<std::string> first_hosts() const;
  const conf::ClusterFiles& files_;
  std::chrono::milliseconds patience_;
};

}  // namespace rollcall::io
