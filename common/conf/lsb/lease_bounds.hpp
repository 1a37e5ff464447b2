// The largest lease that a consumer accepts. Larger numbers of an export in lsb.resources are cut to these, with a warning.
#pragma once

namespace rollcall::conf {

inline constexpr int kMostLeasedHosts = 10'000;
inline constexpr int kMostLeasedSlots = 1'000'000;  // of one host; also instances of one resource

}  // namespace rollcall::conf
