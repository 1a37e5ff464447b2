// PeerKeys: the keys with which a daemon accepts calls, and the peer that each of them proves. A value.
//
// The own cluster's key is the first: daemons dial with it, and it answers a call that names no key. Further keys are of other
// peers, or of our cluster while its key is changed: then two are valid. A caller shows that it means one of them (DialNamed of
// docs/protocol.md). Without the public half of one of them nobody can learn how many there are or whose.
//
// Not the keys' files (cluster_key.hpp), and not what a peer may do: each daemon decides that (LinkPeer).
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.hpp"
#include "common/io/cluster_key.hpp"

namespace rollcall::io {

struct PeerKey {
  std::string peer;  // "": our own cluster
  ClusterKey key;
};

// The key of the calls from cluster `from` to cluster `to`, made from the secret that the two share. Each direction of each pair has
// its own, so a call proves nothing at a third cluster, nor at its sender. The names enter the handshake's transcript with the
// key's public half.
ClusterKey key_of_direction(const Seed& secret, std::string_view from, std::string_view to);

class PeerKeys {
 public:
  // Bounds the cost of a call that names a key: one multiplication on the curve for each key.
  static constexpr std::size_t kMost = 32;

  PeerKeys(const ClusterKey& own) : keys_{{{}, own}} {}  // converts: most daemons have that one

  // An error where the key is there already (it would prove two peers), or where there are kMost.
  Result<void> add(PeerKey key);

  const ClusterKey& own() const { return keys_.front().key; }
  // The key that a caller means; nullptr: none. `half` and `mark` are those of its DialNamed, `dialled` is what the mark is made
  // over. All keys are tried, so that the time does not reveal which one it is.
  const PeerKey* named(const ClusterPublicKey& half, std::string_view dialled, std::string_view mark) const;

 private:
  std::vector<PeerKey> keys_;
};

// The mark by which only the holder of a key sees that it is meant: `with_key` is the result of Diffie-Hellman with the key.
std::array<std::uint8_t, 32> key_mark(std::string_view with_key, std::string_view dialled);

}  // namespace rollcall::io
