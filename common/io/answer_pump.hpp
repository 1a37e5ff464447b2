// AnswerPump: decides which answer under way is given its next part, and when. It is neither a thread nor a socket: it calls
// `make` for one link at a time, for about a millisecond of each lap of the loop, so that a long answer delays no other work.
// Links owns it.
//
// The first part of an answer is made at once. Further parts wait while peers send requests or wait for a turn: a submission is a
// handshake, a request and a commit within some milliseconds, and should meet at most one slice, not one at each step. Under
// constant traffic long answers get a slice every 10 ms. First parts and further ones alternate.
//
#pragma once

#include <deque>
#include <functional>
#include <memory>

namespace boost::asio {
class io_context;
}

namespace rollcall::io {

struct Link;

class AnswerPump {
 public:
  using LinkPointer = std::shared_ptr<Link>;
  // `make` makes one part: bounded work of a millisecond or two. It calls go_on() if there is room for another part.
  using Make = std::function<void(const LinkPointer&)>;
  AnswerPump(boost::asio::io_context& loop, Make make);
  ~AnswerPump();

  void begin(const LinkPointer& link);
  void go_on(const LinkPointer& link);
  // Call when a connection or bytes have arrived.
  void peers_talk();
  // One more peer waits for an answer that the daemon's next turn brings; one fewer.
  void turn_owed();
  void turn_given();
  void clear();

 private:
  struct State;
  void want(std::deque<LinkPointer>& queue, const LinkPointer& link);
  std::shared_ptr<State> state_;
};

}  // namespace rollcall::io
