// What the keys of a cluster's connection are made from: the arithmetic of docs/protocol.md, with libsodium. Values.
//
// Not the state of a conversation (cluster_channel.hpp) and not the key's file (cluster_key.hpp). For those two alone.
#pragma once

#include "common/io/cluster_key.hpp"
#include "common/io/handshake_bytes.hpp"

namespace rollcall::io::cluster {

using handshake::blake;
using handshake::Bytes32;
using handshake::octets;
using handshake::ready_sodium;
using handshake::view;

// The two things that are made from the cluster's secret. Neither says anything of the other.
Bytes32 exchange_scalar(const Bytes32& secret);  // the X25519 scalar; its public half is the cluster's
Bytes32 proof_key(const Bytes32& secret);        // what keys the proofs of daemons and owners
ClusterPublicKey public_half(const Bytes32& scalar);

// X25519. False where the result is zeros: that half is one of the few that give everybody the same secret.
[[nodiscard]] bool exchange(Bytes32& shared, const Bytes32& scalar, const Bytes32& half);

}  // namespace rollcall::io::cluster
