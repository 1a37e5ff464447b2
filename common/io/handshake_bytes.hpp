// handshake_bytes: the parts of every handshake: bytes of a fixed size, a keyed hash, a comparison in constant time.
//
// Values, with libsodium. Not a handshake (secure_channel.hpp, cluster_channel.hpp); docs/protocol.md has the bytes.
#pragma once

#include <sodium.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <cstdint>
#include <string>
#include <string_view>

#include "common/base/result.hpp"

namespace rollcall::io::handshake {

using Bytes32 = std::array<std::uint8_t, 32>;

// Once in a program: libsodium picks the fastest code for this processor. It cannot fail where getrandom(2) exists.
void ready_sodium();

template <std::size_t N>
std::string_view view(const std::array<std::uint8_t, N>& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), N};
}

inline const unsigned char* octets(std::string_view bytes) {
  return reinterpret_cast<const unsigned char*>(bytes.data());
}

// `from` must have N bytes.
template <std::size_t N = 32>
std::array<std::uint8_t, N> take(std::string_view from) {
  assert(from.size() == N);
  std::array<std::uint8_t, N> bytes{};
  std::copy_n(from.begin(), std::min(N, from.size()), bytes.begin());
  return bytes;
}

// BLAKE2b of 32 bytes over `label` and `bytes`, under `key` (empty: unkeyed).
Bytes32 blake(std::string_view key, std::string_view label, std::string_view bytes);

// Whether the peer's proof is the expected one.
bool same(const Bytes32& expected, std::string_view given);

// `what`: of the error, "a proof".
Result<void> check_size(std::string_view bytes, std::size_t size, const char* what);

}  // namespace rollcall::io::handshake
