// LimClient: a question to a LIM and its answer.
//
// Blocking, one connection for each question, nothing is kept between two. It knows whom to ask (the LIM of this host,
// then LSF_SERVER_HOSTS, then the master candidates), and goes on to the master where a LIM says that it is not. What is
// asked and how the answer looks on the terminal is the commands' matter.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "common/base/result.hpp"
#include "common/conf/cluster_files.hpp"
#include "common/wire/load.pb.h"

namespace rollcall::io {

// Why there is no answer. Kinds that a command may treat in its own way (lsplace's exit status, a caret under a place).
struct ClientError {
  enum class Kind {
    unreachable,  // no LIM answers, or there is no master now
    refused,      // the LIM said no: `refusal` tells why
  };
  Kind kind = Kind::unreachable;
  std::string text;  // one line
  wire::Reply::Refusal refusal;
};

// An answer with its parts put together, or why there is none.
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
  // The LIM of that host and no other. `host`: official name.
  Answer ask_host(const std::string& host, const wire::Request& request) const;

 private:
  std::vector<std::string> first_hosts() const;
  const conf::ClusterFiles& files_;
  std::chrono::milliseconds patience_;
};

}  // namespace rollcall::io
