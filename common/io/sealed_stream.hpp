// SealedStream: one direction of a conversation after its handshake: payloads to sealed frames, sealed records to payloads.
//
// A part of SealedConversation: a handshake makes a key for each direction of each connection, used here once. It owns the
// cipher's state and wipes it; it knows no handshake, no frame limit, and no identity. libsodium's secretstream; docs/protocol.md
// has test vectors.
#pragma once

#include <sodium.h>

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "common/base/result.hpp"

namespace rollcall::io {

class SealedStream {
 public:
  // How much longer a record is than its payload.
  static constexpr std::size_t kSealBytes = crypto_secretstream_xchacha20poly1305_ABYTES;

  SealedStream() = default;  // to be begun
  SealedStream(const SealedStream&) = delete;
  SealedStream& operator=(const SealedStream&) = delete;
  ~SealedStream() { wipe(); }

  // Takes a key made for this stream alone, and wipes its source.
  void begin(std::array<std::uint8_t, 32>& key);
  // The frame of a payload of 1 byte or more.
  std::string seal(std::string_view payload);
  // The payload of a record that the other end has sealed. An error is final.
  Result<std::string> open(std::string_view record);
  void wipe() { sodium_memzero(&state_, sizeof state_); }

 private:
  crypto_secretstream_xchacha20poly1305_state state_{};
};

}  // namespace rollcall::io
