// Any bytes as a file of lsb.events or lsb.acct, and as an event to write: what we write is one line that we read again.
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <utility>

#include "sched/policy/events/event_lines.hpp"
#include "sched/policy/events/event_reader.hpp"

using namespace rollcall;

namespace {

void check_written(const std::string& line) {
  if (line.empty()) return;
  if (line.find('\n') != line.size() - 1 || line.find('\r') != std::string::npos) std::abort();
  if (!sched::events::split_event_line(line)) std::abort();
}

// In two pieces, which make no difference to where records end.
void read_as_file(std::string_view bytes) {
  std::size_t events = 0;
  const auto count = [&events](const wire::JobEvent& event) {
    if (event.key().id() < 1) std::abort();
    ++events;
  };
  sched::events::EventReader whole, halves;
  whole.read(bytes, count);
  whole.end(count);
  const std::size_t in_one = std::exchange(events, 0);
  halves.read(bytes.substr(0, bytes.size() / 2), count);
  halves.read(bytes.substr(bytes.size() / 2), count);
  halves.end(count);
  if (events != in_one || whole.passed_over().lines != halves.passed_over().lines) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  read_as_file(bytes);
  wire::JobEvent event;
  if (size > 4096 || !event.ParseFromArray(data, static_cast<int>(size))) return 0;
  // A count of slots is no size of the input: mbatchd never has more of them than a host has.
  if (event.has_start())
    for (auto& host : *event.mutable_start()->mutable_hosts()) host.set_slots(host.slots() % 64);
  if (event.has_finish())
    for (auto& host : *event.mutable_finish()->mutable_record()->mutable_hosts())
      host.set_slots(host.slots() % 64);
  check_written(sched::events::event_line(event));
  check_written(sched::events::account_line(event));
  return 0;
}
