#include "pam/policy/admission.hpp"

#include <algorithm>

namespace rollcall::pam {
namespace {

using std::chrono::milliseconds;

constexpr std::size_t kOwnDescriptors = 50;  // pam's files, its launcher, its timers
// Two hundred calls a second, which is one percent of a core, for places that become free when tasks end.
constexpr Duration kPaceWhenFull = milliseconds(5);
constexpr Duration kShortestWhenFull = milliseconds(200);
constexpr Duration kPaceOfHandshakes = milliseconds(1);
constexpr Duration kShortestOfHandshakes = milliseconds(100);
constexpr std::size_t kMostInRow = 100'000;  // anybody may say Hello

}  // namespace

Admission::Limits Admission::limits_for(std::size_t descriptors, std::size_t each) {
  const std::size_t own = std::min(kOwnDescriptors, descriptors / 4);
  const std::size_t for_callers = std::clamp<std::size_t>(descriptors / 8, 16, 256);
  const std::size_t taken = std::min(own + for_callers, descriptors - 1);
  return {descriptors - taken, std::max<std::size_t>(1, each - each / 4)};
}

std::optional<Duration> Admission::put_off(std::size_t conversations, std::size_t handshakes, TimePoint now) {
  if (conversations >= limits_.conversations) {
    full_ = true;
    return next_in_row(kPaceWhenFull, kShortestWhenFull, now);
  }
  if (handshakes >= limits_.handshakes) return next_in_row(kPaceOfHandshakes, kShortestOfHandshakes, now);
  return std::nullopt;
}

Duration Admission::next_in_row(Duration pace, Duration shortest, TimePoint now) {
  const TimePoint last = row_.empty() ? now : std::max(row_.back(), now);
  const TimePoint at = std::clamp(last + pace, now + shortest, now + kLongestWait);
  if (waiting(now) < kMostInRow) row_.push_back(row_.empty() ? at : std::max(at, row_.back()));
  return at - now;
}

std::size_t Admission::waiting(TimePoint now) {
  while (!row_.empty() && row_.front() <= now) row_.pop_front();
  return row_.size();
}

bool Admission::full_for_the_first_time() {
  if (!full_ || told_) return false;
  return told_ = true;
}

}  // namespace rollcall::pam
