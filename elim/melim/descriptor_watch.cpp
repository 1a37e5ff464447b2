#include "elim/melim/descriptor_watch.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <utility>

namespace rollcall::melim {

using boost::asio::posix::stream_descriptor;

struct DescriptorWatch::State {
  stream_descriptor descriptor;
  bool awaits_read = false;
  bool awaits_write = false;

  static void await(const std::shared_ptr<State>& state, stream_descriptor::wait_type what,
                    bool State::*awaits, std::function<void()> ready) {
    if (!state || std::exchange((*state).*awaits, true)) return;
    state->descriptor.async_wait(
        what, [state, awaits, ready = std::move(ready)](const boost::system::error_code& error) {
          (*state).*awaits = false;
          if (!error && state->descriptor.is_open()) ready();
        });
  }
};

DescriptorWatch::DescriptorWatch(boost::asio::io_context& loop, int fd)
    : state_(std::make_shared<State>(State{stream_descriptor(loop)})) {
  state_->descriptor.assign(fd);
}

DescriptorWatch::~DescriptorWatch() {
  if (state_ && state_->descriptor.is_open()) state_->descriptor.release();
}

DescriptorWatch& DescriptorWatch::operator=(DescriptorWatch&& other) noexcept {
  DescriptorWatch taken(std::move(other));
  std::swap(state_, taken.state_);
  return *this;
}

void DescriptorWatch::await_read(std::function<void()> ready) {
  State::await(state_, stream_descriptor::wait_read, &State::awaits_read, std::move(ready));
}

void DescriptorWatch::await_write(std::function<void()> ready) {
  State::await(state_, stream_descriptor::wait_write, &State::awaits_write, std::move(ready));
}

}  // namespace rollcall::melim
