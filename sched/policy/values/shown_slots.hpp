// shown_slots: how counts of slots of another cluster are shown. A function.
#pragma once

#include <algorithm>
#include <cstdint>

namespace rollcall::sched {

// Slots that are owed are none: the terms beside a difference say how many.
constexpr std::int64_t shown_slots(std::int64_t count) { return std::max<std::int64_t>(count, 0); }

}  // namespace rollcall::sched
