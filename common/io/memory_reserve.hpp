// MemoryReserve: memory that a daemon keeps back for the moment in which no more can be had.
//
// When an allocation of C++ fails the reserve is given back to the allocator and the allocation is tried again: so what is under
// way ends well, and the daemon sees spent() before it begins anything that needs memory for long. An allocation that fails even
// then throws std::bad_alloc. One for each process, made by main() or by what it runs; the daemon's thread asks and restores.
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
  // Tries to have it again, and gives freed memory back to the kernel first. True: it is whole.
  bool restore();

 private:
  std::size_t bytes_;
};

// Whether so many bytes could be had at this moment, without the reserve.
bool memory_for(std::size_t bytes);

// No memory could be had while a daemon's state was changed, so what it holds is not known: the daemon begins anew. No bad_alloc,
// which costs only the peer whose message it was (Links).
struct StateUnknown : std::exception {
  const char* what() const noexcept override { return "no memory in the middle of a change"; }
};
// Runs what changes the state; throws StateUnknown where it throws bad_alloc.
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
// Freed memory stays with the allocator until give_memory_back(), but for single blocks of more than 4 MiB. By default the
// allocator returns the end of the heap after each turn, and the next turn pays for the same pages again.
void keep_freed_memory();

}  // namespace rollcall::io
