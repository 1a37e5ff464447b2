// MemoryWatch: keeps a reserve of memory for mbatchd, so that it can go on when an allocation fails, and decides when mbatchd
// returns free memory to the kernel.
//
// Owns the reserve and the time of the last check. Its caller refuses work for which there is no memory.
#pragma once

#include <chrono>
#include <cstddef>

#include "common/io/log.hpp"
#include "common/io/memory_reserve.hpp"

namespace rollcall::mbatchd {

class MemoryWatch {
 public:
  explicit MemoryWatch(const io::Log& log);

  // Whether work that needs so many bytes may begin.
  bool has(std::size_t bytes) { return reserve_.restore() && io::memory_for(bytes); }
  // To be called while the daemon is idle. Until then free memory stays with the allocator.
  void give_back();

 private:
  const io::Log& log_;
  io::MemoryReserve reserve_;
  std::chrono::steady_clock::time_point looked_{};
};

}  // namespace rollcall::mbatchd
