#include "common/io/cluster_key.hpp"

#include <sodium.h>
#include <unistd.h>

#include "common/io/cluster_keys.hpp"
#include "common/io/hex_file.hpp"

namespace rollcall::io {
namespace {

HexFile key_file(const std::string& path) { return {"cluster key", path}; }
HexFile public_file(const std::string& path) { return {"cluster public key", path}; }

// True if no other user could have read or written the key. Root may use the key of its directory's owner (and with it the files
// that say what root is to start), but no other user's.
Result<void> check_secrecy(const HexFile& file, const struct stat& info, const struct stat& directory) {
  const uid_t me = geteuid();
  const bool ours = info.st_uid == me || (me == 0 && info.st_uid == directory.st_uid);
  if (!ours)
    return file.wrong("belongs to user " + std::to_string(info.st_uid), "user " + std::to_string(me));
  if ((info.st_mode & 077) != 0) return file.wrong(mode_text(info.st_mode), "0600 or stricter");
  return {};
}

// True if only the user who runs the cluster could have written the public half.
Result<void> check_origin(const HexFile& file, const struct stat& info, const struct stat& directory) {
  if (info.st_uid != 0 && info.st_uid != directory.st_uid)
    return file.wrong("belongs to user " + std::to_string(info.st_uid),
                      "root or the owner of its directory, user " + std::to_string(directory.st_uid));
  if ((info.st_mode & 022) != 0)
    return file.wrong(mode_text(info.st_mode), "one that its owner alone may write, 0644");
  return {};
}

// True for bytes that a person made up: all the same, or counted up as in an example. A key that many sites share is no secret.
bool made_up(const HexBytes& secret) {
  const auto step = [&](std::size_t i) { return static_cast<std::uint8_t>(secret[i] - secret[i - 1]); };
  for (std::size_t i = 2; i < secret.size(); ++i)
    if (step(i) != step(1)) return false;
  return true;
}

// The secret's bytes leave `secret`, which is wiped.
ClusterKey key_of(HexBytes& secret) {
  ClusterKey key;
  key.secret = secret;
  cluster::Bytes32 scalar = cluster::exchange_scalar(secret);
  key.public_half = cluster::public_half(scalar);
  sodium_memzero(scalar.data(), scalar.size());
  sodium_memzero(secret.data(), secret.size());
  return key;
}

}  // namespace

Seed random_seed() {
  cluster::ready_sodium();
  Seed seed;
  randombytes_buf(seed.data(), seed.size());
  return seed;
}

Result<ClusterKey> load_cluster_key(const std::string& path, const std::string& what) {
  cluster::ready_sodium();
  const HexFile file{what, path};
  auto secret = read_hex_file(file, [&file](const auto& info, const auto& directory) {
    return check_secrecy(file, info, directory);
  });
  if (!secret) return secret.error();
  if (made_up(*secret)) return file.wrong("is an example", "a random key, as lsf_daemons makes it");
  return key_of(*secret);
}

Result<ClusterPublicKey> load_cluster_public_key(const std::string& path) {
  cluster::ready_sodium();
  const HexFile file = public_file(path);
  return read_hex_file(
      file, [&file](const auto& info, const auto& directory) { return check_origin(file, info, directory); });
}

Result<void> create_cluster_key(const std::string& path) {
  const HexFile file = key_file(path);
  const HexFile beside = public_file(public_key_path(path));
  if (exists(file)) return file.wrong("is there", "none");
  if (exists(beside)) return beside.wrong("is there without its key", "none");
  HexBytes secret = random_seed();
  auto made = create_hex_file(file, secret, 0600);
  if (made) {
    made = create_hex_file(beside, key_of(secret).public_half, 0644);
    if (!made) unlink(path.c_str());
  }
  sodium_memzero(secret.data(), secret.size());
  return made;
}

Result<void> complete_cluster_key(const std::string& path) {
  const auto key = load_cluster_key(path);
  if (!key) return key.error();
  const HexFile beside = public_file(public_key_path(path));
  if (exists(beside)) return {};
  return create_hex_file(beside, key->public_half, 0644);
}

Result<void> check_cluster_key(const std::string& path) {
  const auto key = load_cluster_key(path);
  if (!key) return key.error();
  const HexFile beside = public_file(public_key_path(path));
  const auto half = load_cluster_public_key(beside.path);
  if (!half) return half.error();
  if (*half != key->public_half) return beside.wrong("is of another key", "the public half of " + path);
  return {};
}

}  // namespace rollcall::io
