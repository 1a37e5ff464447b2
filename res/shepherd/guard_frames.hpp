// guard_frames: the frames between a shepherd and its guard. The first byte is the kind, the rest the message.
#pragma once

namespace rollcall::res {

inline constexpr char kFrameOver = 'E';    // shepherd: FromRes.JobOver, to be kept
inline constexpr char kFramePost = 'P';    // shepherd: FromRes.PostOver, to be kept
inline constexpr char kFrameKill = 'K';    // shepherd: it may not kill some descendant; the guard is to
inline constexpr char kFrameFreeze = 'F';  // shepherd: the job was continued while it is stopped
inline constexpr char kFrameThaw = 'T';    // shepherd: it may go on
inline constexpr char kFrameKept = 'W';    // guard: it is on disk

}  // namespace rollcall::res
