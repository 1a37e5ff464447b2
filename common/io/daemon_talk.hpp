// DaemonTalk: a client's open connection with a daemon of the cluster (LIM, mbatchd, RES). Blocking.
//
// It owns the socket, the channel, and the user's proof: the cluster's key if the user may read it, else a MUNGE credential. It
// does not know the messages: payloads go in and out. Its caller retries and chooses another host (DaemonClient has the messages;
// LimClient, BatchClient, ResClient use it).
#pragma once

#include <algorithm>
#include <chrono>
#include <deque>
#include <functional>
#include <optional>
#include <string>

#include "common/base/result.hpp"
#include "common/conf/cluster_files.hpp"
#include "common/io/cluster_channel.hpp"
#include "common/io/dial_host.hpp"

namespace rollcall::io {

struct TalkError {
  enum class Kind {
    refused,   // the host answers, and the daemon is not running there
    silent,    // the host does not answer, or its name is unknown
    broken,    // the connection was open and broke
    garbled,   // the answer is malformed
    stranger,  // the answerer does not hold the cluster's key: no retry
    ours,      // we cannot ask: no key, a request that is too large
  };
  Kind kind = Kind::ours;
  std::string text;  // one line, with host and port
};
[[noreturn]] inline void throw_exception_from_error(const TalkError& error, const boost::source_location&) {
  throw std::runtime_error(error.text);
}
template <class T>
using Talked = boost::system::result<T, TalkError>;

class DaemonTalk {
 public:
  struct Call {
    std::string host;  // official name
    int port = 0;
    std::chrono::milliseconds patience{5000};  // for one host to accept, and to send the next bytes
    // Makes the client's first message from its MUNGE credential, in the daemon's protocol.
    std::function<std::string(const std::string& credential)> introduction;
    bool must_prove =
        false;  // true: an error where MUNGE gives no credential; false: the client stays anonymous
    // A ticket of the daemon: no handshake is awaited and no other proof is sent. Only for a first request that is safe to
    // repeat, since the caller repeats it if the ticket is rejected.
    std::optional<Ticket> ticket;
  };
  // Connects; without a ticket the daemon then has proved itself. Our own proof leaves with the first request in one packet, so
  // that the daemon wakes up once. Where MUNGE is needed and missing, the daemon decides what it tells an anonymous client.
  static Talked<DaemonTalk> open(const conf::ClusterFiles& files, const Call& call);

  // The largest payload that may be sent: daemons accept only small frames from clients, proved or not.
  std::size_t most() const { return std::min(channel_.most(), ClusterChannel::kAnyoneLimit - 64); }
  Talked<void> send(const std::string& payload);
  // Call it before waiting without a time limit: the connection then breaks if the host goes away silently.
  void watch() const { connection_.watch(); }
  // It uses a ticket that the daemon has not accepted yet.
  bool on_trust() const { return on_ticket_ && !channel_.open(); }
  // The next payload. With `wake` (a descriptor): none if that becomes readable first, and there is no time limit.
  Talked<std::optional<std::string>> receive(std::optional<int> wake = std::nullopt);

 private:
  DaemonTalk(HostConnection connection, ClusterChannel channel, bool on_ticket);
  Talked<void> put(const std::string& payload);
  Talked<void> flush();
  Talked<bool> turn(std::optional<int> wake);
  HostConnection connection_;
  ClusterChannel channel_;
  bool on_ticket_ = false;
  bool greeting_ = false;  // the handshake is under way, without a ticket
  std::deque<std::string> inbox_;
  std::string unsent_;
};

}  // namespace rollcall::io
