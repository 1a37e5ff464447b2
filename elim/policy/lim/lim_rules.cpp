#include "elim/policy/lim/lim_rules.hpp"

namespace rollcall::lim {
namespace {

// Only what an elim reports: static and Boolean resources come from the files.
bool reported(const IndexTable& indices, ResourceId id) {
  const ResourceDefinition& d = indices.at(id);
  return !d.built_in && d.dynamic() && d.type != ResourceType::boolean;
}

ResourceMap resource_map(const conf::ClusterFiles& files, const LimRules& rules) {
  ResourceMap map;
  for (const conf::ResourceMapping& mapping : files.cluster.resource_map) {
    const auto id = rules.indices.find(mapping.resource);
    if (!id || !reported(rules.indices, *id)) continue;
    for (const conf::ResourceInstance& instance : mapping.instances) {
      if (instance.kind == conf::ResourceInstance::Kind::each_host) {
        map.each_host.push_back(*id);
        continue;
      }
      SharedInstance shared{*id, {}, instance.all_hosts};
      for (const std::string& host : instance.hosts)
        if (const auto place = rules.find(host)) shared.hosts.push_back(*place);
      map.shared.push_back(std::move(shared));
    }
  }
  return map;
}

}  // namespace

Rank LimRules::rank(std::string_view name) const {
  const auto found = ranks_.find(std::string(name));
  return found == ranks_.end() ? candidates.size() : found->second;
}

std::optional<HostIndex> LimRules::find(std::string_view name) const {
  const auto found = by_name_.find(std::string(name));
  if (found == by_name_.end()) return std::nullopt;
  return found->second;
}

void LimRules::index_names() {
  by_name_.clear();
  ranks_.clear();
  for (std::size_t i = 0; i < hosts.size(); ++i) by_name_.emplace(hosts[i].name, static_cast<HostIndex>(i));
  for (std::size_t i = 0; i < candidates.size(); ++i) ranks_.emplace(candidates[i], i);
}

LimRules lim_rules(const conf::ClusterFiles& files, const std::string& own_host, std::string digest) {
  LimRules rules;
  rules.host = own_host;
  rules.candidates = files.candidates;
  for (const conf::ClusterHost& host : files.cluster.hosts) rules.hosts.push_back({host.name, host.server});
  rules.index_names();
  const conf::ClusterParameters& parameters = files.cluster.parameters;
  rules.exchange_interval = parameters.exchange_interval;
  rules.host_inactivity_limit = parameters.host_inactivity_limit;
  rules.master_inactivity_limit = parameters.master_inactivity_limit;
  rules.adjust_duration = parameters.adjust_duration;
  rules.indices = files.indices;
  rules.resource_map = resource_map(files, rules);
  rules.digest = std::move(digest);
  for (const conf::ClusterHost& host : files.cluster.hosts) {
    if (host.name != own_host) continue;
    rules.run_windows = host.run_windows;
    for (const auto& [name, value] : host.thresholds)
      if (const auto id = rules.indices.find(name)) rules.thresholds.push_back({*id, value});
  }
  return rules;
}

}  // namespace rollcall::lim
