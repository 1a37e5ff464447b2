// HandshakeQueue: handshake messages of holders with many unproved connections wait here for their turn. Links owns it.
//
// A handshake costs multiplications on the curve. Without a queue, a user who keeps opening connections would take all the time
// of the daemon. Here holders take turns of about a millisecond; data that has arrived on other connections is read before the
// next turn. So such holders get the remaining time, and all of it: a thousand tasks that begin at once are such a case as well.
//
// It closes no connection: Links ends one that has not proved itself in time.
#pragma once

#include <functional>
#include <memory>

namespace boost::asio {
class io_context;
}

namespace rollcall::io {

struct Link;

class HandshakeQueue {
 public:
  using LinkPointer = std::shared_ptr<Link>;
  // `read` reads the pending bytes of one connection.
  using Read = std::function<void(const LinkPointer&)>;
  HandshakeQueue(boost::asio::io_context& loop, Read read);
  ~HandshakeQueue();

  // A holder with more unproved connections than this waits here.
  static constexpr std::size_t kCrowd = 64;

  void push(const LinkPointer& link);
  void clear();

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace rollcall::io
