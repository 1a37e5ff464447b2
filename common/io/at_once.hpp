// at_once: the same piece of work for many hosts, some of them at a time, told in order: lsadmin reconfig, badmin hrestart,
// lsgrun. The pieces run in threads of their own and must not share data. Results are told in the caller's thread.
#pragma once

#include <cstddef>
#include <functional>

namespace rollcall::io {

// Hosts that are asked at a time: a thousand dead ones cost 16 times the patience for one.
inline constexpr std::size_t kHostsAtOnce = 64;

// Calls work(i) for each i below `count`, at most `most` at a time (fewer where the system gives fewer threads), and in the caller's thread tell(i) in order, each as soon as
// work(i) and everything before it is done.
void at_once(std::size_t count, std::size_t most, const std::function<void(std::size_t)>& work,
             const std::function<void(std::size_t)>& tell);

}  // namespace rollcall::io
