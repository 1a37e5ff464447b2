// What a lease has at the most. An export of lsb.resources beyond it is an error there: a consumer does not believe it.
#pragma once

namespace rollcall::conf {

inline constexpr int kMostLeasedHosts = 10'000;
inline constexpr int kMostLeasedSlots = 1'000'000;  // of one host; also instances of one resource

}  // namespace rollcall::conf
