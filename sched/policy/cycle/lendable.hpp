// lendable: which words of HOSTS and bsub -m name hosts of another cluster before a lease says which hosts it lends. Functions; leases
// are asked for by their answer.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "common/conf/lsb/lsb_hosts.hpp"

namespace rollcall::sched::cycle {

struct PlacementRules;
struct Demand;

// How much of the hosts that another cluster lends, whichever they are.
enum class Lendable { none, some, all };

// Of each group, compute unit and partition of lsb.hosts: they name hosts of all other clusters alike, by allremote and by patterns.
using LendableGroups = std::unordered_map<std::string, Lendable>;
LendableGroups lendable_groups(const conf::LsbHosts& hosts);

// Of words of -m or HOSTS. `own`: the name of our cluster.
Lendable lendable(const std::vector<conf::HostItem>& words, const LendableGroups& groups,
                  std::string_view provider, std::string_view own);

// The demand could use hosts of the cluster if it lent any: its queue and its -m name them, and neither RECV_FROM nor UserMap bars it
// from them.
bool could_use(const PlacementRules& rules, const Demand& demand, const std::string& provider);

}  // namespace rollcall::sched::cycle
