// What a shell leaves alone, unquoted: letters, digits and  _ @ % + : , . / - ; and '=' in a word that begins
// with '-'. All else goes between single quotes, where only the single quote itself must be taken out: '\''.
#include "common/base/shell_quote.hpp"

#include <algorithm>

namespace rollcall {
namespace {

bool plain(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         std::string_view("_@%+:,./-").find(c) != std::string_view::npos;
}

}  // namespace

std::string shell_quote(std::string_view word) {
  const bool option = word.starts_with('-');
  const bool bare = !word.empty() && std::all_of(word.begin(), word.end(),
                                                 [&](char c) { return plain(c) || (c == '=' && option); });
  if (bare) return std::string(word);
  std::string quoted = "'";
  for (const char c : word) {
    if (c == '\'')
      quoted += "'\\''";
    else
      quoted += c;
  }
  return quoted + "'";
}

std::string shell_join(const std::vector<std::string>& words) {
  std::string line;
  for (const std::string& word : words) {
    if (&word != &words.front()) line += ' ';
    line += shell_quote(word);
  }
  return line;
}

}  // namespace rollcall
