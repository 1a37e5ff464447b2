#include "common/io/wait_answer.hpp"

#include <sodium.h>

#include <algorithm>

#include "common/io/handshake_bytes.hpp"
#include "common/wire/frame.hpp"

namespace rollcall::io {
namespace {

constexpr std::size_t kLengthBytes = 4;
constexpr std::size_t kTimeBytes = 4;
constexpr std::string_view kLabel = "rollcall pam wait v1";

std::string four_bytes(std::uint64_t number) {
  std::string bytes;
  for (const int shift : {24, 16, 8, 0}) bytes.push_back(static_cast<char>(number >> shift & 0xff));
  return bytes;
}

bool has_length_of(std::string_view bytes, std::size_t frame) {
  const std::string length = four_bytes(frame - kLengthBytes);
  return length.starts_with(bytes.substr(0, kLengthBytes));
}

std::string proof(const Key& key, std::string_view hello_frame, std::string_view time) {
  std::string bytes(kLabel);
  bytes.append(hello_frame).append(time);
  handshake::Bytes32 digest;
  crypto_auth(digest.data(), handshake::octets(bytes), bytes.size(), key.data());
  return std::string(handshake::view(digest));
}

}  // namespace

bool begins_hello(std::string_view bytes) {
  return bytes.size() < kHelloFrameBytes && has_length_of(bytes, kHelloFrameBytes);
}

std::string wait_answer(const Key& key, std::string_view hello_frame, Duration wait) {
  handshake::ready_sodium();
  const auto ms = std::chrono::ceil<std::chrono::milliseconds>(wait).count();
  const std::string time =
      four_bytes(static_cast<std::uint64_t>(std::clamp<std::int64_t>(ms, 0, UINT32_MAX)));
  std::string frame;
  wire::append_frame(frame, time + proof(key, hello_frame, time));
  return frame;
}

FirstAnswer first_answer(const Key& key, std::string_view hello_frame, std::string_view bytes) {
  if (!has_length_of(bytes, kWaitFrameBytes)) return {FirstAnswer::Kind::other};
  if (bytes.size() < kWaitFrameBytes) return {FirstAnswer::Kind::unfinished};
  const std::string_view time = bytes.substr(kLengthBytes, kTimeBytes);
  const std::string_view given = bytes.substr(kLengthBytes + kTimeBytes, crypto_auth_BYTES);
  const std::string expected = proof(key, hello_frame, time);
  if (sodium_memcmp(expected.data(), given.data(), given.size()) != 0) return {FirstAnswer::Kind::forged};
  std::uint32_t ms = 0;
  for (const char byte : time) ms = ms << 8 | static_cast<unsigned char>(byte);
  return {FirstAnswer::Kind::wait, std::chrono::milliseconds(ms)};
}

}  // namespace rollcall::io
