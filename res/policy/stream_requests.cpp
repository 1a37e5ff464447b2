#include "res/policy/stream_requests.hpp"

#include <algorithm>
#include <limits>

namespace rollcall::res {
namespace {

constexpr std::size_t kMostSignals = 64;  // waiting
constexpr int kLargestSignal = 64;

}  // namespace

void StreamRequests::take(const wire::ToStream& message) {
  switch (message.message_case()) {
    case wire::ToStream::kBegin:
      if (begun_) return;
      begun_ = wanted_ = true;
      begin_ = message.begin();
      add_credit(begin_.credit());
      return;
    case wire::ToStream::kInput:
      if (input_.size() + message.input().size() <= 2 * kInputCredit) input_ += message.input();
      return;
    case wire::ToStream::kInputOver:
      input_over_ = true;
      return;
    case wire::ToStream::kSignal:
      if (message.signal() > 0 && message.signal() <= kLargestSignal && signals_.size() < kMostSignals)
        signals_.push_back(message.signal());
      return;
    case wire::ToStream::kWindow:
      window_ = message.window();
      return;
    case wire::ToStream::kCredit:
      add_credit(message.credit());
      return;
    case wire::ToStream::kGone:
      gone_ = true;
      return;
    default:
      return;
  }
}

// Saturates: a client may send any number.
void StreamRequests::add_credit(std::uint64_t bytes) {
  credit_ += std::min(bytes, std::numeric_limits<std::uint64_t>::max() - credit_);
}

std::optional<int> StreamRequests::take_signal() {
  if (signals_.empty()) return std::nullopt;
  const int signo = signals_.front();
  signals_.erase(signals_.begin());
  return signo;
}

}  // namespace rollcall::res
