// HandshakeQueue: connections whose next handshake message waits, since their holder has many unproved ones. Links owns it.
//
// A handshake costs multiplications on the curve. Without a queue, a user who opens connections all the time would have every moment
// of the daemon. Here holders take turns, for about a millisecond; what has arrived on other connections meanwhile is read before
// the next turn. So a crowd has what time is left, and all of that: a thousand tasks that begin at once are a crowd as well.
//
// It closes nothing: Links ends a connection that has not proved itself in time, here or elsewhere.
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
  // `read` reads what has come on one connection.
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
