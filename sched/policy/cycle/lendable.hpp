// lendable: which words of HOSTS and bsub -m name hosts of another cluster before a lease says which hosts it lends. Functions; leases
// are asked for by their answer, and bjobs tells why one is not.
#pragma once

#include <functional>
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
using IsHost = std::function<bool(const std::string& name)>;
// `is_host`: of ours. A word that names one means it, also where a group has the same name: such groups are left out.
LendableGroups lendable_groups(const conf::LsbHosts& hosts, const IsHost& is_host);

// Of words of -m or HOSTS. `own`: the name of our cluster.
Lendable lendable(const std::vector<conf::HostItem>& words, const LendableGroups& groups,
                  std::string_view provider, std::string_view own);

// Whether a demand could use hosts of a cluster if it lent any.
enum class LeaseUse {
  could,
  not_named,    // its queue or its -m names none of them
  serial_only,  // it is parallel: RECV_FROM
  of_root,      // UserMap gives root no account in that cluster
};
LeaseUse lease_use(const PlacementRules& rules, const Demand& demand, const std::string& provider);
inline bool could_use(const PlacementRules& rules, const Demand& demand, const std::string& provider) {
  return lease_use(rules, demand, provider) == LeaseUse::could;
}

// Words of pending reasons: serial_only and of_root.
std::string serial_only_words(std::string_view provider);
inline constexpr const char* kOfRootWords =
    "a job of root stays in its cluster, unless UserMap gives root an account in another one";

}  // namespace rollcall::sched::cycle
