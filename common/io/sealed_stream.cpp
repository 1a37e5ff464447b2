#include "common/io/sealed_stream.hpp"

#include "common/wire/frame.hpp"

namespace rollcall::io {
namespace {

const unsigned char* octets(std::string_view bytes) {
  return reinterpret_cast<const unsigned char*>(bytes.data());
}
unsigned char* octets(std::string& bytes) { return reinterpret_cast<unsigned char*>(bytes.data()); }

static_assert(crypto_secretstream_xchacha20poly1305_KEYBYTES == 32);

}  // namespace

// The key is never used again, so the stream's header, which distinguishes streams of one key, can be constant: zeros, and it is
// not sent. init_push would draw a random one; init_pull takes ours and leads to the same state (libsodium documents one initial
// state for a key and a header, and a test checks both ends of the library against it).
void SealedStream::begin(std::array<std::uint8_t, 32>& key) {
  const std::array<std::uint8_t, crypto_secretstream_xchacha20poly1305_HEADERBYTES> header{};
  crypto_secretstream_xchacha20poly1305_init_pull(&state_, header.data(), key.data());
  sodium_memzero(key.data(), key.size());
}

std::string SealedStream::seal(std::string_view payload) {
  std::string record(payload.size() + kSealBytes, '\0');
  crypto_secretstream_xchacha20poly1305_push(&state_, octets(record), nullptr, octets(payload),
                                             payload.size(), nullptr, 0,
                                             crypto_secretstream_xchacha20poly1305_TAG_MESSAGE);
  std::string frame;
  frame.reserve(4 + record.size());
  wire::append_frame(frame, record);
  return frame;
}

Result<std::string> SealedStream::open(std::string_view record) {
  if (record.size() <= kSealBytes)
    return internal_error("a sealed record of " + std::to_string(record.size()) +
                          " bytes, expected at least " + std::to_string(kSealBytes + 1));
  std::string payload(record.size() - kSealBytes, '\0');
  unsigned char tag = 0;
  if (crypto_secretstream_xchacha20poly1305_pull(&state_, octets(payload), nullptr, &tag, octets(record),
                                                 record.size(), nullptr, 0) != 0)
    return internal_error("a sealed record that does not open: changed, repeated, or of another connection");
  if (tag != crypto_secretstream_xchacha20poly1305_TAG_MESSAGE)
    return internal_error("a sealed record with tag " + std::to_string(tag) + ", expected 0");
  return payload;
}

}  // namespace rollcall::io
