#include "common/io/handshake_bytes.hpp"

namespace rollcall::io::handshake {

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

bool same(const Bytes32& expected, std::string_view given) {
  return given.size() == expected.size() &&
         sodium_memcmp(expected.data(), given.data(), expected.size()) == 0;
}

Result<void> check_size(std::string_view bytes, std::size_t size, const char* what) {
  if (bytes.size() == size) return {};
  return internal_error(std::string(what) + " of " + std::to_string(bytes.size()) + " bytes, expected " +
                        std::to_string(size));
}

}  // namespace rollcall::io::handshake
