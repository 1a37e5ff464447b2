// guard_frames: what a shepherd and its guard say to each other. Frames; the first byte says what, the rest is the message.
#pragma once

namespace rollcall::res {

inline constexpr char kFrameOver = 'E';  // shepherd: FromRes.JobOver, to be kept
inline constexpr char kFramePost = 'P';  // shepherd: FromRes.PostOver, to be kept
inline constexpr char kFrameKill = 'K';  // shepherd: some descendant of mine is not mine to kill
inline constexpr char kFrameKept = 'W';  // guard: it is on disk

}  // namespace rollcall::res
