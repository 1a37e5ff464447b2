#include "common/io/memory_reserve.hpp"

#include <malloc.h>
#include <sys/mman.h>

#include <atomic>
#include <cstdlib>
#include <new>

namespace rollcall::io {
namespace {

// Read by the new handler in any thread.
std::atomic<void*> kept{nullptr};
std::atomic<std::size_t> kept_bytes{0};

// Reserves address space, which counts against its limit; the pages are not touched.
void* map(std::size_t bytes) {
  void* const place = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return place == MAP_FAILED ? nullptr : place;
}

void give_up_reserve() {
  void* const place = kept.exchange(nullptr);
  if (place == nullptr) throw std::bad_alloc();
  munmap(place, kept_bytes);
}

}  // namespace

MemoryReserve::MemoryReserve(std::size_t bytes) : bytes_(bytes) {
  kept_bytes = bytes;
  kept = map(bytes);
  std::set_new_handler(give_up_reserve);
}

MemoryReserve::~MemoryReserve() {
  std::set_new_handler(nullptr);
  if (void* const place = kept.exchange(nullptr)) munmap(place, bytes_);
}

bool MemoryReserve::spent() const { return kept == nullptr; }

bool MemoryReserve::restore() {
  if (!spent()) return true;
  give_memory_back();
  kept = map(bytes_);
  return !spent();
}

bool memory_for(std::size_t bytes) {
  void* volatile const place = std::malloc(bytes);  // volatile, else the compiler removes both calls
  std::free(place);
  return place != nullptr;
}

HeapUse heap_use() {
  const auto heap = mallinfo2();
  return {heap.uordblks + heap.hblkhd, heap.fordblks};
}

void give_memory_back() { malloc_trim(0); }

void keep_freed_memory() {
  constexpr int kMega = 1 << 20;
  mallopt(M_MMAP_THRESHOLD, 4 * kMega);
  mallopt(M_TRIM_THRESHOLD, 256 * kMega);
  mallopt(M_TOP_PAD, kMega);
}

}  // namespace rollcall::io
