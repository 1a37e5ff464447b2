// ResourceMap: where the dynamic resources of a site live, and which host's elims report them. A value and functions.
//
// Made from section ResourceMap of lsf.cluster. It does not know which elims are installed: a host without resources to report
// runs none, any other host runs all of them (each finds its part in LSF_RESOURCES). Rules: "External load indices", how resource
// mapping determines elim hosts:
//
//   LOCATION          | reported by
//   [default]         | every host, for itself
//   ([all ...])       | the master, one instance for all
//   ([h1 h2] [h3])    | the first available host of each bracket; the next one while it is away, itself again when back
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "common/base/index_table.hpp"

namespace rollcall::lim {

using HostIndex = std::uint32_t;  // a host's place in the rules' list (LimRules::hosts)

// One instance that several hosts share.
struct SharedInstance {
  ResourceId resource = 0;
  std::vector<HostIndex> hosts;  // in the order written
  bool all_hosts = false;        // it was [all ...]: the master reports it
  friend bool operator==(const SharedInstance&, const SharedInstance&) = default;
};

struct ResourceMap {
  std::vector<ResourceId> each_host;   // [default]
  std::vector<SharedInstance> shared;  // in the order of the file
};

// The host that reports each shared instance, by its place in `shared`; none where no host of it is available. `available` has
// one bit for each host; without a master [all ...] instances have no reporter.
using Holders = std::vector<std::optional<HostIndex>>;
Holders holders(const ResourceMap& map, const std::vector<bool>& available, std::optional<HostIndex> master);

// The resources that the elims of `host` are to report (LSF_RESOURCES), in the order of lsf.shared.
std::vector<ResourceId> expected(const ResourceMap& map, const Holders& holders, HostIndex host);

}  // namespace rollcall::lim
