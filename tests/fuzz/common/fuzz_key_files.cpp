// Any bytes as a key file: 32 bytes that are written as the same line, or an error that holds none of it.
#include <algorithm>
#include <cctype>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "common/base/hex_line.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto bytes = rollcall::parse_hex_line(text);
  if (!bytes) {
    // Nothing but our own words and numbers.
    for (const char c : bytes.error().text)
      if (!std::isprint(static_cast<unsigned char>(c))) std::abort();
    if (bytes.error().text.empty() || bytes.error().text.size() > 60) std::abort();
    return 0;
  }
  const auto line = rollcall::print_hex_line(*bytes);
  const auto same = [](char a, char b) { return std::tolower(static_cast<unsigned char>(a)) == b; };
  if (!std::equal(text.begin(), text.end(), line.begin(), line.end(), same)) std::abort();
  return 0;
}
