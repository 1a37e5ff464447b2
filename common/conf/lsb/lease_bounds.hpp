// The largest lease that a consumer accepts. Its provider exports no more to it.
#pragma once

namespace rollcall::conf {

inline constexpr int kMostLeasedHosts = 10'000;
inline constexpr int kMostLeasedSlots = 1'000'000;  // of one host; also instances of one resource

}  // namespace rollcall::conf
