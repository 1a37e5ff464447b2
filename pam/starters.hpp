// Starters: the TaskStarters' connections to this pam, their own or those of the relays of their hosts.
//
// Owns the listening socket and every connection, the handshake with its time limit, and the lines about strangers. It
// does not know what the messages mean to the job: it hands them over. One loop, one thread.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "common/base/job_clock.hpp"
#include "common/base/result.hpp"
#include "common/io/secure_channel.hpp"
#include "common/wire/task.pb.h"
#include "pam/policy/roll_events.hpp"

namespace boost::asio {
class io_context;
}

namespace rollcall::pam {

class Starters {
 public:
  struct Handler {
    std::function<void(ConnectionId, const wire::FromStarter&)> message;  // may call send and close
    // The connection has ended by itself; `cut`: the network did it, not the peer. Not called after close().
    std::function<void(ConnectionId, bool cut)> closed;
    std::function<void(const std::string&)> say;  // one line for the user
  };

  Starters(boost::asio::io_context& loop, const io::Key& key, Handler handler);
  ~Starters();

  // Listens on every address of this host; returns the port the kernel chose. Internal errors name the call.
  Result<std::uint16_t> listen();

  void send(ConnectionId connection, const wire::FromPam& message);
  // The same to many, with one write for each peer.
  void send_all(std::vector<ConnectionId> connections, const wire::FromPam& message);
  // Writes what waits for the rest of what a peer has said to be handled. Before this process stops.
  void write_held();
  void close(ConnectionId connection);

  // Ends connections that have not proved themselves for kHandshakeTime. To be called about once a second.
  void expire(TimePoint now);

  // How many TaskStarters have been told to dial again at a time that is still to come (policy/admission.hpp).
  std::size_t waiting();

 private:
  class Impl;
  std::shared_ptr<Impl> impl_;
};

inline constexpr Duration kHandshakeTime = std::chrono::seconds(10);

}  // namespace rollcall::pam
