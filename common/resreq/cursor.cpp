#include "common/resreq/cursor.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "common/base/host_list.hpp"
#include "common/base/numbers.hpp"

namespace rollcall::resreq {
namespace {

constexpr std::string_view kBlanks = " \t\r\n";
constexpr std::size_t kShown = 20;  // bytes of what was found in an error

char upper(char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; }

// MB in one of the unit; 0 where the letter is none.
double megabytes(char letter) {
  constexpr std::string_view kUnits = "KMGTPEZ";
  const std::size_t step = kUnits.find(upper(letter));
  return step == std::string_view::npos || letter == '\0' ? 0
                                                          : std::pow(1024.0, static_cast<double>(step) - 1);
}

}  // namespace

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool begins_name(char c) {
  return (upper(c) >= 'A' && upper(c) <= 'Z') || c == '_' || static_cast<unsigned char>(c) >= 0x80;
}
bool continues_name(char c) { return begins_name(c) || is_digit(c) || c == '.'; }
bool plain_name(std::string_view word) {
  return !word.empty() && begins_name(word[0]) && std::all_of(word.begin(), word.end(), continues_name);
}

void Cursor::skip_blanks() { at_ = std::min(text_.find_first_not_of(kBlanks, at_), text_.size()); }

bool Cursor::take(std::string_view symbol) {
  skip_blanks();
  if (text_.substr(at_, symbol.size()) != symbol) return false;
  at_ += symbol.size();
  skip_blanks();
  return true;
}

bool Cursor::expect(std::string_view symbol) {
  return take(symbol) || fail("\"" + std::string(symbol) + "\"");
}

std::optional<std::string_view> Cursor::take_name() {
  if (!begins_name(peek())) return std::nullopt;
  const std::size_t begin = at_;
  while (continues_name(peek())) ++at_;
  return text_.substr(begin, at_ - begin);
}

std::optional<Number> Cursor::take_number() {
  if (!is_digit(peek()) && !(peek() == '.' && is_digit(peek(1)))) return std::nullopt;
  const std::size_t begin = at_;
  Number number;
  const char* const first = text_.data() + at_;
  const auto [end, problem] = std::from_chars(first, text_.data() + text_.size(), number.value);
  at_ += static_cast<std::size_t>(end - first);
  if (problem != std::errc()) {
    fail_at(begin, "a number from 2.3e-308 to 1.7e308");
    return std::nullopt;
  }
  if (!take_unit(number)) {
    fail_at(begin, "a number, with or without a unit (K M G T P E Z, B may follow)");
    return std::nullopt;
  }
  number.written = text_.substr(begin, at_ - begin);
  return number;
}

// The unit behind a number, and that nothing else is.
bool Cursor::take_unit(Number& number) {
  if (const double factor = megabytes(peek()); factor > 0) {
    ++at_;
    if (upper(peek()) == 'B') ++at_;
    number.value *= factor;
    number.sized = true;
  }
  return std::isfinite(number.value) && !continues_name(peek());
}

std::optional<std::string> Cursor::take_quoted() {
  const char quote = peek();
  if (quote != '\'' && quote != '"') return std::nullopt;
  const std::size_t end = text_.find(quote, at_ + 1);
  if (end == std::string_view::npos) {
    fail_at(at_, "the same quote again");
    return std::nullopt;
  }
  std::string value(text_.substr(at_ + 1, end - at_ - 1));
  at_ = end + 1;
  return value;
}

std::optional<int> Cursor::whole(int least, int most, std::string_view expected) {
  std::size_t end = at_;
  while (end < text_.size() && is_digit(text_[end])) ++end;
  const auto value = parse_whole(text_.substr(at_, end - at_), least, most);
  if (!value || (end < text_.size() && continues_name(text_[end]))) {
    fail(expected);
    return std::nullopt;
  }
  at_ = end;
  return value;
}

std::optional<std::string> Cursor::word(std::string_view expected) {
  if (auto quoted = take_quoted()) {
    if (!quoted->empty()) return quoted;
    at_ -= 2;
  } else if (const auto name = take_name()) {
    return std::string(*name);
  }
  fail(expected);
  return std::nullopt;
}

bool Cursor::room_in_list(std::size_t words) {
  return words < kMostWords || fail("at most " + std::to_string(kMostWords) + " words in a list");
}

// What a user sees as one thing: a word with its '-' and '.', else one character.
std::string Cursor::found_at(std::size_t place) const {
  if (place >= text_.size()) return "the end";
  std::size_t end = place;
  while (end < text_.size() && continues_name(text_[end])) ++end;
  if (end == place) end += std::max<std::size_t>(utf8_length(text_.substr(place)), 1);
  return printable(text_.substr(place, end - place), kShown);
}

bool Cursor::fail_at(std::size_t place, std::string_view expected) {
  return fail_at(place, found_at(place), expected);
}

bool Cursor::fail_at(std::size_t place, std::string found, std::string_view expected) {
  return fail_with(place, "found " + std::move(found) + ", expected " + std::string(expected));
}

bool Cursor::fail_with(std::size_t place, std::string text) {
  if (!error_) error_ = ParseError{std::move(text), place};
  return false;
}

std::optional<Number> whole_number_word(std::string_view word) {
  Cursor in(word);
  auto number = in.take_number();
  if (!number || !in.at_end()) return std::nullopt;
  return number;
}

std::size_t utf8_length(std::string_view text) {
  if (text.empty()) return 0;
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return 1;
  const std::size_t length = lead >= 0xc2 && lead < 0xe0   ? 2
                             : lead >= 0xe0 && lead < 0xf0 ? 3
                             : lead >= 0xf0 && lead < 0xf5 ? 4
                                                           : 0;
  if (length == 0 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i)
    if ((byte(i) & 0xc0) != 0x80) return 0;
  // Longer than needed, a half of a surrogate pair, behind the last character, a control character.
  const unsigned char second = byte(1);
  const bool odd = (lead == 0xe0 && second < 0xa0) || (lead == 0xed && second >= 0xa0) ||
                   (lead == 0xf0 && second < 0x90) || (lead == 0xf4 && second >= 0x90) ||
                   (lead == 0xc2 && second < 0xa0);
  return odd ? 0 : length;
}

std::optional<ParseError> bytes_error(std::string_view text) {
  if (text.size() > kLongestText)
    return ParseError{
        "found " + std::to_string(text.size()) + " bytes, expected at most " + std::to_string(kLongestText),
        kLongestText};
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = utf8_length(text.substr(at));
    const bool control = length == 1 && (static_cast<unsigned char>(text[at]) < 0x20 || text[at] == 0x7f) &&
                         kBlanks.find(text[at]) == std::string_view::npos;
    if (length == 0 || control)
      return ParseError{"found " + printable(text.substr(at, 1)) + ", expected text in UTF-8", at};
    at += length;
  }
  return std::nullopt;
}

}  // namespace rollcall::resreq
