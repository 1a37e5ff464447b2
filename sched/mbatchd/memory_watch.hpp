// MemoryWatch: mbatchd's reserve for the moment in which an allocation fails, and when mbatchd gives free memory back to the kernel.
//
// Owns the reserve and the time of the last look. Its caller refuses work for which there is no memory.
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
  // To be called while nothing waits. Free memory stays with the allocator until then.
  void give_back();

 private:
  const io::Log& log_;
  io::MemoryReserve reserve_;
  std::chrono::steady_clock::time_point looked_{};
};

}  // namespace rollcall::mbatchd
