#include "common/base/hex_line.hpp"

namespace rollcall {
namespace {

int hex_digit_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

}  // namespace

Result<HexBytes> parse_hex_line(std::string_view text) {
  if (text.size() > kHexLineBytes)
    return configuration_error("over " + std::to_string(kHexLineBytes) + " bytes");
  if (text.size() < kHexLineBytes) return configuration_error(std::to_string(text.size()) + " bytes");
  if (text.back() != '\n') return configuration_error("no newline at its end");
  HexBytes bytes{};
  for (std::size_t i = 0; i + 1 < kHexLineBytes; ++i) {
    const int value = hex_digit_value(text[i]);
    if (value < 0)
      return configuration_error("character " + std::to_string(i + 1) + " is no hexadecimal digit");
    bytes[i / 2] = static_cast<std::uint8_t>(bytes[i / 2] << 4 | value);
  }
  return bytes;
}

std::array<char, kHexLineBytes> print_hex_line(const HexBytes& bytes) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::array<char, kHexLineBytes> text;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    text[2 * i] = kDigits[bytes[i] >> 4];
    text[2 * i + 1] = kDigits[bytes[i] & 15];
  }
  text.back() = '\n';
  return text;
}

}  // namespace rollcall
