#include "common/io/repeated_dial.hpp"

#include <netinet/tcp.h>

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <utility>

namespace rollcall::io {
namespace {

// The kernel repeats its first packet after 1, 3 and 7 s; waiting longer for it wastes time after an outage.
constexpr std::chrono::seconds kAttempt{8};
constexpr std::chrono::milliseconds kPause{250};

}  // namespace

RepeatedDial::RepeatedDial(std::string host, int port, Duration patience)
    : peer_(host + ":" + std::to_string(port)) {
  const auto now = Clock::now();
  until_ = patience == Duration{0} ? Clock::time_point::max()
                                   : now + std::chrono::duration_cast<Clock::duration>(patience);
  auto addresses = look_up(host, port);
  if (!addresses) {
    why_ = peer_ + ": " + addresses.error().text;
    state_ = State::over;
    return;
  }
  addresses_ = std::move(*addresses);
  dial(now);
}

void RepeatedDial::dial(Clock::time_point now) {
  ++attempts_;
  const auto& address = addresses_[next_++ % addresses_.size()];
  socket_ = Descriptor(socket(address.place.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!socket_) return fail(errno, now);
  const int at_once = 1;
  setsockopt(socket_.get(), IPPROTO_TCP, TCP_NODELAY, &at_once, sizeof at_once);
  state_ = State::dialling;
  due_ = std::min(now + kAttempt, until_);
  if (connect(socket_.get(), reinterpret_cast<const sockaddr*>(&address.place), address.size) == 0)
    state_ = State::standing;
  else if (errno != EINPROGRESS)
    fail(errno, now);
}

void RepeatedDial::turn(Clock::time_point now) {
  if (state_ == State::pausing && now >= due_) {
    if (now < until_) {
      dial(now);
    } else {
      silent_ = true;
      state_ = State::over;
    }
  }
  if (state_ != State::dialling) return;
  pollfd waiting = waits_for();
  if (poll(&waiting, 1, 0) > 0) {
    int error = 0;
    socklen_t size = sizeof error;
    getsockopt(socket_.get(), SOL_SOCKET, SO_ERROR, &error, &size);
    if (error != 0) return fail(error, now);
    state_ = State::standing;
    refused_ = 0;
  } else if (now >= due_) {
    fail(ETIMEDOUT, now);
  }
}

void RepeatedDial::failed(std::string why, Clock::time_point now) {
  refused_ = 0;
  pause(std::move(why), now);
}

void RepeatedDial::fail(int error, Clock::time_point now) {
  refused_ = error == ECONNREFUSED ? refused_ + 1 : 0;
  pause(std::generic_category().message(error), now);
  if (refused_ >= addresses_.size()) state_ = State::over;
}

void RepeatedDial::pause(std::string why, Clock::time_point now) {
  socket_.reset();
  why_ = peer_ + ": " + std::move(why);
  state_ = State::pausing;
  due_ = std::min(now + kPause, until_);
}

}  // namespace rollcall::io
