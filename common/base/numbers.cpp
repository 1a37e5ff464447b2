#include "common/base/numbers.hpp"

#include <algorithm>

namespace rollcall {
namespace {

constexpr std::size_t kNanoDigits = 9;

// The digits as a number, at most `most`; a longer one is none. No leading blanks or signs: digits only.
std::optional<long long> number(std::string_view digits, long long most) {
  if (!all_digits(digits)) return std::nullopt;
  long long value = 0;
  for (const char c : digits) {
    value = value * 10 + (c - '0');
    if (value > most) return std::nullopt;
  }
  return value;
}

}  // namespace

bool all_digits(std::string_view word) {
  return !word.empty() && std::all_of(word.begin(), word.end(), [](char c) { return c >= '0' && c <= '9'; });
}

std::optional<int> parse_whole(std::string_view word, int least, int most) {
  const auto value = number(word, most);
  if (!value || *value < least) return std::nullopt;
  return static_cast<int>(*value);
}

std::optional<Duration> parse_seconds(std::string_view word) {
  const std::size_t point = word.find('.');
  const auto whole = number(word.substr(0, point), kMaxSeconds);
  if (!whole) return std::nullopt;
  Duration result = std::chrono::seconds(*whole);
  if (point == std::string_view::npos) return result;
  std::string_view digits = word.substr(point + 1);
  if (digits.size() > kNanoDigits) return std::nullopt;
  const auto fraction = number(digits, 999'999'999);
  if (!fraction) return std::nullopt;
  long long nanoseconds = *fraction;
  for (std::size_t i = digits.size(); i < kNanoDigits; ++i) nanoseconds *= 10;
  return result + std::chrono::nanoseconds(nanoseconds);
}

}  // namespace rollcall
