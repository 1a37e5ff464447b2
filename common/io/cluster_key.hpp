// ClusterKey: the secret by which the cluster's daemons know each other, and the public half by which clients know them.
//
// Not a user's key (key_file.hpp). `lsf_daemons init` makes both files once; no program makes them silently on several hosts.
//
//   key file     = 64 hexadecimal digits, newline          mode 0600, owned by who runs the daemons, no symbolic link
//   public file  = 64 hexadecimal digits, newline          KEYFILE.pub, mode 0644, writable by its owner alone
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "common/base/result.hpp"

namespace rollcall::io {

using Seed = std::array<std::uint8_t, 32>;              // random bytes of one handshake
using ClusterPublicKey = std::array<std::uint8_t, 32>;  // X25519
struct ClusterKey {
  std::array<std::uint8_t, 32> secret{};  // the file's bytes
  ClusterPublicKey public_half{};         // made from it
};

Seed random_seed();

inline std::string public_key_path(const std::string& key_path) { return key_path + ".pub"; }

// Errors name the file, what was found and what was expected, and never contain a byte of it. A key is refused if others could
// read or write it, or if it is another user's; but root may use the key of its directory's owner. A public half must belong to
// root or to the owner of its directory, and only the owner may write it.
// `what`: the kind of key, for the errors.
Result<ClusterKey> load_cluster_key(const std::string& path, const std::string& what = "cluster key");
Result<ClusterPublicKey> load_cluster_public_key(const std::string& path);  // path of the public file

// Makes both files (O_EXCL); an error where one exists. A failure leaves none behind.
Result<void> create_cluster_key(const std::string& path);

// Makes the public half of the key in `path` where it is missing (after a crash between the two files).
Result<void> complete_cluster_key(const std::string& path);

// An error where either file breaks the rules above, or the public half does not match the key.
Result<void> check_cluster_key(const std::string& path);

}  // namespace rollcall::io
