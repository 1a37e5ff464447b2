// span    = place*
// place   = HOST blank PORT blank address ("," address)* newline
// address = an IPv4 or IPv6 address
#include "res/policy/span_file.hpp"

#include <charconv>
#include <sstream>

namespace rollcall::res {

std::string span_text(const wire::JobSpan& span) {
  std::string text;
  for (const auto& place : span.places()) {
    if (place.addresses().empty() || place.port() == 0) continue;
    text += place.host() + " " + std::to_string(place.port()) + " ";
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
    if (!(line >> place.host >> port >> addresses) || line >> more) return std::nullopt;
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

std::string span_key_text(const wire::JobSpan& span) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (const char c : span.key()) {
    text += kDigits[static_cast<unsigned char>(c) >> 4];
    text += kDigits[static_cast<unsigned char>(c) & 0xf];
  }
  return text + "\n";
}

}  // namespace rollcall::res
