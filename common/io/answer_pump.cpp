#include "common/io/answer_pump.hpp"

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <utility>

#include "common/io/after_sockets.hpp"
#include "common/io/link.hpp"

namespace rollcall::io {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::microseconds kLap{1000};
// A long answer goes on when for kQuiet no peer has sent anything and none waits for a turn; after kLongestWait it goes on in any
// case.
constexpr std::chrono::microseconds kQuiet{400};
constexpr std::chrono::microseconds kLongestWait{10'000};

}  // namespace

struct AnswerPump::State : std::enable_shared_from_this<State> {
  State(boost::asio::io_context& l, Make m) : loop(l), timer(l), make(std::move(m)) {}

  Clock::time_point long_ones_due() const {
    const auto latest = went_on + kLongestWait;
    return owed > 0 ? latest : std::min(talked + kQuiet, latest);
  }
  bool may_go_on() const { return !long_ones.empty() && long_ones_due() <= Clock::now(); }

  LinkPointer taken_from(std::deque<LinkPointer>& queue) {
    LinkPointer link = std::move(queue.front());
    queue.pop_front();
    link->waits_for_part = false;
    return link;
  }

  // Makes one part; false: none can be made now.
  bool make_one() {
    const bool go_on = may_go_on() && (fresh.empty() || !went_on_last);
    if (!go_on && fresh.empty()) return false;
    went_on_last = go_on;
    make(taken_from(go_on ? long_ones : fresh));
    if (go_on) went_on = Clock::now();
    return true;
  }

  void lap() {
    const auto until = Clock::now() + kLap;
    while (Clock::now() < until && make_one()) continue;
    wake();
  }

  void wake() {
    if (!fresh.empty() || may_go_on()) {
      if (std::exchange(posted, true)) return;
      // Requests that arrive during a part are read before the next part is made.
      return after_the_sockets(loop, [self = shared_from_this()] {
        self->posted = false;
        self->lap();
      });
    }
    if (long_ones.empty() || std::exchange(timed, true)) return;
    timer.expires_at(long_ones_due());
    timer.async_wait([self = shared_from_this()](const boost::system::error_code&) {
      self->timed = false;
      self->wake();  // also when cancelled: a wake-up is then due earlier
    });
  }

  boost::asio::io_context& loop;
  boost::asio::steady_timer timer;
  Make make;
  std::deque<LinkPointer> fresh, long_ones;
  bool went_on_last = false;
  bool posted = false, timed = false;  // lap() or wake() is scheduled
  std::size_t owed = 0;                // peers that wait for an answer of the daemon's next turn
  Clock::time_point talked{}, went_on{};
};

AnswerPump::AnswerPump(boost::asio::io_context& loop, Make make)
    : state_(std::make_shared<State>(loop, std::move(make))) {}
AnswerPump::~AnswerPump() { clear(); }

void AnswerPump::want(std::deque<LinkPointer>& queue, const LinkPointer& link) {
  if (std::exchange(link->waits_for_part, true)) return;
  queue.push_back(link);
  state_->wake();
}

void AnswerPump::begin(const LinkPointer& link) { want(state_->fresh, link); }
void AnswerPump::go_on(const LinkPointer& link) { want(state_->long_ones, link); }

void AnswerPump::peers_talk() { state_->talked = Clock::now(); }

void AnswerPump::turn_owed() { ++state_->owed; }

void AnswerPump::turn_given() {
  if (--state_->owed == 0) state_->timer.cancel();
}

void AnswerPump::clear() {
  state_->fresh.clear();
  state_->long_ones.clear();
  state_->timer.cancel();
}

}  // namespace rollcall::io
