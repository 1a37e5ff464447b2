// An operator new that fails once, for an mbatchd of tests/io/sched/mbatchd_no_memory_test.cpp; the rest is mbatchd's own main().
//
// Where the file that ROLLCALL_TEST_NO_MEMORY names holds a number N, allocation N (from 0) of 54,000 to 120,000 bytes fails, and
// the file is removed. A test sends a text of that size: so the N-th thing that mbatchd does with it fails.
#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <new>

namespace {

// No allocation in here.
bool fails_now() {
  const char* const path = std::getenv("ROLLCALL_TEST_NO_MEMORY");
  if (path == nullptr) return false;
  const int file = open(path, O_RDWR | O_CLOEXEC);
  if (file < 0) return false;
  char text[16] = {};
  const bool any = pread(file, text, sizeof text - 1, 0) > 0;
  const int left = std::atoi(text);
  if (any && left > 0) {
    const int size = std::snprintf(text, sizeof text, "%-6d\n", left - 1);
    if (pwrite(file, text, static_cast<std::size_t>(size), 0) != size) std::abort();
  }
  close(file);
  return any && left == 0 && unlink(path) == 0;
}

}  // namespace

void* operator new(std::size_t bytes) {
  if (bytes >= 54'000 && bytes < 120'000 && fails_now()) throw std::bad_alloc();
  for (;;) {
    if (void* const place = std::malloc(bytes == 0 ? 1 : bytes)) return place;
    const auto handler = std::get_new_handler();
    if (handler == nullptr) throw std::bad_alloc();
    handler();
  }
}
void operator delete(void* place) noexcept { std::free(place); }
void operator delete(void* place, std::size_t) noexcept { std::free(place); }
