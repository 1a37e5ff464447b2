#include "common/io/peer_key_files.hpp"

#include <sodium.h>
#include <sys/stat.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstring>

#include "common/io/hex_file.hpp"

namespace rollcall::io {
namespace {

constexpr const char* kNext = ".next";

HexFile peer_file(const std::string& path) { return {"peer key", path}; }

}  // namespace

bool names_key_file(std::string_view cluster) {
  return !cluster.empty() && cluster.front() != '.' && !cluster.ends_with(kNext) &&
         std::all_of(cluster.begin(), cluster.end(), [](unsigned char c) {
           return std::isalnum(c) != 0 || c == '-' || c == '_' || c == '.';
         });
}

std::string peer_key_path(const std::string& directory, std::string_view cluster) {
  return directory + "/" + std::string(cluster);
}

Result<std::vector<Seed>> load_peer_secrets(const std::string& directory, const std::string& cluster) {
  std::vector<Seed> secrets;
  for (const char* ending : {"", kNext}) {
    const std::string path = peer_key_path(directory, cluster) + ending;
    if (!exists(peer_file(path))) continue;
    const auto key = load_cluster_key(path, "peer key");
    if (!key) return key.error();
    secrets.push_back(key->secret);
  }
  return secrets;
}

LoadedPeerKeys load_peer_keys(const std::string& directory, const std::string& own, const ClusterKey& own_key,
                              const std::vector<std::string>& clusters) {
  LoadedPeerKeys loaded{own_key, {}, {}};
  for (const auto& cluster : clusters) {
    if (!names_key_file(cluster)) continue;
    const auto secrets = load_peer_secrets(directory, cluster);
    if (!secrets) {
      loaded.errors[cluster] = secrets.error().text;
      continue;
    }
    for (const Seed& secret : *secrets) {
      const auto added = loaded.accepts.add({cluster, key_of_direction(secret, cluster, own)});
      if (!added)
        loaded.errors[cluster] = added.error().text;
      else
        loaded.dials.emplace(cluster, PeerKey{cluster, key_of_direction(secret, own, cluster)});
    }
  }
  return loaded;
}

Result<std::string> create_peer_key(const std::string& directory, const std::string& cluster) {
  if (!names_key_file(cluster))
    return usage_error(
        "cluster \"" + cluster +
        "\" cannot have a key: found a name that is no file name, expected letters, digits, - _ .");
  if (mkdir(directory.c_str(), 0700) != 0 && errno != EEXIST)
    return internal_error("cannot make " + directory + ": " + std::strerror(errno));
  for (const char* ending : {"", kNext}) {
    const HexFile file = peer_file(peer_key_path(directory, cluster) + ending);
    if (exists(file)) continue;
    HexBytes secret = random_seed();
    const auto made = create_hex_file(file, secret, 0600);
    sodium_memzero(secret.data(), secret.size());
    if (!made) return made.error();
    return file.path;
  }
  return internal_error("peer key " + peer_key_path(directory, cluster) + ": found it and its successor " +
                        cluster + kNext +
                        ", expected one free name; first let the successor take the key's place");
}

}  // namespace rollcall::io
