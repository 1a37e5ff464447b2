// What a shepherd, or somebody in its place, can send to pam; and what a TaskStarter and a pam can send to a shepherd.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "common/wire/channels.hpp"
#include "common/wire/relay.hpp"

namespace {

using namespace rollcall;

// What comes is echoed, and some of it closes its channel.
void as_pam(std::string_view bytes) {
  wire::Channels pam(wire::Channels::End::accepted);
  std::vector<wire::Channels::Event> events;
  const std::size_t half = bytes.size() / 2;
  if (!pam.feed(bytes.substr(0, half), events) || !pam.feed(bytes.substr(half), events)) return;
  for (const auto& event : events)
    if (const auto* arrived = std::get_if<wire::Channels::Arrived>(&event)) {
      if (arrived->bytes.empty() || arrived->bytes.size() > wire::kPieceBytes) abort();
      pam.passed_on(arrived->channel, arrived->bytes.size());
      pam.send(arrived->channel, arrived->bytes);
      if (arrived->bytes.size() % 7 == 0) pam.close(arrived->channel);
    }
  for (int i = 0; i < 1000 && pam.has_output(); ++i)
    if (pam.output(100).size() > 100 + wire::kPieceBytes + 100 * bytes.size()) abort();
}

// Two starters and their pam, in turns as the bytes say.
void as_shepherd(std::string_view bytes) {
  wire::Relay relay;
  while (!bytes.empty()) {
    const auto what = static_cast<unsigned char>(bytes.front());
    bytes.remove_prefix(1);
    const auto part = bytes.substr(0, what >> 3);
    bytes.remove_prefix(part.size());
    const wire::StarterId starter = 1 + (what & 1);
    switch (what >> 1 & 3) {
      case 0:
        if (relay.may_read(starter)) relay.said(starter, part);
        break;
      case 1:
        relay.heard(starter, part);
        break;
      case 2:
        relay.reached(starter);
        relay.output(starter, part.size());
        relay.took(starter, part.size());
        break;
      case 3:
        if (part.size() > 8)
          relay.lost(starter);
        else
          relay.left(starter);
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  as_pam(bytes);
  as_shepherd(bytes);
  rollcall::wire::pam_place(bytes);
  return 0;
}
