#include "sched/policy/peers/span_messages.hpp"

#include <algorithm>
#include <set>

#include "common/base/host_list.hpp"
#include "sched/policy/peers/lease_messages.hpp"

namespace rollcall::sched::peers {
namespace {

constexpr std::size_t kKeyBytes = 32;
constexpr std::size_t kRelayDigits = 32;
constexpr int kMostPlaces = 2 * kMostLeasedHosts;
constexpr int kMostAddresses = 8;  // of one host
constexpr std::size_t kLongestAddress = 45;
constexpr std::uint32_t kMostPort = 65535;

bool is_digits(const std::string& text) {
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}

}  // namespace

bool is_address(const std::string& text) {
  return !text.empty() && text.size() <= kLongestAddress && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F') || c == '.' || c == ':';
  });
}

bool are_addresses(const google::protobuf::RepeatedPtrField<std::string>& addresses, std::uint32_t port) {
  return !addresses.empty() && addresses.size() <= kMostAddresses && port != 0 && port <= kMostPort &&
         std::all_of(addresses.begin(), addresses.end(), is_address);
}

Result<void> check(const wire::JobSpan& span) {
  for (const auto* key : {&span.key(), &span.task_key()})
    if (key->size() != kKeyBytes)
      return internal_error("a key of a job: found " + std::to_string(key->size()) + " bytes, expected " +
                            std::to_string(kKeyBytes));
  if (span.relay().size() != kRelayDigits || !is_digits(span.relay()))
    return internal_error("the relay of a job: found a malformed name, expected 32 hexadecimal digits");
  if (span.places_size() < 2 || span.places_size() > kMostPlaces)
    return internal_error("the hosts of a job: found " + std::to_string(span.places_size()) +
                          ", expected 2 to " + std::to_string(kMostPlaces));
  std::set<std::string> names;
  for (const auto& place : span.places()) {
    if (!host_name(place.host()) || !names.insert(place.host()).second)
      return internal_error("the hosts of a job: found a malformed name or one twice, expected host names");
    if (place.slots() == 0 || place.slots() > static_cast<std::uint32_t>(kMostLeasedSlots))
      return internal_error("the slots of a job's host: found " + std::to_string(place.slots()) +
                            ", expected 1 to " + std::to_string(kMostLeasedSlots));
    if (!place.task_key().empty() && place.task_key().size() != kKeyBytes)
      return internal_error("the key of a job's host: found " + std::to_string(place.task_key().size()) +
                            " bytes, expected " + std::to_string(kKeyBytes) + " or none");
    if (!are_addresses(place.addresses(), place.port()))
      return internal_error("a host of a job: found malformed addresses, expected numeric ones and a port");
  }
  return {};
}

}  // namespace rollcall::sched::peers
