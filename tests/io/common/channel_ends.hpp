// The ends of a conversation between pam and a TaskStarter, for tests.
#pragma once

#include <array>
#include <cstdint>

#include "common/io/secure_channel.hpp"
#include "tests/io/common/conversation_end.hpp"

namespace rollcall::io::test {

template <std::size_t N>
std::array<std::uint8_t, N> filled(std::uint8_t value) {
  std::array<std::uint8_t, N> bytes;
  bytes.fill(value);
  return bytes;
}

using End = ConversationEnd<SecureChannel>;

}  // namespace rollcall::io::test
