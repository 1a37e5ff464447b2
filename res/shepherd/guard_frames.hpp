// last_words: what a shepherd and its guard say to each other. Frames; the first byte says what, the rest is the message.
#pragma once

namespace rollcall::res {

inline constexpr char kWordOver = 'E';  // shepherd: FromRes.JobOver, to be kept
inline constexpr char kWordPost = 'P';  // shepherd: FromRes.PostOver, to be kept
inline constexpr char kWordKill = 'K';  // shepherd: some descendant of mine is not mine to kill
inline constexpr char kWordKept = 'W';  // guard: it is on disk

}  // namespace rollcall::res
