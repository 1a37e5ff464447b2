#include "common/io/secure_channel.hpp"

#include <sodium.h>

#include <algorithm>
#include <cassert>
#include <utility>

#include "common/io/handshake_bytes.hpp"
#include "common/io/sealed_conversation.hpp"
#include "common/wire/frame.hpp"
#include "common/wire/task.pb.h"

namespace rollcall::io {
namespace {

constexpr std::uint32_t kVersion = 1;
constexpr std::size_t kProofBytes = crypto_auth_BYTES;

// The exact sizes of the messages in clear: a field is its bytes, a tag and a length; a version is 2 bytes.
constexpr std::size_t kHelloBytes = 2 + 2 + kNonceBytes;
constexpr std::size_t kChallengeBytes = 2 + 2 + kNonceBytes + 2 + kInstanceBytes + 2 + kProofBytes;
constexpr std::size_t kProofMessageBytes = 2 + kProofBytes;

// The label of each keyed hash, so that a proof made for one purpose is useless for another.
constexpr std::string_view kPamProof = "rollcall pam v1";
constexpr std::string_view kStarterProof = "rollcall starter v1";
constexpr std::string_view kStarterToPam = "rollcall starter to pam v1";
constexpr std::string_view kPamToStarter = "rollcall pam to starter v1";
constexpr std::string_view kRelayKey = "rollcall relay key v1";

using handshake::Bytes32;
using handshake::check_size;
using handshake::octets;
using handshake::ready_sodium;
using handshake::take;
using handshake::view;

static_assert(kProofBytes == 32);
static_assert(kKeyBytes == crypto_auth_KEYBYTES);
static_assert(wire::kHandshakeLimit >= kChallengeBytes);

// Parses a message in clear. `size` is that of a correct one; further bytes are not authenticated.
template <class Message>
Result<Message> parse(std::string_view payload, std::size_t size, const char* name) {
  Message message;
  if (!message.ParseFromArray(payload.data(), static_cast<int>(payload.size())))
    return internal_error(std::string("found bytes that cannot be read, expected ") + name);
  if constexpr (requires { message.version(); }) {
    if (message.version() != kVersion)
      return internal_error(std::string(name) + " of protocol version " + std::to_string(message.version()) +
                            ", expected " + std::to_string(kVersion));
  }
  if (payload.size() != size)
    return internal_error(std::string(name) + " of " + std::to_string(payload.size()) + " bytes, expected " +
                          std::to_string(size));
  return message;
}

template <class Message>
void append_message(std::string& out, const Message& message) {
  wire::append_frame(out, message.SerializeAsString());
}

}  // namespace

struct SecureChannel::State {
  enum class Stage : std::uint8_t { fresh, awaits_challenge, awaits_proof };

  Stage stage = Stage::fresh;
  bool is_pam = false;
  Key key{};
  Nonce starter_nonce{};
  Nonce pam_nonce{};
  Instance instance{};
  SealedConversation talk;

  State(bool pam, const Key& k) : is_pam(pam), key(k) { ready_sodium(); }
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State() { wipe(); }

  void wipe();
  std::string transcript() const;
  Bytes32 proof(std::string_view label) const;
  Result<void> check_proof(std::string_view given, std::string_view label, const char* whose) const;
  Bytes32 derive(std::string_view label) const;
  void open_streams();

  Result<void> on_frame(std::string_view payload, std::string& out);
  Result<void> on_hello(std::string_view payload, std::string& out);
  Result<void> on_challenge(std::string_view payload, std::string& out);
  Result<void> on_proof(std::string_view payload);
};

void SecureChannel::State::wipe() {
  sodium_memzero(key.data(), key.size());
  talk.fail();
}

// The input of a keyed hash of this connection, after a label. Every part has a fixed size, and the labels differ, so two
// purposes never hash the same bytes.
std::string SecureChannel::State::transcript() const {
  return std::string(view(starter_nonce)).append(view(pam_nonce)).append(view(instance));
}

Bytes32 SecureChannel::State::proof(std::string_view label) const {
  Bytes32 digest;
  const std::string bytes = std::string(label).append(transcript());
  crypto_auth(digest.data(), octets(bytes), bytes.size(), key.data());
  return digest;
}

Result<void> SecureChannel::State::check_proof(std::string_view given, std::string_view label,
                                               const char* whose) const {
  if (auto sized = check_size(given, kProofBytes, "a proof"); !sized) return sized;
  if (handshake::same(proof(label), given)) return {};
  return internal_error(std::string(whose) + " does not hold our key");
}

// The key of one direction is made from both nonces.
Bytes32 SecureChannel::State::derive(std::string_view label) const {
  return handshake::blake(view(key), label, transcript());
}

void SecureChannel::State::open_streams() {
  Bytes32 to_peer = derive(is_pam ? kPamToStarter : kStarterToPam);
  Bytes32 from_peer = derive(is_pam ? kStarterToPam : kPamToStarter);
  talk.begin_sending(to_peer);
  talk.begin_receiving(from_peer);
  sodium_memzero(key.data(), key.size());  // no longer needed
  talk.opened();
}

Result<void> SecureChannel::State::on_frame(std::string_view payload, std::string& out) {
  switch (stage) {
    case Stage::fresh:
      if (is_pam) return on_hello(payload, out);
      break;
    case Stage::awaits_challenge:
      return on_challenge(payload, out);
    case Stage::awaits_proof:
      return on_proof(payload);
  }
  return internal_error("bytes came before anything was asked, expected none");
}

Result<void> SecureChannel::State::on_hello(std::string_view payload, std::string& out) {
  const auto hello = parse<wire::Hello>(payload, kHelloBytes, "a Hello");
  if (!hello) return hello.error();
  if (auto sized = check_size(hello->nonce(), kNonceBytes, "a nonce"); !sized) return sized;
  starter_nonce = take<kNonceBytes>(hello->nonce());

  wire::Challenge challenge;
  challenge.set_version(kVersion);
  challenge.set_nonce(pam_nonce.data(), pam_nonce.size());
  challenge.set_instance(instance.data(), instance.size());
  const Bytes32 mine = proof(kPamProof);
  challenge.set_proof(mine.data(), mine.size());
  append_message(out, challenge);
  stage = Stage::awaits_proof;
  return {};
}

Result<void> SecureChannel::State::on_challenge(std::string_view payload, std::string& out) {
  const auto challenge = parse<wire::Challenge>(payload, kChallengeBytes, "a Challenge");
  if (!challenge) return challenge.error();
  if (auto sized = check_size(challenge->nonce(), kNonceBytes, "a nonce"); !sized) return sized;
  if (auto sized = check_size(challenge->instance(), kInstanceBytes, "an instance"); !sized) return sized;
  pam_nonce = take<kNonceBytes>(challenge->nonce());
  instance = take<kInstanceBytes>(challenge->instance());
  if (auto checked = check_proof(challenge->proof(), kPamProof, "pam"); !checked) return checked;

  wire::Proof answer;
  const Bytes32 mine = proof(kStarterProof);
  answer.set_proof(mine.data(), mine.size());
  append_message(out, answer);
  open_streams();
  return {};
}

Result<void> SecureChannel::State::on_proof(std::string_view payload) {
  const auto answer = parse<wire::Proof>(payload, kProofMessageBytes, "a Proof");
  if (!answer) return answer.error();
  if (auto checked = check_proof(answer->proof(), kStarterProof, "the starter"); !checked) return checked;
  open_streams();
  return {};
}

SecureChannel::SecureChannel(std::unique_ptr<State> state) : state_(std::move(state)) {}
SecureChannel::SecureChannel(SecureChannel&&) noexcept = default;
SecureChannel& SecureChannel::operator=(SecureChannel&&) noexcept = default;
SecureChannel::~SecureChannel() = default;

SecureChannel SecureChannel::starter(const Key& key, const Nonce& nonce) {
  auto state = std::make_unique<State>(false, key);
  state->starter_nonce = nonce;
  return SecureChannel(std::move(state));
}

SecureChannel SecureChannel::pam(const Key& key, const Nonce& nonce, const Instance& instance) {
  auto state = std::make_unique<State>(true, key);
  state->pam_nonce = nonce;
  state->instance = instance;
  static_assert(sizeof(State) <= 400, "pam holds 10,000 of these, with all the rest, in 64 MiB");
  return SecureChannel(std::move(state));
}

std::string SecureChannel::start() {
  assert(!state_->is_pam && state_->stage == State::Stage::fresh);
  wire::Hello hello;
  hello.set_version(kVersion);
  hello.set_nonce(state_->starter_nonce.data(), state_->starter_nonce.size());
  std::string out;
  append_message(out, hello);
  state_->stage = State::Stage::awaits_challenge;
  return out;
}

Result<void> SecureChannel::feed(std::string_view bytes, std::string& out, const Sink& sink) {
  const auto limit = [this] { return open() ? wire::kFrameLimit : wire::kHandshakeLimit; };
  const auto handshake = [&](std::string_view payload) { return state_->on_frame(payload, out); };
  auto fed = state_->talk.feed(bytes, limit, handshake, sink);
  if (!fed) state_->wipe();
  return fed;
}

bool SecureChannel::open() const { return state_->talk.open(); }

const Instance& SecureChannel::peer_instance() const {
  assert(open() && !state_->is_pam);
  return state_->instance;
}

std::string SecureChannel::seal(std::string_view payload) {
  assert(open() && !payload.empty() && payload.size() <= wire::kFrameLimit - SealedStream::kSealBytes);
  if (!open()) return {};  // never seal without a key, whatever the caller's state
  return state_->talk.seal(payload);
}

Key relay_key(const Key& users, std::uint16_t port) {
  const char bytes[] = {static_cast<char>(port >> 8), static_cast<char>(port & 0xff)};
  return handshake::blake(view(users), kRelayKey, {bytes, sizeof bytes});
}

Nonce random_nonce() {
  ready_sodium();
  Nonce nonce;
  randombytes_buf(nonce.data(), nonce.size());
  return nonce;
}

Instance random_instance() {
  ready_sodium();
  Instance instance;
  randombytes_buf(instance.data(), instance.size());
  return instance;
}

}  // namespace rollcall::io
