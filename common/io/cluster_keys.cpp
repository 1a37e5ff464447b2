#include "common/io/cluster_keys.hpp"

#include <cassert>

namespace rollcall::io::cluster {

static_assert(crypto_scalarmult_BYTES == 32 && crypto_scalarmult_SCALARBYTES == 32);
static_assert(crypto_generichash_KEYBYTES_MAX >= 64);

void ready_sodium() {
  static const int ready = sodium_init();
  assert(ready >= 0);
  static_cast<void>(ready);
}

Bytes32 blake(std::string_view key, std::string_view label, std::string_view bytes) {
  Bytes32 digest;
  crypto_generichash_state state;
  crypto_generichash_init(&state, key.empty() ? nullptr : octets(key), key.size(), digest.size());
  crypto_generichash_update(&state, octets(label), label.size());
  crypto_generichash_update(&state, octets(bytes), bytes.size());
  crypto_generichash_final(&state, digest.data(), digest.size());
  sodium_memzero(&state, sizeof state);
  return digest;
}

Bytes32 exchange_scalar(const Bytes32& secret) {
  return blake(view(secret), "rollcall cluster exchange v1", {});
}

Bytes32 proof_key(const Bytes32& secret) { return blake(view(secret), "rollcall cluster proof v1", {}); }

ClusterPublicKey public_half(const Bytes32& scalar) {
  ClusterPublicKey half;
  crypto_scalarmult_base(half.data(), scalar.data());
  return half;
}

bool exchange(Bytes32& shared, const Bytes32& scalar, const Bytes32& half) {
  return crypto_scalarmult(shared.data(), scalar.data(), half.data()) == 0;
}

}  // namespace rollcall::io::cluster
