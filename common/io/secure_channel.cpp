#include "common/io/secure_channel.hpp"

#include <sodium.h>

#include <algorithm>
#include <cassert>
#include <utility>

#include "common/io/sealed_stream.hpp"
#include "common/wire/frame.hpp"
#include "common/wire/task.pb.h"

namespace rollcall::io {
namespace {

constexpr std::uint32_t kVersion = 1;
constexpr std::size_t kProofBytes = crypto_auth_BYTES;

// The messages in clear have exactly these sizes: a field is its bytes, a tag and a length; a version is 2
// bytes.
constexpr std::size_t kHelloBytes = 2 + 2 + kNonceBytes;
constexpr std::size_t kChallengeBytes = 2 + 2 + kNonceBytes + 2 + kInstanceBytes + 2 + kProofBytes;
constexpr std::size_t kProofMessageBytes = 2 + kProofBytes;

// What each keyed hash is for. A proof made for one purpose is worth nothing for another.
constexpr std::string_view kPamProof = "rollcall pam v1";
constexpr std::string_view kStarterProof = "rollcall starter v1";
constexpr std::string_view kStarterToPam = "rollcall starter to pam v1";
constexpr std::string_view kPamToStarter = "rollcall pam to starter v1";

using Digest = std::array<std::uint8_t, kProofBytes>;

static_assert(kKeyBytes == crypto_auth_KEYBYTES);
static_assert(wire::kHandshakeLimit >= kChallengeBytes);

// Once in a program: it picks the fastest code for this processor. It cannot fail where getrandom(2) exists.
void ready_sodium() {
  static const int ready = sodium_init();
  assert(ready >= 0);
  static_cast<void>(ready);
}

template <std::size_t N>
std::string_view view(const std::array<std::uint8_t, N>& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), N};
}

const unsigned char* octets(std::string_view bytes) {
  return reinterpret_cast<const unsigned char*>(bytes.data());
}

// `to` takes the bytes of `from`, whose size has been checked.
template <std::size_t N>
void take(std::array<std::uint8_t, N>& to, std::string_view from) {
  assert(from.size() == N);
  std::copy(from.begin(), from.end(), to.begin());
}

// A message in clear, parsed. `size` is what a correct one has: nothing vouches for a byte more.
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

Result<void> check_size(std::string_view field, std::size_t size, const char* what) {
  if (field.size() == size) return {};
  return internal_error(std::string(what) + " of " + std::to_string(field.size()) + " bytes, expected " +
                        std::to_string(size));
}

template <class Message>
void append_message(std::string& out, const Message& message) {
  wire::append_frame(out, message.SerializeAsString());
}

}  // namespace

struct SecureChannel::State {
  enum class Stage : std::uint8_t { fresh, awaits_challenge, awaits_proof, open, failed };

  Stage stage = Stage::fresh;
  bool is_pam = false;
  Key key{};
  Nonce starter_nonce{};
  Nonce pam_nonce{};
  Instance instance{};
  SealedStream sending;
  SealedStream receiving;
  wire::FrameDecoder decoder;

  State(bool pam, const Key& k) : is_pam(pam), key(k) { ready_sodium(); }
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State() { wipe(); }

  void wipe();
  std::string transcript(std::string_view label) const;
  Digest proof(std::string_view label) const;
  Result<void> check_proof(std::string_view given, std::string_view label, const char* whose) const;
  void begin(SealedStream& stream, std::string_view label) const;
  void open_streams();

  Result<void> on_frame(std::string_view payload, std::string& out, const Sink& sink);
  Result<void> on_hello(std::string_view payload, std::string& out);
  Result<void> on_challenge(std::string_view payload, std::string& out);
  Result<void> on_proof(std::string_view payload);
  Result<void> on_record(std::string_view record, const Sink& sink);
};

void SecureChannel::State::wipe() {
  sodium_memzero(key.data(), key.size());
  sending.wipe();
  receiving.wipe();
}

// What a keyed hash of this connection is taken over. Every part after the label has a fixed size, and the
// labels differ, so no two purposes have the same bytes.
std::string SecureChannel::State::transcript(std::string_view label) const {
  std::string bytes(label);
  bytes.append(view(starter_nonce)).append(view(pam_nonce)).append(view(instance));
  return bytes;
}

Digest SecureChannel::State::proof(std::string_view label) const {
  Digest digest;
  const std::string bytes = transcript(label);
  crypto_auth(digest.data(), octets(bytes), bytes.size(), key.data());
  return digest;
}

Result<void> SecureChannel::State::check_proof(std::string_view given, std::string_view label,
                                               const char* whose) const {
  if (auto sized = check_size(given, kProofBytes, "a proof"); !sized) return sized;
  const Digest expected = proof(label);
  if (sodium_memcmp(expected.data(), given.data(), expected.size()) == 0) return {};
  return internal_error(std::string(whose) + " does not hold our key");
}

// The key of one direction is made from both nonces.
void SecureChannel::State::begin(SealedStream& stream, std::string_view label) const {
  Key derived;
  const std::string bytes = transcript(label);
  crypto_generichash(derived.data(), derived.size(), octets(bytes), bytes.size(), key.data(), key.size());
  stream.begin(derived);
}

void SecureChannel::State::open_streams() {
  begin(sending, is_pam ? kPamToStarter : kStarterToPam);
  begin(receiving, is_pam ? kStarterToPam : kPamToStarter);
  sodium_memzero(key.data(), key.size());  // it has done its work here
  stage = Stage::open;
}

Result<void> SecureChannel::State::on_frame(std::string_view payload, std::string& out, const Sink& sink) {
  switch (stage) {
    case Stage::fresh:
      if (is_pam) return on_hello(payload, out);
      break;
    case Stage::awaits_challenge:
      return on_challenge(payload, out);
    case Stage::awaits_proof:
      return on_proof(payload);
    case Stage::open:
      return on_record(payload, sink);
    case Stage::failed:
      break;
  }
  return internal_error("bytes came before anything was asked, expected none");
}

Result<void> SecureChannel::State::on_hello(std::string_view payload, std::string& out) {
  const auto hello = parse<wire::Hello>(payload, kHelloBytes, "a Hello");
  if (!hello) return hello.error();
  if (auto sized = check_size(hello->nonce(), kNonceBytes, "a nonce"); !sized) return sized;
  take(starter_nonce, hello->nonce());

  wire::Challenge challenge;
  challenge.set_version(kVersion);
  challenge.set_nonce(pam_nonce.data(), pam_nonce.size());
  challenge.set_instance(instance.data(), instance.size());
  const Digest mine = proof(kPamProof);
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
  take(pam_nonce, challenge->nonce());
  take(instance, challenge->instance());
  if (auto checked = check_proof(challenge->proof(), kPamProof, "pam"); !checked) return checked;

  wire::Proof answer;
  const Digest mine = proof(kStarterProof);
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

Result<void> SecureChannel::State::on_record(std::string_view record, const Sink& sink) {
  const auto payload = receiving.open(record);
  if (!payload) return payload.error();
  return sink(*payload);
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
  const auto frame = [&](std::string_view payload) { return state_->on_frame(payload, out, sink); };
  if (state_->stage == State::Stage::failed) return internal_error("this conversation has already failed");
  auto fed = state_->decoder.feed(bytes, limit, frame);
  if (!fed) {
    state_->stage = State::Stage::failed;
    state_->wipe();
  }
  return fed;
}

bool SecureChannel::open() const { return state_->stage == State::Stage::open; }

const Instance& SecureChannel::peer_instance() const {
  assert(open() && !state_->is_pam);
  return state_->instance;
}

std::string SecureChannel::seal(std::string_view payload) {
  assert(open() && !payload.empty() && payload.size() <= wire::kFrameLimit - SealedStream::kSealBytes);
  if (!open()) return {};  // never a byte under no key, whatever the caller forgot
  return state_->sending.seal(payload);
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
