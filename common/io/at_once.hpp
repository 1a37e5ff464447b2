// at_once: does the same work for many hosts, several at a time, and reports the results in order: lsadmin reconfig, badmin hrestart,
// lsgrun. Each call of `work` runs in a thread of its own and must share no data with the others. `tell` runs in the caller's thread.
#pragma once

#include <cstddef>
#include <functional>

namespace rollcall::io {

// Hosts that are asked at a time: a thousand dead ones cost 16 times the patience for one.
inline constexpr std::size_t kHostsAtOnce = 64;

// Calls work(i) for each i below `count`, at most `most` at a time (fewer where the system gives fewer threads). Calls tell(i) in order,
// as soon as work(i) and all before it are done.
void at_once(std::size_t count, std::size_t most, const std::function<void(std::size_t)>& work,
             const std::function<void(std::size_t)>& tell);

}  // namespace rollcall::io
