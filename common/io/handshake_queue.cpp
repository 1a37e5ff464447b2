#include "common/io/handshake_queue.hpp"

#include <boost/asio/io_context.hpp>
#include <chrono>
#include <utility>

#include "common/base/fair_queue.hpp"
#include "common/io/after_sockets.hpp"
#include "common/io/link.hpp"

namespace rollcall::io {
namespace {

constexpr std::chrono::microseconds kWork{1000};

}  // namespace

struct HandshakeQueue::State : std::enable_shared_from_this<State> {
  State(boost::asio::io_context& l, Read r) : loop(l), read(std::move(r)) {}

  void work() {
    posted = false;
    const auto until = std::chrono::steady_clock::now() + kWork;
    do {
      const auto link = waiting.pop();
      if (!link) return;
      if ((*link)->socket.is_open()) read(*link);
    } while (std::chrono::steady_clock::now() < until);
    work_soon();
  }

  void work_soon() {
    if (waiting.empty() || std::exchange(posted, true)) return;
    after_the_sockets(loop, [self = shared_from_this()] { self->work(); });
  }

  boost::asio::io_context& loop;
  Read read;
  FairQueue<LinkPointer> waiting;
  bool posted = false;
};

HandshakeQueue::HandshakeQueue(boost::asio::io_context& loop, Read read)
    : state_(std::make_shared<State>(loop, std::move(read))) {}
HandshakeQueue::~HandshakeQueue() { clear(); }

void HandshakeQueue::push(const LinkPointer& link) {
  state_->waiting.push(link->holder.name, link);
  state_->work_soon();
}

void HandshakeQueue::clear() { state_->waiting = {}; }

}  // namespace rollcall::io
