// hex_line: 32 bytes as one line of hexadecimal digits, as key files hold them. Functions.
//
//   line = 64 hexadecimal digits, newline      (nothing before, between or after)
//
// Whose file it is and who may read it is its reader's rule (common/io/hex_file.hpp).
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "common/base/result.hpp"

namespace rollcall {

using HexBytes = std::array<std::uint8_t, 32>;

inline constexpr std::size_t kHexLineBytes = 2 * 32 + 1;
inline constexpr const char* kHexLineForm = "64 hexadecimal digits and a newline";

// The error says what was found ("3 bytes"), and never holds a byte of the text.
Result<HexBytes> parse_hex_line(std::string_view text);

// Lower case. The caller wipes it where the bytes are a secret.
std::array<char, kHexLineBytes> print_hex_line(const HexBytes& bytes);

}  // namespace rollcall
