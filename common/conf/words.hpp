// Words: blanks, case and splitting as every configuration file has them. Functions over text, no state.
#pragma once

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace rollcall::conf {

inline constexpr std::string_view kBlanks = " \t\r\v\f";

inline std::string_view trim_left(std::string_view text) {
  return text.substr(std::min(text.find_first_not_of(kBlanks), text.size()));
}
inline std::string_view trim_right(std::string_view text) {
  return text.substr(0, text.find_last_not_of(kBlanks) + 1);
}
inline std::string_view trim(std::string_view text) { return trim_right(trim_left(text)); }

// ASCII letters alone: names in other scripts are compared byte for byte.
inline std::string lower(std::string_view word) {
  std::string result(word);
  for (char& c : result)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return result;
}

// Without regard to case: Begin, End, section names and keywords.
inline bool same_name(std::string_view a, std::string_view b) {
  const auto small = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [small](char x, char y) { return small(x) == small(y); });
}

// Reading a file spends most of its time here, hence a table of separators and one look at each byte.
inline std::vector<std::string> split_words(std::string_view text, std::string_view separators = kBlanks) {
  std::array<bool, 256> between{};
  for (const char c : separators) between[static_cast<unsigned char>(c)] = true;
  const auto is_between = [&](char c) { return between[static_cast<unsigned char>(c)]; };
  std::vector<std::string> words;
  for (auto begin = std::find_if_not(text.begin(), text.end(), is_between); begin != text.end();) {
    const auto end = std::find_if(begin, text.end(), is_between);
    words.emplace_back(begin, end);
    begin = std::find_if_not(end, text.end(), is_between);
  }
  return words;
}

inline std::string join(const std::vector<std::string>& words, std::string_view between = " ") {
  std::string text;
  for (const std::string& word : words) text.append(text.empty() ? "" : between).append(word);
  return text;
}

// True if the names differ by one letter changed, left out or put in, in any case.
inline bool one_slip(std::string_view name, std::string_view meant) {
  if (name.size() > meant.size()) std::swap(name, meant);
  if (meant.size() - name.size() > 1) return false;
  std::size_t same = 0;
  while (same < name.size() && same_name(name.substr(same, 1), meant.substr(same, 1))) ++same;
  const std::size_t skip = meant.size() == name.size() ? 1 : 0;
  return same_name(name.substr(std::min(same + skip, name.size())),
                   meant.substr(std::min(same + 1, meant.size())));
}

}  // namespace rollcall::conf
