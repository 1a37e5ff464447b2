// dial   = version kind half          34 bytes   kind: 0 anyone, 1 owner, 2 daemon
//        | version kind half mark     66 bytes   kind: 4 a daemon that names its key
// accept = half proof                 64 bytes
// finish = proof                      32 bytes
// record = a record of secretstream   18 bytes or more
//
// Each is the payload of one frame; `half` is the public half of a key made for this connection alone. What the proofs
// and the streams' keys are made from is in docs/protocol.md, with test vectors.
#include "common/io/cluster_channel.hpp"

#include <sodium.h>

#include <algorithm>
#include <cassert>
#include <utility>

#include "common/io/cluster_channel_state.hpp"

namespace rollcall::io {
namespace {

using cluster::Bytes32;
using cluster::view;
using handshake::check_size;
using handshake::kAcceptBytes;
using handshake::kDialBytes;
using handshake::kFinishBytes;
using handshake::kNamedDialBytes;
using handshake::kVersion;
using handshake::same;
using handshake::take;

// The label of each keyed hash, so that a hash made for one purpose is useless for another.
constexpr std::string_view kTranscript = "rollcall cluster v1";
constexpr std::string_view kAcceptProof = "rollcall cluster accept v1";
constexpr std::string_view kFinishProof = "rollcall cluster finish v1";
constexpr std::string_view kHolderProof = "rollcall cluster holder v1";
constexpr std::string_view kChannelHash = "rollcall cluster hash v1";
constexpr std::string_view kToAcceptor = "rollcall cluster to acceptor v1";
constexpr std::string_view kToDialler = "rollcall cluster to dialler v1";

std::uint8_t kind_of(ClusterChannel::Caller caller) {
  switch (caller) {
    case ClusterChannel::Caller::anyone:
      return 0;
    case ClusterChannel::Caller::owner:
      return 1;
    case ClusterChannel::Caller::ticket:
      return TicketCall::kKind;
    case ClusterChannel::Caller::peer:
      return 4;
    case ClusterChannel::Caller::daemon:
      break;
  }
  return 2;
}

}  // namespace

void ClusterChannel::State::wipe_handshake() {
  sodium_memzero(secret.data(), secret.size());
  sodium_memzero(scalar.data(), scalar.size());
  sodium_memzero(shared.data(), shared.size());
}

void ClusterChannel::State::wipe() {
  wipe_handshake();
  sodium_memzero(hash.data(), hash.size());
  talk.fail();
}

std::string ClusterChannel::State::dial() {
  transcript = cluster::public_half(scalar);
  std::string payload;
  payload.push_back(static_cast<char>(kVersion));
  payload.push_back(static_cast<char>(kind_of(caller)));
  payload.append(view(transcript));
  if (caller != Caller::peer) return payload;
  prepare();
  return payload.append(view(key_mark(view(shared).substr(32), payload)));
}

// A worthless cluster key is found out by agree().
void ClusterChannel::State::prepare() {
  Bytes32 with_cluster;
  prepared = cluster::exchange(with_cluster, scalar, cluster);
  std::copy(with_cluster.begin(), with_cluster.end(), shared.begin() + 32);
  sodium_memzero(with_cluster.data(), with_cluster.size());
}

// A hash that only the two ends of this handshake can compute: it is keyed with both shared secrets, which takes the dialler's
// half or both of the acceptor's halves.
Bytes32 ClusterChannel::State::derive(std::string_view label) const {
  return cluster::blake(view(shared), label, view(transcript));
}

// The dialler's last proof: anyone proves that it is the one who dialled; the others, that they hold the secret.
Bytes32 ClusterChannel::State::finish_proof() const {
  const Bytes32 base = derive(kFinishProof);
  if (caller == Caller::anyone) return base;
  Bytes32 key = cluster::proof_key(secret);
  const Bytes32 proof = cluster::blake(view(key), kHolderProof, view(base));
  sodium_memzero(key.data(), key.size());
  return proof;
}

// Computes both shared secrets and the transcript, on either end. False where a half is worthless.
bool ClusterChannel::State::agree(const Bytes32& dialled, const Bytes32& accepted) {
  Bytes32 both_fresh, with_cluster;
  bool good = false;
  if (accepts) {
    Bytes32 cluster_scalar = cluster::exchange_scalar(secret);
    good = cluster::exchange(both_fresh, scalar, dialled) &&
           cluster::exchange(with_cluster, cluster_scalar, dialled);
    sodium_memzero(cluster_scalar.data(), cluster_scalar.size());
  } else {
    good = cluster::exchange(both_fresh, scalar, accepted);
    if (prepared)
      std::copy(shared.begin() + 32, shared.end(), with_cluster.begin());
    else
      good = good && cluster::exchange(with_cluster, scalar, cluster);
  }
  if (good) {
    std::copy(both_fresh.begin(), both_fresh.end(), shared.begin());
    std::copy(with_cluster.begin(), with_cluster.end(), shared.begin() + 32);
    std::string said(view(cluster));
    said.push_back(static_cast<char>(kVersion));
    said.push_back(static_cast<char>(kind_of(caller)));
    said.append(view(dialled)).append(view(accepted));
    transcript = cluster::blake({}, kTranscript, said);
  }
  sodium_memzero(both_fresh.data(), both_fresh.size());
  sodium_memzero(with_cluster.data(), with_cluster.size());
  return good;
}

void ClusterChannel::State::open_streams() {
  Bytes32 to_peer = derive(accepts ? kToDialler : kToAcceptor);
  Bytes32 from_peer = derive(accepts ? kToAcceptor : kToDialler);
  talk.begin_sending(to_peer);
  talk.begin_receiving(from_peer);
  hash = view(derive(kChannelHash));
  wipe_handshake();
  talk.opened();
}

// The largest frame in one direction. An unproved peer may send only small frames, for the whole conversation.
std::size_t ClusterChannel::State::limit(bool from_dialler) const {
  const bool small = caller == Caller::anyone || caller == Caller::ticket;
  if (talk.open()) return from_dialler && small ? kAnyoneLimit : wire::kFrameLimit;
  if (stage == Stage::awaits_early || stage == Stage::turned_away) return kAnyoneLimit;
  if (stage == Stage::awaits_answer) return from_dialler ? kAnyoneLimit : wire::kHandshakeLimit;
  return wire::kHandshakeLimit;
}

Result<void> ClusterChannel::State::on_frame(std::string_view payload, std::string& out, const Sink& sink) {
  switch (stage) {
    case Stage::fresh:
      if (accepts) return on_dial(payload, out);
      break;
    case Stage::awaits_accept:
      return on_accept(payload, out);
    case Stage::awaits_finish:
      return on_finish(payload);
    case Stage::awaits_answer:
      return on_answer(payload);
    case Stage::awaits_early:
      return on_early(payload, out, sink);
    case Stage::turned_away:
      return {};
  }
  return internal_error("bytes came before anything was asked, expected none");
}

// A call that names no key means the first one.
Result<void> ClusterChannel::State::take_kind(std::string_view payload) {
  if (auto sized = check_size(payload, kDialBytes, "a call"); !sized) return sized;
  const auto kind = static_cast<std::uint8_t>(payload[1]);
  const auto callers = {Caller::anyone, Caller::owner, Caller::daemon};
  const auto* const found =
      std::find_if(callers.begin(), callers.end(), [kind](Caller who) { return kind_of(who) == kind; });
  if (found == callers.end())
    return internal_error("a call of kind " + std::to_string(kind) + ", expected 0 to 2");
  caller = *found;
  return {};
}

// From here on the conversation uses the key that the caller means.
Result<void> ClusterChannel::State::take_named_key(std::string_view payload) {
  proved =
      keys->named(take(payload.substr(2, 32)), payload.substr(0, kDialBytes), payload.substr(kDialBytes));
  if (proved == nullptr) return internal_error("a call that names a key which this daemon does not have");
  caller = Caller::peer;
  cluster = proved->key.public_half;
  secret = proved->key.secret;
  return {};
}

Result<void> ClusterChannel::State::on_dial(std::string_view payload, std::string& out) {
  if (const auto version = static_cast<std::uint8_t>(payload[0]); version != kVersion)
    return internal_error("a call of protocol version " + std::to_string(version) + ", expected " +
                          std::to_string(kVersion));
  if (with_ticket && payload.size() == TicketCall::kBytes && payload[1] == TicketCall::kKind) {
    on_call(payload, out);
    return {};
  }
  const bool names_key = keys != nullptr && payload.size() == kNamedDialBytes &&
                         static_cast<std::uint8_t>(payload[1]) == kind_of(Caller::peer);
  if (const auto taken = names_key ? take_named_key(payload) : take_kind(payload); !taken) return taken;
  with_ticket.reset();

  const Bytes32 mine = prepared ? transcript : cluster::public_half(scalar);
  if (!agree(take(payload.substr(2, 32)), mine)) return internal_error("a call with a worthless key");
  std::string answer(view(mine));
  answer.append(view(derive(kAcceptProof)));
  wire::append_frame(out, answer);
  stage = Stage::awaits_finish;
  return {};
}

Result<void> ClusterChannel::State::on_accept(std::string_view payload, std::string& out) {
  if (auto sized = check_size(payload, kAcceptBytes, "an answer to our call"); !sized) return sized;
  if (const Bytes32 mine = transcript; !agree(mine, take(payload.substr(0, 32))))
    return internal_error("a worthless key, expected the cluster's and the daemon's");
  if (!same(derive(kAcceptProof), payload.substr(32)))
    return internal_error("what answers does not hold the cluster's key");
  wire::append_frame(out, view(finish_proof()));
  open_streams();
  return {};
}

Result<void> ClusterChannel::State::on_finish(std::string_view payload) {
  if (auto sized = check_size(payload, kFinishBytes, "a caller's proof"); !sized) return sized;
  if (!same(finish_proof(), payload))
    return internal_error(caller == Caller::anyone ? "the caller does not know the cluster's public key"
                                                   : "the caller does not hold the cluster's key");
  open_streams();
  if (proved != nullptr && proved->peer.empty()) caller = Caller::daemon;
  return {};
}

ClusterChannel::ClusterChannel(std::unique_ptr<State> state) : state_(std::move(state)) {}
ClusterChannel::ClusterChannel(ClusterChannel&&) noexcept = default;
ClusterChannel& ClusterChannel::operator=(ClusterChannel&&) noexcept = default;
ClusterChannel::~ClusterChannel() = default;

ClusterChannel ClusterChannel::dial_as_daemon(const ClusterKey& key, const Seed& random) {
  return with_key(false, Caller::daemon, key, random);
}

ClusterChannel ClusterChannel::dial_naming_key(const ClusterKey& key, const Seed& random) {
  return with_key(false, Caller::peer, key, random);
}

ClusterChannel ClusterChannel::dial_as_owner(const ClusterKey& key, const Seed& random) {
  return with_key(false, Caller::owner, key, random);
}

ClusterChannel ClusterChannel::dial_as_anyone(const ClusterPublicKey& key, const Seed& random) {
  auto state = std::make_unique<State>(false, Caller::anyone, random);
  state->cluster = key;
  return ClusterChannel(std::move(state));
}

ClusterChannel ClusterChannel::dial_with_ticket(const Ticket& ticket, const Seed& random) {
  auto state = std::make_unique<State>(false, Caller::ticket, random);
  state->with_ticket = std::make_unique<WithTicket>();
  state->with_ticket->call = {ticket.id, random};
  state->with_ticket->secret = ticket.secret;
  return ClusterChannel(std::move(state));
}

void ClusterChannel::honour_tickets(TicketDesk& desk, std::string address) {
  assert(state_->accepts && state_->stage == State::Stage::fresh);
  state_->with_ticket = std::make_unique<WithTicket>();
  state_->with_ticket->desk = &desk;
  state_->with_ticket->address = std::move(address);
}

ClusterChannel ClusterChannel::accept(const ClusterKey& key, const Seed& random) {
  return with_key(true, Caller::anyone, key, random);
}

ClusterChannel::OwnKey::OwnKey(const Seed& random) : scalar(random) {
  cluster::ready_sodium();
  half = cluster::public_half(scalar);
}
ClusterChannel::OwnKey::~OwnKey() { sodium_memzero(scalar.data(), scalar.size()); }

ClusterChannel ClusterChannel::accept(const ClusterKey& key, const OwnKey& own) {
  auto channel = with_key(true, Caller::anyone, key, own.scalar);
  channel.state_->transcript = own.half;
  channel.state_->prepared = true;
  return channel;
}

ClusterChannel ClusterChannel::accept(const PeerKeys& keys, const Seed& random) {
  auto channel = accept(keys.own(), random);
  channel.state_->keys = &keys;
  return channel;
}

ClusterChannel ClusterChannel::accept(const PeerKeys& keys, const OwnKey& own) {
  auto channel = accept(keys.own(), own);
  channel.state_->keys = &keys;
  return channel;
}

ClusterChannel ClusterChannel::with_key(bool accepts, Caller caller, const ClusterKey& key,
                                        const Seed& random) {
  auto state = std::make_unique<State>(accepts, caller, random);
  state->cluster = key.public_half;
  state->secret = key.secret;
  static_assert(sizeof(State) <= 448, "a master holds 10,000 of these");
  return ClusterChannel(std::move(state));
}

std::string ClusterChannel::start() {
  assert(!state_->accepts && state_->stage == State::Stage::fresh);
  std::string out;
  if (state_->with_ticket) {
    wire::append_frame(out, state_->call_with_ticket());
    return out;
  }
  wire::append_frame(out, state_->dial());
  state_->stage = State::Stage::awaits_accept;
  return out;
}

void ClusterChannel::prepare() {
  if (!state_->accepts && state_->stage == State::Stage::awaits_accept && !state_->prepared &&
      !state_->talk.open())
    state_->prepare();
}

Result<void> ClusterChannel::feed(std::string_view bytes, std::string& out, const Sink& sink) {
  const auto limit = [this] { return state_->limit(state_->accepts); };
  const auto handshake = [&](std::string_view payload) { return state_->on_frame(payload, out, sink); };
  if (turned_away()) return state_->accepts ? Result<void>() : internal_error("this conversation is over");
  auto fed = state_->talk.feed(bytes, limit, handshake, sink);
  if (turned_away() || !fed) state_->wipe();        // wipe the keys of a rejected caller
  if (turned_away() && state_->accepts) return {};  // ignore data that follows a rejected ticket
  return fed;
}

bool ClusterChannel::open() const { return state_->talk.open(); }

ClusterChannel::Caller ClusterChannel::caller() const {
  assert(open() && state_->accepts);
  return open() ? state_->caller : Caller::anyone;  // no caller is more than that before its proof
}

const std::string& ClusterChannel::peer() const {
  static const std::string kNone;
  return open() && state_->proved != nullptr ? state_->proved->peer : kNone;
}

const TicketId& ClusterChannel::ticket() const {
  assert(open() && state_->accepts && state_->caller == Caller::ticket);
  return state_->with_ticket->call.id;
}

bool ClusterChannel::turned_away() const { return state_->stage == State::Stage::turned_away; }

const std::string& ClusterChannel::hash() const {
  assert(open());
  return state_->hash;
}

std::size_t ClusterChannel::most() const {
  return state_->may_seal() ? state_->limit(!state_->accepts) - SealedStream::kSealBytes : 0;
}

std::string ClusterChannel::seal(std::string_view payload) {
  if (!state_->may_seal() || payload.empty() || payload.size() > most())
    return {};  // never seal without a key, whatever the caller's state
  if (!state_->with_ticket || state_->with_ticket->answer.empty()) return state_->talk.seal(payload);
  return std::exchange(state_->with_ticket->answer, {}) + state_->talk.seal(payload);
}

}  // namespace rollcall::io
