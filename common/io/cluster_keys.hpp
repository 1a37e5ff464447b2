// cluster_keys: the key derivation for a cluster's connections (docs/protocol.md), with libsodium. Values.
//
// Not the state of a conversation (cluster_channel.hpp) and not the key's file (cluster_key.hpp). Used by those two alone.
#pragma once

#include "common/io/cluster_key.hpp"
#include "common/io/handshake_bytes.hpp"

namespace rollcall::io::cluster {

using handshake::blake;
using handshake::Bytes32;
using handshake::octets;
using handshake::ready_sodium;
using handshake::view;

// Two keys derived from the cluster's secret. Neither reveals the other.
Bytes32 exchange_scalar(const Bytes32& secret);  // the X25519 scalar; its public half is the cluster's
Bytes32 proof_key(const Bytes32& secret);        // the key of the proofs of daemons and owners
ClusterPublicKey public_half(const Bytes32& scalar);

// X25519. False where the result is zeros: a few halves give everybody the same secret.
[[nodiscard]] bool exchange(Bytes32& shared, const Bytes32& scalar, const Bytes32& half);

}  // namespace rollcall::io::cluster
