#include "common/io/ticket.hpp"

#include <algorithm>

namespace rollcall::io {
namespace {

using cluster::Bytes32;
using cluster::view;

constexpr std::string_view kTicketTranscript = "rollcall ticket v1";
constexpr std::string_view kTicketToAcceptor = "rollcall ticket to acceptor v1";
constexpr std::string_view kTicketToDialler = "rollcall ticket to dialler v1";
constexpr std::string_view kTicketProof = "rollcall ticket accept v1";
constexpr std::string_view kTicketHash = "rollcall ticket hash v1";
constexpr std::string_view kTicketHalf = "rollcall ticket half v1";

}  // namespace

std::string Ticket::bytes() const { return std::string(view(id)).append(view(secret)); }

std::optional<Ticket> Ticket::of(std::string_view bytes) {
  if (bytes.size() != kBytes) return std::nullopt;
  Ticket ticket;
  std::copy_n(bytes.begin(), ticket.id.size(), ticket.id.begin());
  std::copy_n(bytes.begin() + 16, ticket.secret.size(), ticket.secret.begin());
  return ticket;
}

std::string TicketCall::payload(std::uint8_t version) const {
  std::string bytes{static_cast<char>(version), static_cast<char>(kKind)};
  return bytes.append(view(id)).append(view(nonce));
}

std::optional<TicketCall> TicketCall::of(std::string_view payload) {
  if (payload.size() != kBytes) return std::nullopt;
  TicketCall call;
  std::copy_n(payload.begin() + 2, call.id.size(), call.id.begin());
  std::copy_n(payload.begin() + 18, call.nonce.size(), call.nonce.begin());
  return call;
}

namespace ticket_keys {

Bytes32 transcript(std::string_view call, std::string_view answer) {
  return cluster::blake({}, kTicketTranscript, std::string(call).append(answer));
}
Bytes32 to_acceptor(const Bytes32& secret, const Bytes32& called) {
  return cluster::blake(view(secret), kTicketToAcceptor, view(called));
}
Bytes32 to_dialler(const Bytes32& secret, const Bytes32& both) {
  return cluster::blake(view(secret), kTicketToDialler, view(both));
}
Bytes32 proof(const Bytes32& secret, const Bytes32& both) {
  return cluster::blake(view(secret), kTicketProof, view(both));
}
Bytes32 hash(const Bytes32& secret, const Bytes32& both) {
  return cluster::blake(view(secret), kTicketHash, view(both));
}
Bytes32 half(const Bytes32& random) { return cluster::blake(view(random), kTicketHalf, {}); }

}  // namespace ticket_keys
}  // namespace rollcall::io
