// Fuzzes what reads the bytes of tickets: the file of a client, and both ends of a conversation that begins with one. Ticket and
// scalars are fixed, so the corpus holds good flights; whatever is done to them, no end gives out a payload that the other did
// not say, and a flight is taken once.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "common/io/cluster_channel.hpp"
#include "common/io/ticket_file.hpp"

namespace {

using namespace rollcall::io;
using rollcall::Result;

Seed filled(std::uint8_t value) {
  Seed seed;
  seed.fill(value);
  return seed;
}

Ticket the_ticket() {
  Ticket ticket;
  ticket.id.fill(7);
  ticket.secret = filled(9);
  return ticket;
}

struct OneDesk : TicketDesk {
  bool spent = false;
  std::optional<cluster::Bytes32> secret(const TicketId& id, const std::string&) override {
    if (id != the_ticket().id) return std::nullopt;
    return the_ticket().secret;
  }
  bool spend(const TicketId&, const cluster::Bytes32& nonce) override {
    if (nonce != filled(0x22)) std::abort();  // nobody else has the secret
    return !std::exchange(spent, true);
  }
};

ClusterKey fuzz_key() { return {filled(1), cluster::public_half(cluster::exchange_scalar(filled(1)))}; }

// Everything that is given out must be what was said, in order; how much was.
std::size_t feed(ClusterChannel& end, std::string_view bytes, std::size_t cut, std::string_view said) {
  std::size_t given = 0;
  std::string out;
  const auto sink = [&](std::string_view payload) -> Result<void> {
    if (given++ > 0 || payload != said) std::abort();
    return {};
  };
  const auto first = end.feed(bytes.substr(0, cut), out, sink);
  const auto second = end.feed(bytes.substr(std::min(cut, bytes.size())), out, sink);
  if (!first && (second || end.open())) std::abort();  // an error is final
  if (out.size() > 68) std::abort();
  return given;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  const std::size_t cut = data[0];
  if (const auto ticket = parse_ticket_file(bytes))
    if (print_ticket_file(*ticket) != bytes) std::abort();

  OneDesk desk;
  std::size_t taken = 0;
  for (const std::uint8_t seed : {0x33, 0x34}) {
    auto daemon = ClusterChannel::accept(fuzz_key(), filled(seed));
    daemon.honour_tickets(desk, "10.0.0.1");
    taken += feed(daemon, bytes, cut, "request");
    if (daemon.open() && daemon.caller() != ClusterChannel::Caller::ticket) std::abort();
  }
  if (taken > 1) std::abort();

  auto client = ClusterChannel::dial_with_ticket(the_ticket(), filled(0x22));
  client.start();
  feed(client, bytes, cut, "reply");
  return 0;
}
