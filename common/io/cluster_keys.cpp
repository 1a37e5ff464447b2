#include "common/io/cluster_keys.hpp"

namespace rollcall::io::cluster {

static_assert(crypto_scalarmult_BYTES == 32 && crypto_scalarmult_SCALARBYTES == 32);

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
