#include "sched/mbatchd/memory_watch.hpp"

#include "sched/policy/values/heap_room.hpp"

namespace rollcall::mbatchd {
namespace {

using Steady = std::chrono::steady_clock;

constexpr std::size_t kReserve = 16UL << 20;         // bytes
constexpr std::chrono::seconds kMemoryInterval{30};  // a look at the heap costs a millisecond

}  // namespace

MemoryWatch::MemoryWatch(const io::Log& log) : log_(log), reserve_(kReserve) {}

void MemoryWatch::give_back() {
  if (Steady::now() - looked_ < kMemoryInterval) return;
  looked_ = Steady::now();
  const auto heap = io::heap_use();
  if (!reserve_.spent() && !sched::worth_giving_back(heap.free, heap.used)) return;
  io::give_memory_back();
  if (reserve_.spent() && reserve_.restore()) log_.notice("mbatchd has the memory that it needs again");
}

}  // namespace rollcall::mbatchd
