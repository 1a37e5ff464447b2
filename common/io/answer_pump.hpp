// AnswerPump: which of the answers under way is given its next part, and when. Not a thread and not a socket: it calls `make` for
// one link at a time, for about a millisecond in a lap of the loop, so that no answer, however long, delays whatever else the
// loop has to do. Links owns it.
//
// The first part of an answer is made at once. The further ones wait while peers talk, and while one waits for a turn: a submission
// is a handshake, a request and a commit within some milliseconds, and should meet one slice at most and not one for each step.
// Where that never ends long answers have a slice every 10 ms. First parts and further ones take turns.
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
  // `make` makes one part: bounded work, a millisecond or two. It says by go_on() that there is room for another.
  using Make = std::function<void(const LinkPointer&)>;
  AnswerPump(boost::asio::io_context& loop, Make make);
  ~AnswerPump();

  void begin(const LinkPointer& link);
  void go_on(const LinkPointer& link);
  // Something has come: a connection, bytes.
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
