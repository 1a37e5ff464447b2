// Any bytes as a line of lsb.events, and as an event to write: what we write is one line that we read again.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "sched/policy/event_lines.hpp"

using namespace rollcall;

namespace {

void check_written(const std::string& line) {
  if (line.empty()) return;
  if (line.find('\n') != line.size() - 1 || line.find('\r') != std::string::npos) std::abort();
  if (!sched::split_event_line(line)) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  (void)sched::split_event_line(bytes);
  wire::JobEvent event;
  if (size > 4096 || !event.ParseFromArray(data, static_cast<int>(size))) return 0;
  // A count of slots is no size of the input: mbatchd never has more of them than a host has.
  if (event.has_start())
    for (auto& host : *event.mutable_start()->mutable_hosts()) host.set_slots(host.slots() % 64);
  if (event.has_finish())
    for (auto& host : *event.mutable_finish()->mutable_record()->mutable_hosts())
      host.set_slots(host.slots() % 64);
  check_written(sched::event_line(event));
  check_written(sched::account_line(event));
  return 0;
}
