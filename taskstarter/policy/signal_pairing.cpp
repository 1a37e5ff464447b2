#include "taskstarter/policy/signal_pairing.hpp"

namespace rollcall::taskstarter {

void SignalPairing::forget_old(TimePoint now) {
  std::erase_if(arrivals_, [&](const Arrival& arrival) { return now - arrival.at > kWindow; });
}

bool SignalPairing::first_arrival(int signo, SignalSource source, TimePoint now) {
  forget_old(now);
  const auto bit = static_cast<std::uint8_t>(1U << static_cast<unsigned>(source));
  for (Arrival& arrival : arrivals_) {
    if (arrival.signo != signo || (arrival.seen & bit) != 0) continue;
    arrival.seen |= bit;
    return false;
  }
  arrivals_.push_back({signo, bit, now});
  return true;
}

bool SignalPairing::repeated(std::uint32_t pam_sequence) {
  if (pam_sequence == 0) return false;
  if (pam_sequence <= last_sequence_) return true;
  last_sequence_ = pam_sequence;
  return false;
}

std::optional<TimePoint> SignalPairing::forgets_at() const {
  if (arrivals_.empty()) return std::nullopt;
  return arrivals_.back().at + kWindow + Duration{1};
}

}  // namespace rollcall::taskstarter
