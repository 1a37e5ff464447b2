// What a master of another cluster may say of leases: what is believed is within bounds, whatever the bytes, and both steppers stay sound: the
// provider never grants more than it was asked to export, and no error is more than one line.
//
//   input = { length bytes }     length: two bytes, low one first, of what follows: a PeerMessage
#include <cstdint>
#include <string>
#include <string_view>

#include "sched/policy/peers/definitions.hpp"
#include "sched/policy/peers/lease_messages.hpp"
#include "tests/fuzz/fuzz_input.hpp"

using namespace rollcall;
using namespace rollcall::sched;
using rollcall::fuzz::require;

namespace {

void one_line(const std::string& text) {
  require(!text.empty() && text.size() < 1024);
  for (const char c : text) require(c >= ' ' && c <= '~');
}
void one_line(const Error& error) { one_line(error.text); }

void tell(lease::ConsumerLease& lease, const wire::LeaseStands& said) {
  const auto told = peers::believed(said);
  if (!told) return one_line(told.error());
  require(told->told.hosts.size() <= static_cast<std::size_t>(peers::kMostLeasedHosts));
  for (const lease::LeasedHost& host : told->told.hosts) {
    require(host.slots >= 0 && host.slots <= peers::kMostLeasedSlots);
    require(host.host.find('@') == std::string::npos);
  }
  const lease::GrantNumber before = lease.number;
  lease::step(lease, told->told, {});
  require(lease.number >= before);
}

void answer(lease::ProviderLease& lease, const wire::LeaseAnswer& said) {
  const auto told = peers::believed(said);
  if (!told) return one_line(told.error());
  const lease::HostsNow now{{"a", {1, 2, {}}}};
  if (told->wants) lease::step(lease, lease::event::Asked{}, now, 7);
  lease::step(lease, told->acknowledged, now, 7);
  for (const lease::LentHost& host : lease.hosts)
    require(host.has.slots >= 0 && host.has.slots <= 2 && host.told >= 0 && host.told <= host.has.slots);
}

void compare(const wire::PeerDefinitions& said) {
  const auto told = peers::believed(said);
  for (const std::string& line : peers::differences({}, told)) one_line(line);
  require(peers::differences(told, told).empty());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  lease::ConsumerLease borrowed{.id = {"east", 3}};
  lease::ProviderLease lent{.id = {"west", 4}, .consumer = "east"};
  lease::step(lent, lease::event::Exported{{{"a", 2, {}, {}, false}}, {}, false}, {{"a", {0, 2, {}}}}, 7);
  std::string_view left(reinterpret_cast<const char*>(data), size);
  while (left.size() >= 2) {
    const std::size_t length = static_cast<std::uint8_t>(left[0]) + 256u * static_cast<std::uint8_t>(left[1]);
    const std::string_view bytes = left.substr(2, length);
    left.remove_prefix(2 + bytes.size());
    wire::PeerMessage message;
    if (!message.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) continue;
    if (message.has_lease_stands()) tell(borrowed, message.lease_stands());
    if (message.has_lease_answer()) answer(lent, message.lease_answer());
    if (message.has_definitions()) compare(message.definitions());
    if (message.has_lease_over()) lease::step(borrowed, lease::event::Unlisted{}, {});
  }
  return 0;
}
