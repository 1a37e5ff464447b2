// SecureChannel: one end of the conversation of common/wire/task.proto, without the socket.
//
// Bytes in, payloads out; payloads in, bytes out. It owns the handshake, the keys of this connection and the frame decoder; not
// the socket, the time limit, or the meaning of payloads (serialized FromStarter and FromPam messages). All randomness is passed
// in, so docs/protocol.md has test vectors.
//
// state x input (starter)            -> next              | (pam)
//   fresh       start()              -> awaits_challenge  |   fresh       Hello           -> awaits_proof (sends Challenge)
//   awaits_challenge Challenge good  -> open (sends Proof)|   awaits_proof Proof good      -> open
//   awaits_challenge Challenge bad   -> error             |   awaits_proof Proof bad       -> error
//   open        sealed record        -> open (payload)    |   open        sealed record   -> open (payload)
//   any         anything else        -> error; the caller closes the connection, and calls nothing more
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "common/base/result.hpp"

namespace rollcall::io {

inline constexpr std::size_t kKeyBytes = 32;
inline constexpr std::size_t kNonceBytes = 32;
inline constexpr std::size_t kInstanceBytes = 16;

using Key = std::array<std::uint8_t, kKeyBytes>;
using Nonce = std::array<std::uint8_t, kNonceBytes>;
using Instance = std::array<std::uint8_t, kInstanceBytes>;

// The key of the relays of the pam that listens at `port`: all that the relay of a host is given (common/wire/relay.hpp). It is made
// from the user's key, which cannot be found from it, and is of no use with another pam, or as a TaskStarter's.
Key relay_key(const Key& users, std::uint16_t port);

Nonce random_nonce();
Instance random_instance();

class SecureChannel {
 public:
  using Sink = std::function<Result<void>(std::string_view payload)>;

  static SecureChannel starter(const Key& key, const Nonce& nonce);
  static SecureChannel pam(const Key& key, const Nonce& nonce, const Instance& instance);
  SecureChannel(SecureChannel&&) noexcept;
  SecureChannel& operator=(SecureChannel&&) noexcept;
  ~SecureChannel();  // wipes the keys

  // Starter only: the first bytes to send.
  std::string start();

  // Takes bytes from the peer. Bytes that the handshake must answer with are appended to `out`; opened payloads go
  // to `sink`, which may call seal(). An error is final.
  Result<void> feed(std::string_view bytes, std::string& out, const Sink& sink);

  // True once the peer has proved that it holds the key (pam: Proof seen; starter: Challenge verified).
  bool open() const;

  // The identity of this pam; only where open(), on the starter's side.
  const Instance& peer_instance() const;

  // The sealed frame of a payload (1 byte ..= 1 MiB - 17). Only where open().
  std::string seal(std::string_view payload);

 private:
  struct State;
  explicit SecureChannel(std::unique_ptr<State>);
  std::unique_ptr<State> state_;
};

}  // namespace rollcall::io
