#include "elim/policy/lim/resource_map.hpp"

#include <algorithm>

namespace rollcall::lim {

Holders holders(const ResourceMap& map, const std::vector<bool>& available, std::optional<HostIndex> master) {
  Holders result;
  result.reserve(map.shared.size());
  for (const SharedInstance& instance : map.shared) {
    if (instance.all_hosts) {
      result.push_back(master);
      continue;
    }
    const auto first = std::find_if(instance.hosts.begin(), instance.hosts.end(),
                                    [&](HostIndex h) { return h < available.size() && available[h]; });
    result.push_back(first == instance.hosts.end() ? std::nullopt : std::optional(*first));
  }
  return result;
}

std::vector<ResourceId> expected(const ResourceMap& map, const Holders& holders, HostIndex host) {
  std::vector<ResourceId> result = map.each_host;
  for (std::size_t i = 0; i < map.shared.size(); ++i)
    if (holders[i] == host) result.push_back(map.shared[i].resource);
  std::sort(result.begin(), result.end());
  result.erase(std::unique(result.begin(), result.end()), result.end());
  return result;
}

}  // namespace rollcall::lim
