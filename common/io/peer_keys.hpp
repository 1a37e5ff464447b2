// PeerKeys: the keys that a daemon accepts calls with, and whom each of them proves. A value.
//
// The own cluster's key is the first: daemons dial with it, and a call that names no key is answered with it. Further keys are of
// other peers, or of our cluster while its key is changed: two are valid then. A caller shows that it means one of them
// (DialNamed of docs/protocol.md). Who knows the public half of none of them learns neither how many there are nor whose.
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

class PeerKeys {
 public:
  // A call that names a key costs a multiplication on the curve for each.
  static constexpr std::size_t kMost = 32;

  PeerKeys(const ClusterKey& own) : keys_{{{}, own}} {}  // converts: most daemons have that one

  // An error where the key is there already, so that it would prove two things, or where there are kMost.
  Result<void> add(PeerKey key);

  const ClusterKey& own() const { return keys_.front().key; }
  // The key that a caller means. `half` and `mark` are those of its DialNamed, `dialled` is what the mark is made over. nullptr: none.
  // All keys are tried, so the time does not tell which one it is.
  const PeerKey* named(const ClusterPublicKey& half, std::string_view dialled, std::string_view mark) const;

 private:
  std::vector<PeerKey> keys_;
};

// What says which key is meant, to its holder alone: `with_key` is the result of Diffie-Hellman with the key.
std::array<std::uint8_t, 32> key_mark(std::string_view with_key, std::string_view dialled);

}  // namespace rollcall::io
