// Ticket: what a client was given by a daemon after a whole handshake, and comes back with: no Diffie-Hellman, no MUNGE, and
// its request in the first flight. Values, and the arithmetic of docs/protocol.md.
//
// Not who holds one and for how long (the daemon's TicketDesk decides), not the conversation (cluster_channel.hpp), not where a
// client keeps its own (ticket_file.hpp).
//
//   ticket = id secret        16 and 32 random bytes; who has the secret is whom the daemon gave it to
//   call   = version kind id nonce       50 bytes, in clear, and sealed records at once behind it
//   answer = half proof                  64 bytes, in clear; the daemon's records follow
//   no     = one byte, 0                 the ticket is worth nothing (any more): nothing of the records was opened, or done
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "common/io/cluster_keys.hpp"

namespace rollcall::io {

using TicketId = std::array<std::uint8_t, 16>;

struct Ticket {
  static constexpr std::size_t kBytes = 16 + 32;
  TicketId id{};
  cluster::Bytes32 secret{};

  std::string bytes() const;
  static std::optional<Ticket> of(std::string_view bytes);  // kBytes of them, else nothing
};

// The first message of who comes with a ticket.
struct TicketCall {
  static constexpr std::uint8_t kKind = 3;
  static constexpr std::size_t kBytes = 2 + 16 + 32;
  TicketId id{};
  cluster::Bytes32 nonce{};  // never used before with this ticket: a daemon takes each once

  std::string payload(std::uint8_t version) const;
  static std::optional<TicketCall> of(std::string_view payload);  // kBytes of them
};

// What a daemon knows of the tickets it has given. Asked on the daemon's loop.
class TicketDesk {
 public:
  TicketDesk() = default;
  TicketDesk(const TicketDesk&) = delete;
  TicketDesk& operator=(const TicketDesk&) = delete;
  virtual ~TicketDesk() = default;

  // Of a ticket that is good for a caller from this address; nothing for any other.
  virtual std::optional<cluster::Bytes32> secret(const TicketId& id, const std::string& address) = 0;
  // Once for each nonce of a ticket, and that is now: false where it was before, or the ticket has no more room. Asked when the
  // caller has shown that it has the secret, so that nobody else uses a ticket up.
  virtual bool spend(const TicketId& id, const cluster::Bytes32& nonce) = 0;
};

namespace ticket_keys {

// Of what was said in clear: by the caller alone, and by both.
cluster::Bytes32 transcript(std::string_view call, std::string_view answer = {});
cluster::Bytes32 to_acceptor(const cluster::Bytes32& secret, const cluster::Bytes32& called);
cluster::Bytes32 to_dialler(const cluster::Bytes32& secret, const cluster::Bytes32& both);
cluster::Bytes32 proof(const cluster::Bytes32& secret, const cluster::Bytes32& both);
cluster::Bytes32 hash(const cluster::Bytes32& secret, const cluster::Bytes32& both);
// The acceptor's half of an answer, from random bytes that it keeps to itself.
cluster::Bytes32 half(const cluster::Bytes32& random);

}  // namespace ticket_keys
}  // namespace rollcall::io
