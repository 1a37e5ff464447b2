#include "common/base/host_claim.hpp"

#include <algorithm>

namespace rollcall {
namespace {

std::string_view without_zone(std::string_view address) { return address.substr(0, address.find('%')); }

}  // namespace

HostClaim judge_claim(std::string_view from, const std::vector<std::string>& addresses) {
  if (addresses.empty()) return HostClaim::unknown;
  const auto same = [from](const std::string& address) {
    return without_zone(address) == without_zone(from);
  };
  return std::any_of(addresses.begin(), addresses.end(), same) ? HostClaim::good : HostClaim::foreign;
}

std::string addresses_text(const std::vector<std::string>& addresses) {
  std::string text;
  for (std::size_t i = 0; i < addresses.size(); ++i)
    text += (i == 0 ? "" : i + 1 == addresses.size() ? " and " : ", ") + addresses[i];
  return text.empty() ? "none" : text;
}

}  // namespace rollcall
