#include "common/base/terminal_text.hpp"

#include <algorithm>

namespace rollcall {
namespace {

unsigned char byte_at(std::string_view text, std::size_t at) { return static_cast<unsigned char>(text[at]); }

// How many bytes the UTF-8 character at `at` has; 1 where it is none.
std::size_t character(std::string_view text, std::size_t at) {
  const unsigned char lead = byte_at(text, at);
  const std::size_t length = lead >= 0xc2 && lead < 0xe0   ? 2
                             : lead >= 0xe0 && lead < 0xf0 ? 3
                             : lead >= 0xf0 && lead < 0xf5 ? 4
                                                           : 1;
  if (at + length > text.size()) return 1;
  for (std::size_t i = 1; i < length; ++i)
    if ((byte_at(text, at + i) & 0xc0) != 0x80) return 1;
  return length;
}

bool is_control(std::string_view text, std::size_t at, std::size_t length, Controls allowed) {
  const unsigned char byte = byte_at(text, at);
  if (length == 2) return byte == 0xc2 && byte_at(text, at + 1) < 0xa0;
  if (length > 2) return false;
  if (byte == '\n' || byte == '\t') return allowed == Controls::none;
  return byte < 0x20 || byte == 0x7f || (byte >= 0x80 && byte < 0xa0);
}

}  // namespace

std::size_t find_control(std::string_view text, Controls allowed) {
  for (std::size_t at = 0; at < text.size();) {
    if (text[at] >= ' ' && text[at] <= '~') {  // nearly every byte of a long table
      ++at;
      continue;
    }
    const std::size_t length = character(text, at);
    if (is_control(text, at, length, allowed)) return at;
    at += length;
  }
  return text.npos;
}

std::string terminal_text(std::string_view text, Controls kept) {
  std::string shown;
  shown.reserve(text.size());
  while (!text.empty()) {
    const std::size_t at = std::min(find_control(text, kept), text.size());
    shown += text.substr(0, at);
    if (at == text.size()) break;
    shown += text[at] == '\n' || text[at] == '\t' ? ' ' : '?';
    text.remove_prefix(at + character(text, at));
  }
  return shown;
}

}  // namespace rollcall
