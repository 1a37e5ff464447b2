// The state of one ClusterChannel, and the sizes and checks that its two handshakes share.
//
// Not an interface: only cluster_channel.cpp (the handshake with the cluster's key, the sealed records) and
// cluster_channel_ticket.cpp (the handshake with a ticket) include it. Owned by its ClusterChannel, whose header has the table of
// states and inputs.
#pragma once

#include <sodium.h>

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "common/io/cluster_channel.hpp"
#include "common/io/cluster_keys.hpp"
#include "common/io/sealed_conversation.hpp"
#include "common/io/ticket.hpp"
#include "common/wire/frame.hpp"

namespace rollcall::io {
namespace handshake {

constexpr std::uint8_t kVersion = 1;
constexpr std::size_t kDialBytes = 2 + 32;
constexpr std::size_t kNamedDialBytes = kDialBytes + 32;
constexpr std::size_t kAcceptBytes = 32 + 32;
constexpr std::size_t kFinishBytes = 32;
static_assert(wire::kHandshakeLimit >= kAcceptBytes);

constexpr std::string_view kNo("\0", 1);  // in clear: an attacker who forges it causes only a full handshake

}  // namespace handshake

// The state of a conversation with a ticket; most conversations have none.
struct WithTicket {
  TicketDesk* desk = nullptr;  // of the acceptor
  std::string address;         // ... the caller's address
  TicketCall call;
  cluster::Bytes32 secret{};
  std::string answer;  // of the acceptor: the frame that precedes the first sealed one

  WithTicket() = default;
  WithTicket(const WithTicket&) = delete;
  WithTicket& operator=(const WithTicket&) = delete;
  ~WithTicket() { sodium_memzero(secret.data(), secret.size()); }
};

struct ClusterChannel::State {
  enum class Stage : std::uint8_t {
    fresh,
    awaits_accept,
    awaits_finish,
    awaits_answer,  // the dialler, with a ticket
    awaits_early,   // the acceptor: the first record shows that the caller has the ticket's secret
    turned_away,
  };

  Stage stage = Stage::fresh;
  bool accepts = false;
  bool prepared =
      false;  // dialler: `shared` has the result with the cluster's key; acceptor: our own half is made
  Caller caller = Caller::anyone;
  ClusterPublicKey cluster{};             // the cluster's public half
  cluster::Bytes32 secret{};              // the cluster's secret; zeros for anyone
  cluster::Bytes32 scalar{};              // of this connection's own key; then the proof that is awaited
  std::array<std::uint8_t, 64> shared{};  // both results of Diffie-Hellman
  cluster::Bytes32 transcript{};  // hash of all messages in clear; before that our own half, where it is made
  std::string hash;
  const PeerKeys* keys = nullptr;   // of an acceptor with several keys: all of them
  const PeerKey* proved = nullptr;  // ... the one that the caller names, later has proved
  SealedConversation talk;
  std::unique_ptr<WithTicket> with_ticket;

  State(bool accepting, Caller who, const Seed& random) : accepts(accepting), caller(who), scalar(random) {
    cluster::ready_sodium();
  }
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State() { wipe(); }

  void wipe_handshake();
  void wipe();
  std::string dial();
  void prepare();
  Result<void> take_kind(std::string_view payload);
  Result<void> take_named_key(std::string_view payload);
  cluster::Bytes32 derive(std::string_view label) const;
  cluster::Bytes32 finish_proof() const;
  bool agree(const cluster::Bytes32& dialled, const cluster::Bytes32& accepted);
  void open_streams();
  std::size_t limit(bool from_dialler) const;

  Result<void> on_frame(std::string_view payload, std::string& out, const Sink& sink);
  Result<void> on_dial(std::string_view payload, std::string& out);
  Result<void> on_accept(std::string_view payload, std::string& out);
  Result<void> on_finish(std::string_view payload);

  bool may_seal() const { return talk.open() || (stage == Stage::awaits_answer && !talk.failed()); }
  std::string call_with_ticket();
  void turn_away(std::string& out);
  void on_call(std::string_view payload, std::string& out);
  Result<void> on_answer(std::string_view payload);
  Result<void> on_early(std::string_view record, std::string& out, const Sink& sink);
};

}  // namespace rollcall::io
