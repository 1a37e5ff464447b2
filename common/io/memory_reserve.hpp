// MemoryReserve: memory that a daemon keeps for the moment when an allocation fails.
//
// When operator new fails, the reserve is freed and the allocation is tried again, so that present work ends well. The daemon
// checks spent() before it begins anything that needs memory for long. An allocation that fails even then throws std::bad_alloc.
// One for each process, made by main() or by what it runs; the daemon's thread asks and restores.
//
//   whole    an allocation fails   -> spent; the log says so once
//   spent    restore() succeeds    -> whole
#pragma once

#include <cstddef>
#include <exception>
#include <new>

namespace rollcall::io {

class MemoryReserve {
 public:
  // Replaces the new handler of the process until it goes.
  explicit MemoryReserve(std::size_t bytes);
  ~MemoryReserve();
  MemoryReserve(const MemoryReserve&) = delete;
  MemoryReserve& operator=(const MemoryReserve&) = delete;

  bool spent() const;
  // Tries to allocate it again, after giving freed memory back to the kernel. True: it is whole.
  bool restore();

 private:
  std::size_t bytes_;
};

// True if so many bytes can be allocated now, without the reserve.
bool memory_for(std::size_t bytes);

// An allocation failed while a daemon's state was changed, so that state is inconsistent and the daemon restarts. Not a
// bad_alloc, which costs only the peer whose message it was (Links).
struct StateUnknown : std::exception {
  const char* what() const noexcept override { return "no memory in the middle of a change"; }
};
// Runs a change of the state; throws StateUnknown instead of bad_alloc.
template <class Change>
auto changing(Change change) {
  try {
    return change();
  } catch (const std::bad_alloc&) {
    throw StateUnknown();
  }
}

// Bytes of the heap; what is free stays with the allocator until give_memory_back().
struct HeapUse {
  std::size_t used = 0, free = 0;
};
HeapUse heap_use();
void give_memory_back();
// Keeps freed memory in the allocator until give_memory_back(), except single blocks above 4 MiB. By default the allocator
// returns the end of the heap after each turn, and the next turn has to fault the same pages in again.
void keep_freed_memory();

}  // namespace rollcall::io
