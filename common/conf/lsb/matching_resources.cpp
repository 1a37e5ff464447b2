#include "common/conf/lsb/matching_resources.hpp"

#include <algorithm>

namespace rollcall::conf {
namespace {

bool each_host_for_itself(const ResourceMapping& row) {
  return std::all_of(row.instances.begin(), row.instances.end(),
                     [](const auto& one) { return one.kind == ResourceInstance::Kind::each_host; });
}

}  // namespace

std::optional<ResourceId> matching_resource(const std::string& name, const ClusterFiles& cluster) {
  const auto id = cluster.indices.find(name);
  if (!id || *id < cluster.indices.built_in()) return std::nullopt;
  const ResourceDefinition& resource = cluster.indices.at(*id);
  if (resource.type == ResourceType::boolean || resource.consumable.value_or(false)) return std::nullopt;
  for (const auto& row : cluster.cluster.resource_map)
    if (row.resource == resource.name && !each_host_for_itself(row)) return std::nullopt;
  return id;
}

std::vector<ResourceId> matching_resources(const LsbParams& params, const ClusterFiles& cluster) {
  std::vector<ResourceId> all;
  for (const std::string& name : params.mc_matching_resources)
    if (const auto id = matching_resource(name, cluster);
        id && std::find(all.begin(), all.end(), *id) == all.end())
      all.push_back(*id);
  return all;
}

}  // namespace rollcall::conf
