#include "common/base/callback_word.hpp"

namespace rollcall {
namespace {

constexpr std::string_view kBegin = "pam:";
constexpr std::string_view kHexDigits = "0123456789ABCDEF";

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_plain(char c) {
  return is_letter(c) || (c >= '0' && c <= '9') ||
         std::string_view(",.:/_+=-").find(c) != std::string_view::npos;
}

std::string encoded(std::string_view value) {
  std::string text;
  for (const char c : value) {
    const auto byte = static_cast<unsigned char>(c);
    if (is_plain(c))
      text += c;
    else
      text += {'%', kHexDigits[byte >> 4], kHexDigits[byte & 15]};
  }
  return text;
}

std::optional<std::string> decoded(std::string_view text) {
  std::string value;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] != '%') {
      if (!is_plain(text[at])) return std::nullopt;
      value += text[at];
      continue;
    }
    if (at + 2 >= text.size()) return std::nullopt;
    const auto high = kHexDigits.find(text[++at]), low = kHexDigits.find(text[++at]);
    if (high == std::string_view::npos || low == std::string_view::npos) return std::nullopt;
    value += static_cast<char>(high << 4 | low);
  }
  return value;
}

}  // namespace

std::string join_callback(const CallbackWords& words) {
  std::string text(kBegin);
  for (const auto& pair : words) {
    if (&pair != &words.front()) text += {'@', pair.first, ':'};
    text += encoded(pair.second);
  }
  return text;
}

bool is_callback_word(std::string_view word) { return word.starts_with(kBegin); }

std::optional<CallbackWords> split_callback(std::string_view word) {
  if (!is_callback_word(word)) return std::nullopt;
  word.remove_prefix(kBegin.size());
  CallbackWords words;
  for (char letter = 'p';;) {
    const std::size_t end = word.find('@');
    auto value = decoded(word.substr(0, end));
    if (!value) return std::nullopt;
    words.emplace_back(letter, std::move(*value));
    if (end == word.npos) return words;
    word.remove_prefix(end + 1);
    if (word.size() < 2 || !is_letter(word[0]) || word[1] != ':') return std::nullopt;
    letter = word[0];
    word.remove_prefix(2);
  }
}

}  // namespace rollcall
