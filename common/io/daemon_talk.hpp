// DaemonTalk: a client's open connection with a daemon of the cluster (LIM, mbatchd, RES). Blocking.
//
// It owns the socket, the channel, and the proof of who the user is: the cluster's key where they may read it, else a MUNGE
// credential. It does not know what is asked and answered: payloads go in and out. Who retries, and whom else to ask, is
// its caller's matter (DaemonClient has the messages; LimClient, BatchClient, ResClient use it).
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
    silent,    // the host does not answer, or nobody knows its name
    broken,    // it was there and is gone
    garbled,   // it says what no daemon says to a client
    stranger,  // something answers that does not hold the cluster's key: another try is of no use
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
    // The first message of a client that proves by MUNGE: this credential, as the daemon's protocol has it.
    std::function<std::string(const std::string& credential)> introduction;
    bool must_prove =
        false;  // an error where MUNGE makes no credential; else the daemon takes this client for anybody
    // What the daemon gave this user: then nothing is waited for and nothing else is proved. Only for a first request that
    // does no harm where it is asked again, since the caller does that when the ticket turns out to be worthless.
    std::optional<Ticket> ticket;
  };
  // Connected, and (without a ticket) the daemon has proved that it is one. What proves us to it leaves with the first request, in one packet:
  // it need not wake up for each. Without MUNGE where that is needed the daemon decides what it
  // tells to nobody in particular.
  static Talked<DaemonTalk> open(const conf::ClusterFiles& files, const Call& call);

  // The largest payload that may be sent: daemons take small frames from clients, whoever they have proved to be.
  std::size_t most() const { return std::min(channel_.most(), ClusterChannel::kAnyoneLimit - 64); }
  Talked<void> send(const std::string& payload);
  // Call it before waiting without a time limit: a host that went away silently then breaks the connection.
  void watch() const { connection_.watch(); }
  // It has a ticket that the daemon has not taken yet.
  bool on_trust() const { return on_ticket_ && !channel_.open(); }
  // The next payload. With `wake` (a descriptor): nothing, when that has something to read first; and then there is no
  // limit of time.
  Talked<std::optional<std::string>> receive(std::optional<int> wake = std::nullopt);

 private:
  DaemonTalk(HostConnection connection, ClusterChannel channel, bool on_ticket);
  Talked<void> put(const std::string& payload);
  Talked<void> flush();
  Talked<bool> turn(std::optional<int> wake);
  HostConnection connection_;
  ClusterChannel channel_;
  bool on_ticket_ = false;
  bool greeting_ = false;  // the handshake goes on, without a ticket
  std::deque<std::string> inbox_;
  std::string unsent_;
};

}  // namespace rollcall::io
