// What the keys of a cluster's connection are made from: the arithmetic of docs/protocol.md, with libsodium. Values.
//
// Not the state of a conversation (cluster_channel.hpp) and not the key's file (cluster_key.hpp). For those two alone.
#pragma once

#include <sodium.h>

#include <array>
#include <cstdint>
#include <string_view>

#include "common/io/cluster_key.hpp"

namespace rollcall::io::cluster {

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

// BLAKE2b of 32 bytes over `label` and `bytes`, under `key` (empty: unkeyed).
Bytes32 blake(std::string_view key, std::string_view label, std::string_view bytes);

// The two things that are made from the cluster's secret. Neither says anything of the other.
Bytes32 exchange_scalar(const Bytes32& secret);  // the X25519 scalar; its public half is the cluster's
Bytes32 proof_key(const Bytes32& secret);        // what keys the proofs of daemons and owners
ClusterPublicKey public_half(const Bytes32& scalar);

// X25519. False where the result is zeros: that half is one of the few that give everybody the same secret.
[[nodiscard]] bool exchange(Bytes32& shared, const Bytes32& scalar, const Bytes32& half);

}  // namespace rollcall::io::cluster
