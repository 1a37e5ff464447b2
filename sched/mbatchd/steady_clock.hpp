// The clock of what mbatchd awaits: it is not set, and means nothing to another process.
#pragma once

#include <chrono>

#include "common/base/job_clock.hpp"

namespace rollcall::mbatchd {

inline TimePoint steady_now() { return {std::chrono::steady_clock::now().time_since_epoch()}; }

}  // namespace rollcall::mbatchd
