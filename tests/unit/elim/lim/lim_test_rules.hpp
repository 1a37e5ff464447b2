// The small cluster of the tests of LIM's rules.
#pragma once

#include <string>

#include "elim/policy/lim/lim_rules.hpp"

namespace rollcall::lim {

// Hosts a b c d e; candidates a b c. Exchange interval 10 s, host inactivity limit 3, master inactivity limit 2.
// Resources: nio of each host; licenses, one for all; scratch shared by (b c d) and by (e d); site, a word of each host.
inline LimRules test_rules(const std::string& host) {
  LimRules rules;
  rules.host = host;
  for (const char* name : {"a", "b", "c", "d", "e"}) rules.hosts.push_back({name});
  rules.candidates = {"a", "b", "c"};
  rules.exchange_interval = std::chrono::seconds(10);
  rules.host_inactivity_limit = 3;
  rules.master_inactivity_limit = 2;
  const auto numeric = ResourceType::numeric;
  const ResourceId nio = rules.indices.add({"nio", numeric, ResourceOrder::increasing, 15});
  const ResourceId licenses = rules.indices.add({"licenses", numeric, ResourceOrder::decreasing, 15});
  const ResourceId scratch = rules.indices.add({"scratch", numeric, ResourceOrder::decreasing, 15});
  const ResourceId site = rules.indices.add({"site", ResourceType::string, ResourceOrder::none, 60});
  rules.resource_map.each_host = {nio, site};
  rules.resource_map.shared = {
      {licenses, {0, 1, 2, 3, 4}, true}, {scratch, {1, 2, 3}, false}, {scratch, {4, 3}, false}};
  rules.digest = "files";
  rules.index_names();
  return rules;
}

}  // namespace rollcall::lim
