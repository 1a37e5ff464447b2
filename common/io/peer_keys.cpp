#include "common/io/peer_keys.hpp"

#include <sodium.h>

#include "common/io/cluster_keys.hpp"

namespace rollcall::io {

using cluster::Bytes32;
using handshake::same;
using handshake::view;

Result<void> PeerKeys::add(PeerKey added) {
  if (keys_.size() == kMost)
    return internal_error("found more than " + std::to_string(kMost) + " keys of peers");
  for (const PeerKey& one : keys_)
    if (same(one.key.secret, view(added.key.secret)))
      return internal_error("the key of " + (added.peer.empty() ? "our cluster" : added.peer) +
                            " is that of " + (one.peer.empty() ? "our cluster" : one.peer) +
                            " too, expected a key of its own");
  keys_.push_back(std::move(added));
  return {};
}

ClusterKey key_of_direction(const Seed& secret, std::string_view from, std::string_view to) {
  std::string names;
  for (const std::string_view name : {from, to})
    names.append(name).push_back('\0');  // no name has a zero byte
  ClusterKey key;
  key.secret = cluster::blake(view(secret), "rollcall peer direction v1", names);
  Bytes32 scalar = cluster::exchange_scalar(key.secret);
  key.public_half = cluster::public_half(scalar);
  sodium_memzero(scalar.data(), scalar.size());
  return key;
}

const PeerKey* PeerKeys::named(const ClusterPublicKey& half, std::string_view dialled,
                               std::string_view mark) const {
  const PeerKey* found = nullptr;
  Bytes32 with_key{};
  for (const PeerKey& one : keys_) {
    Bytes32 scalar = cluster::exchange_scalar(one.key.secret);
    const bool good = cluster::exchange(with_key, scalar, half);
    const bool meant = same(key_mark(view(with_key), dialled), mark);
    if (good && meant) found = &one;
    sodium_memzero(scalar.data(), scalar.size());
  }
  sodium_memzero(with_key.data(), with_key.size());
  return found;
}

Bytes32 key_mark(std::string_view with_key, std::string_view dialled) {
  return cluster::blake(with_key, "rollcall cluster key mark v1", dialled);
}

}  // namespace rollcall::io
