// The largest lease that a consumer accepts. An export of lsb.resources above these bounds is an error.
#pragma once

namespace rollcall::conf {

inline constexpr int kMostLeasedHosts = 10'000;
inline constexpr int kMostLeasedSlots = 1'000'000;  // of one host; also instances of one resource

}  // namespace rollcall::conf
