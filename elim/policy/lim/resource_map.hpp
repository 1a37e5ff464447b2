// ResourceMap: where the dynamic resources of a site live, and which host's elims report them. A value and functions.
//
// It is made from the section ResourceMap of lsf.cluster. It does not know what elims are installed: a host whose list is
// empty runs none, any other host runs all of them (each finds its part in LSF_RESOURCES). Rules: "External load
// indices", how resource mapping determines elim hosts:
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

// Who reports each shared instance, by its place in `shared`; none where nobody of it is available. `available` has one
// bit for each host; without a master the instances of all hosts have nobody.
using Holders = std::vector<std::optional<HostIndex>>;
Holders holders(const ResourceMap& map, const std::vector<bool>& available, std::optional<HostIndex> master);

// What the elims of `host` are expected to report (LSF_RESOURCES), in the order of lsf.shared.
std::vector<ResourceId> expected(const ResourceMap& map, const Holders& holders, HostIndex host);

}  // namespace rollcall::lim
