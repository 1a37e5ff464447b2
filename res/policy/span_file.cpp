// span    = place*
// place   = HOST blank PORT blank (64 hexadecimal digits | "-") blank address ("," address)* newline
// address = an IPv4 or IPv6 address
#include "res/policy/span_file.hpp"

#include <algorithm>
#include <charconv>
#include <sstream>

#include "common/base/hex_line.hpp"

namespace rollcall::res {

namespace {

constexpr std::size_t kKeyDigits = 64;
constexpr std::string_view kNoKey = "-";

// Of a key as it was checked: 32 bytes.
std::string digits_of(std::string_view key) {
  HexBytes bytes{};
  std::copy_n(key.begin(), std::min(key.size(), bytes.size()), bytes.begin());
  const auto line = print_hex_line(bytes);
  return {line.data(), kKeyDigits};
}

}  // namespace

std::string span_text(const wire::JobSpan& span) {
  std::string text;
  for (const auto& place : span.places()) {
    if (place.addresses().empty() || place.port() == 0) continue;
    text += place.host() + " " + std::to_string(place.port()) + " " +
            (place.task_key().empty() ? std::string(kNoKey) : digits_of(place.task_key())) + " ";
    for (int i = 0; i < place.addresses_size(); ++i) text += (i == 0 ? "" : ",") + place.addresses(i);
    text += "\n";
  }
  return text;
}

std::optional<std::vector<SpanPlace>> read_span(std::string_view text) {
  std::vector<SpanPlace> places;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    if (end == text.npos) return std::nullopt;
    std::istringstream line{std::string(text.substr(0, end))};
    text.remove_prefix(end + 1);
    SpanPlace place;
    std::string port, addresses, more;
    if (!(line >> place.host >> port >> place.task_key >> addresses) || line >> more) return std::nullopt;
    if (place.task_key == kNoKey)
      place.task_key.clear();
    else if (!parse_hex_line(place.task_key + "\n"))
      return std::nullopt;
    const auto [last, failure] = std::from_chars(port.data(), port.data() + port.size(), place.port);
    if (failure != std::errc{} || last != port.data() + port.size() || place.port == 0) return std::nullopt;
    std::istringstream list(addresses);
    for (std::string address; std::getline(list, address, ',');) place.addresses.push_back(address);
    places.push_back(std::move(place));
  }
  return places;
}

const wire::JobSpan* span_of(const wire::JobOrder& order) {
  if (order.has_start()) return order.start().has_span() ? &order.start().span() : nullptr;
  return order.expect().has_span() ? &order.expect().span() : nullptr;
}

std::string span_key_text(const wire::JobSpan& span) { return digits_of(span.key()) + "\n"; }

}  // namespace rollcall::res
