// matching_resources: the resources of MC_RESOURCE_MATCHING_CRITERIA, whose values this cluster sends to others. Functions.
//
// LSF's lsb.params(5): user-defined numeric and string resources of hosts that are not consumable: RESOURCES of lsf.cluster, or a
// ResourceMap with `default`.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/conf/cluster_files.hpp"
#include "common/conf/lsb/lsb_params.hpp"

namespace rollcall::conf {

// none: it is not such a resource.
std::optional<ResourceId> matching_resource(const std::string& name, const ClusterFiles& cluster);

// In the order of the file, each once; names that are no such resource are left out.
std::vector<ResourceId> matching_resources(const LsbParams& params, const ClusterFiles& cluster);

}  // namespace rollcall::conf
