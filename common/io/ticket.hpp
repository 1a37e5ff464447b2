// Ticket: lets a client that made a full handshake return without Diffie-Hellman and MUNGE, its request in the first packet.
// Values, and the arithmetic of docs/protocol.md.
//
// The daemon's TicketDesk decides who gets one and for how long; the conversation is in cluster_channel.hpp, a client's copy in
// ticket_file.hpp.
//
//   ticket = id secret        16 and 32 random bytes; the secret proves the user to whom the daemon gave it
//   call   = version kind id nonce       50 bytes, in clear, followed at once by sealed records
//   answer = half proof                  64 bytes, in clear; the daemon's records follow
//   no     = one byte, 0                 the ticket is not valid (any more): no record was opened, nothing was done
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

// The first message of a client with a ticket.
struct TicketCall {
  static constexpr std::uint8_t kKind = 3;
  static constexpr std::size_t kBytes = 2 + 16 + 32;
  TicketId id{};
  cluster::Bytes32 nonce{};  // never used before with this ticket: a daemon accepts each once

  std::string payload(std::uint8_t version) const;
  static std::optional<TicketCall> of(std::string_view payload);  // kBytes of them
};

// The daemon's table of its tickets. Called on the daemon's loop.
class TicketDesk {
 public:
  TicketDesk() = default;
  TicketDesk(const TicketDesk&) = delete;
  TicketDesk& operator=(const TicketDesk&) = delete;
  virtual ~TicketDesk() = default;

  // The ticket's user if it is valid for a caller from this address; else none.
  virtual std::optional<cluster::Bytes32> secret(const TicketId& id, const std::string& address) = 0;
  // Marks a nonce as used; false where it was used before, or the ticket has room for no more. Called after the caller has proved
  // the secret, so that others cannot use up a ticket.
  virtual bool spend(const TicketId& id, const cluster::Bytes32& nonce) = 0;
};

namespace ticket_keys {

// The hash of the messages in clear: the caller's alone, and both.
cluster::Bytes32 transcript(std::string_view call, std::string_view answer = {});
cluster::Bytes32 to_acceptor(const cluster::Bytes32& secret, const cluster::Bytes32& called);
cluster::Bytes32 to_dialler(const cluster::Bytes32& secret, const cluster::Bytes32& both);
cluster::Bytes32 proof(const cluster::Bytes32& secret, const cluster::Bytes32& both);
cluster::Bytes32 hash(const cluster::Bytes32& secret, const cluster::Bytes32& both);
// The acceptor's half of an answer, from its own random bytes.
cluster::Bytes32 half(const cluster::Bytes32& random);

}  // namespace ticket_keys
}  // namespace rollcall::io
