// peer_key_files: the secrets that this cluster shares with its peers, one for each pair of clusters.
//
// ROLLCALL_PEER_KEYS of lsf.conf names the directory. Both clusters of a pair have the same bytes, each under the other's name:
//
//   DIR/CLUSTER        64 hexadecimal digits, newline; mode 0600, of the user who runs mbatchd, no symbolic link
//   DIR/CLUSTER.next   likewise: its successor while the key is changed; accepted, but not used for calls of ours
//
// Only mbatchd reads them; `lsf_daemons peerkey CLUSTER` makes them. No error contains a byte of a file.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "common/io/peer_keys.hpp"

namespace rollcall::io {

// The name can be that of a key file: letters, digits, "-", "_" and ".", no "." in front, and no ".next" behind.
bool names_key_file(std::string_view cluster);
std::string peer_key_path(const std::string& directory, std::string_view cluster);

// The secret that calls of ours use is the first. Empty: there is no file for this cluster.
Result<std::vector<Seed>> load_peer_secrets(const std::string& directory, const std::string& cluster);

// The keys of a daemon of cluster `own` for these peers: those it accepts, and the one with which it dials each. A file that cannot be
// used is an error of its cluster, one line, which then has no key.
struct LoadedPeerKeys {
  PeerKeys accepts;
  std::map<std::string, PeerKey> dials;  // by cluster
  std::map<std::string, std::string> errors;  // by cluster
};
LoadedPeerKeys load_peer_keys(const std::string& directory, const std::string& own, const ClusterKey& own_key,
                              const std::vector<std::string>& clusters);

// Makes the first of the two files that is not there, and a missing directory (mode 0700); gives the file's path. An error where
// both are there.
Result<std::string> create_peer_key(const std::string& directory, const std::string& cluster);

}  // namespace rollcall::io
