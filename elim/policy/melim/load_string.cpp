#include "elim/policy/melim/load_string.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <optional>

#include "common/base/host_list.hpp"
#include "common/base/load_vector.hpp"
#include "common/base/numbers.hpp"

namespace rollcall::melim {
namespace {

constexpr std::string_view kBlanks = " \t\r\v\f";
constexpr int kMostPairs = 999'999;  // a line has room for far fewer

// The next token, taken off `rest`; empty at the end.
std::string_view next_token(std::string_view& rest) {
  rest.remove_prefix(std::min(rest.find_first_not_of(kBlanks), rest.size()));
  const std::string_view token = rest.substr(0, rest.find_first_of(kBlanks));
  rest.remove_prefix(token.size());
  return token;
}

std::size_t count_tokens(std::string_view rest) {
  std::size_t count = 0;
  while (!next_token(rest).empty()) ++count;
  return count;
}

// Digits taken off `rest`; true where there were any.
bool skip_digits(std::string_view& rest) {
  const std::size_t end = std::min(rest.find_first_not_of("0123456789"), rest.size());
  rest.remove_prefix(end);
  return end > 0;
}

bool skip_one_of(std::string_view& rest, std::string_view which) {
  if (rest.empty() || which.find(rest.front()) == std::string_view::npos) return false;
  rest.remove_prefix(1);
  return true;
}

// Checks the grammar: strtod also accepts "nan", "inf" and hexadecimal.
bool is_number(std::string_view word) {
  skip_one_of(word, "+-");
  const bool whole = skip_digits(word);
  const bool fraction = skip_one_of(word, ".") && skip_digits(word);
  if (!whole && !fraction) return false;
  if (!skip_one_of(word, "eE")) return word.empty();
  skip_one_of(word, "+-");
  return skip_digits(word) && word.empty();
}

// The size of the UTF-8 character at the front of `rest`; 0: none, or a control character.
std::size_t text_character(std::string_view rest) {
  const auto byte = [&](std::size_t i) { return i < rest.size() ? static_cast<unsigned char>(rest[i]) : 0U; };
  const auto goes_on = [&](std::size_t i) { return (byte(i) & 0xC0U) == 0x80U; };
  const unsigned first = byte(0);
  if (first < 0x80) return first >= 0x20 && first != 0x7F ? 1 : 0;
  if (first >= 0xC2 && first < 0xE0)
    return goes_on(1) && (first != 0xC2 || byte(1) >= 0xA0) ? 2 : 0;  // U+0080 to U+009F are controls
  if (first >= 0xE0 && first < 0xF0) {
    const bool overlong = first == 0xE0 && byte(1) < 0xA0;
    const bool surrogate = first == 0xED && byte(1) >= 0xA0;
    return goes_on(1) && goes_on(2) && !overlong && !surrogate ? 3 : 0;
  }
  if (first < 0xF0 || first > 0xF4) return 0;
  const bool outside = (first == 0xF0 && byte(1) < 0x90) || (first == 0xF4 && byte(1) >= 0x90);
  return goes_on(1) && goes_on(2) && goes_on(3) && !outside ? 4 : 0;
}

bool is_text(std::string_view word) {
  while (!word.empty()) {
    const std::size_t taken = text_character(word);
    if (taken == 0) return false;
    word.remove_prefix(taken);
  }
  return true;
}

std::string plain(double value) {
  std::string digits = std::to_string(value);
  digits.erase(digits.find_last_not_of('0') + 1);
  if (digits.back() == '.') digits.pop_back();
  return digits;
}

LoadString refuse(FaultKind kind, std::string text) {
  LoadString result;
  result.refused = true;
  result.faults.push_back({kind, "", std::move(text)});
  return result;
}

// Parses one string, pair by pair.
class Reader {
 public:
  explicit Reader(const ElimNames& names) : names_(names) {}
  LoadString take() { return std::move(result_); }

  void pair(std::string_view name, std::string_view value) {
    const ElimName* known = names_.find(name);
    if (known == nullptr) return unknown(name);
    if (known->type == ResourceType::string) return word(*known, value);
    number(*known, value);
  }

 private:
  void fault(FaultKind kind, std::string_view name, std::string text) {
    if (result_.faults.size() < kFaultsOfAString)
      result_.faults.push_back({kind, std::string(name.substr(0, kLineShown)), std::move(text)});
  }

  void unknown(std::string_view name) {
    const std::string_view formal = names_.meant_by(name);
    if (names_.is_fixed(name))
      fault(FaultKind::unknown_name, name,
            "found index " + printable(name) +
                ", which has no INTERVAL in lsf.shared and so a fixed value; expected an index with an "
                "INTERVAL");
    else if (formal.empty())
      fault(FaultKind::unknown_name, name,
            "found index " + printable(name) +
                ", expected one that lsf.shared defines and lsf.cluster maps to this host");
    else
      fault(FaultKind::alias, name,
            "found index " + printable(name) + ", expected the formal name " + std::string(formal) +
                " of the built-in index");
  }

  void word(const ElimName& known, std::string_view value) {
    if (value.size() > kWordLimit)
      return fault(FaultKind::bad_word, known.name,
                   "found " + std::to_string(value.size()) + " bytes for " + known.name +
                       ", expected at most " + std::to_string(kWordLimit));
    if (!is_text(value))
      return fault(FaultKind::bad_word, known.name,
                   "found " + printable(value) + " for " + known.name + ", expected UTF-8 text");
    result_.readings.push_back({known.name, std::string(value)});
  }

  void number(const ElimName& known, std::string_view value) {
    const std::string found = "found " + printable(value) + " for " + known.name + ", expected ";
    if (!is_number(value)) return fault(FaultKind::not_a_number, known.name, found + "a number");
    const double read = std::strtod(std::string(value).c_str(), nullptr);
    if (std::fabs(read) > static_cast<double>(kUnknownLoad))
      return fault(FaultKind::beyond_limits, known.name, found + "at most 2147483648 (INFINIT_LOAD)");
    if (known.built_in && read < 0)
      return fault(FaultKind::beyond_most, known.name, found + "0 or more for a built-in index");
    if (known.most && read > *known.most)
      return fault(FaultKind::beyond_most, known.name,
                   found + "at most " + plain(*known.most) + ", its maximum");
    result_.readings.push_back({known.name, static_cast<float>(read)});
  }

  const ElimNames& names_;
  LoadString result_;
};

}  // namespace

LoadString refuse_long_line() {
  return refuse(FaultKind::too_long, "found a line of more than " + std::to_string(kLineLimit) +
                                         " bytes, expected a load update string");
}

LoadString read_load_string(std::string_view line, const ElimNames& names) {
  std::string_view rest = line;
  const std::string_view first = next_token(rest);
  if (first.empty()) return {};
  const std::optional<int> count = parse_whole(first, 0, kMostPairs);
  if (!count || first.size() > 6)
    return refuse(FaultKind::no_count,
                  "found " + printable(first) + ", expected the number of indices that follow");
  const std::size_t words = count_tokens(rest);
  if (words != 2 * static_cast<std::size_t>(*count))
    return refuse(FaultKind::wrong_count,
                  "found " + std::to_string(words) + " words after the count " + std::string(first) +
                      ", expected " + std::to_string(2 * *count) + " (a name and a value for each index)");
  Reader reader(names);
  for (int i = 0; i < *count; ++i) {
    const std::string_view name = next_token(rest);
    reader.pair(name, next_token(rest));
  }
  return reader.take();
}

}  // namespace rollcall::melim
