// definitions: what lsf.shared defines, as told to other clusters, and where theirs differ. Functions.
//
// "The resource definitions in lsf.shared must be the same in both clusters" ("Platform LSF MultiCluster 7", resource leasing). A provider tells
// its consumers; a consumer shows the differences and goes on: a name that it does not know matches nothing.
#pragma once

#include <string>
#include <vector>

#include "common/conf/lsb/lsb_resources.hpp"
#include "common/conf/lsf_shared.hpp"
#include "common/wire/peer.pb.h"

namespace rollcall::sched::peers {

// A HostExport or SharedResourceExport names the cluster in its DISTRIBUTION.
bool exports_to(const conf::LsbResources& resources, const std::string& cluster);

wire::PeerDefinitions definitions_of(const conf::LsfShared& shared);
// Without what is no name, and bounded.
wire::PeerDefinitions believed(const wire::PeerDefinitions& told);

// One line each, for people: types, then models, then resources, by name.
std::vector<std::string> differences(const wire::PeerDefinitions& here, const wire::PeerDefinitions& there);

}  // namespace rollcall::sched::peers
