// The handshake with a ticket: the bytes are in ticket.hpp, the states in cluster_channel.hpp.
#include <sodium.h>

#include "common/io/cluster_channel_state.hpp"

namespace rollcall::io {
namespace {

using cluster::Bytes32;
using cluster::view;
using handshake::check_size;
using handshake::kAcceptBytes;
using handshake::kNo;
using handshake::kVersion;
using handshake::same;

}  // namespace

std::string ClusterChannel::State::call_with_ticket() {
  const std::string payload = with_ticket->call.payload(kVersion);
  transcript = ticket_keys::transcript(payload);
  Bytes32 key = ticket_keys::to_acceptor(with_ticket->secret, transcript);
  talk.begin_sending(key);
  stage = Stage::awaits_answer;
  return payload;
}

void ClusterChannel::State::turn_away(std::string& out) {
  wire::append_frame(out, kNo);
  stage = Stage::turned_away;
  with_ticket.reset();
}

void ClusterChannel::State::on_call(std::string_view payload, std::string& out) {
  with_ticket->call = *TicketCall::of(payload);
  auto secret_of_it = with_ticket->desk->secret(with_ticket->call.id, with_ticket->address);
  if (!secret_of_it) return turn_away(out);
  with_ticket->secret = *secret_of_it;
  sodium_memzero(secret_of_it->data(), secret_of_it->size());
  with_ticket->answer = payload;
  Bytes32 key = ticket_keys::to_acceptor(with_ticket->secret, ticket_keys::transcript(payload));
  talk.begin_receiving(key);
  stage = Stage::awaits_early;
}

// The nonce is checked after the record has opened: an eavesdropper who repeats only the call cannot use up the ticket, and a
// full replay gets No without effect.
Result<void> ClusterChannel::State::on_early(std::string_view record, std::string& out, const Sink& sink) {
  const auto payload = talk.open_early(record);
  if (!payload) return payload.error();
  if (!with_ticket->desk->spend(with_ticket->call.id, with_ticket->call.nonce)) {
    turn_away(out);
    return {};
  }
  const Bytes32 half = ticket_keys::half(scalar);
  const Bytes32 both = ticket_keys::transcript(with_ticket->answer, view(half));
  Bytes32 key = ticket_keys::to_dialler(with_ticket->secret, both);
  talk.begin_sending(key);
  hash = view(ticket_keys::hash(with_ticket->secret, both));
  with_ticket->answer.clear();
  wire::append_frame(with_ticket->answer,
                     std::string(view(half)).append(view(ticket_keys::proof(with_ticket->secret, both))));
  sodium_memzero(with_ticket->secret.data(), with_ticket->secret.size());
  wipe_handshake();
  caller = Caller::ticket;
  talk.opened();
  return sink(*payload);
}

Result<void> ClusterChannel::State::on_answer(std::string_view payload) {
  if (payload == kNo) {
    stage = Stage::turned_away;
    return internal_error("the daemon does not take our ticket");
  }
  if (auto sized = check_size(payload, kAcceptBytes, "an answer to our ticket"); !sized) return sized;
  const Bytes32& secret_of_it = with_ticket->secret;
  const Bytes32 both = ticket_keys::transcript(with_ticket->call.payload(kVersion), payload.substr(0, 32));
  if (!same(ticket_keys::proof(secret_of_it, both), payload.substr(32)))
    return internal_error("what answers did not give us our ticket");
  Bytes32 key = ticket_keys::to_dialler(secret_of_it, both);
  talk.begin_receiving(key);
  hash = view(ticket_keys::hash(secret_of_it, both));
  with_ticket.reset();
  wipe_handshake();
  talk.opened();
  return {};
}

}  // namespace rollcall::io
