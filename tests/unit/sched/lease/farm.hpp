// Farm: hosts of a provider with a type and a number of CPUs, and export policies over them, for tests of exports. Owned by a test.
#pragma once

#include <algorithm>
#include <deque>
#include <limits>

#include "sched/policy/lease/exports.hpp"

namespace rollcall::sched::lease {

class FarmHost : public resreq::HostView {
 public:
  FarmHost(const IndexTable& indices, std::string type, double cpus)
      : type_(std::move(type)),
        cpus_(cpus),
        type_id_(*indices.find("type")),
        cpus_id_(*indices.find("ncpus")),
        memory_id_(*indices.find("maxmem")),
        swap_id_(*indices.find("maxswp")) {}
  double number(ResourceId id) const override {
    return id == cpus_id_     ? cpus_
           : id == memory_id_ ? memory_mb
           : id == swap_id_   ? swap_mb
                              : std::numeric_limits<double>::quiet_NaN();
  }
  std::string_view word(ResourceId id) const override { return id == type_id_ ? type_ : std::string_view{}; }
  bool has(ResourceId id) const override { return id == type_id_ || id == cpus_id_; }

  double memory_mb = std::numeric_limits<double>::quiet_NaN(), swap_mb = memory_mb;

 private:
  std::string type_;
  double cpus_;
  ResourceId type_id_, cpus_id_, memory_id_, swap_id_;
};

struct Farm {
  IndexTable indices;
  std::deque<FarmHost> views;
  std::vector<ExportHost> hosts;
  std::vector<ExportPolicy> policies;
  std::vector<ChosenBefore> before;
  std::vector<HeldMemory> held;

  ExportHost& add(const std::string& name, const std::string& type = "LINUX", int slots = 2, bool up = true) {
    views.emplace_back(indices, type, slots);
    return hosts.emplace_back(ExportHost{name, type, slots, up, &views.back()});
  }
  bool has(const std::string& name) const {
    return std::any_of(hosts.begin(), hosts.end(), [&](const ExportHost& each) { return each.name == name; });
  }
  ExportHost& host(const std::string& name) {
    for (ExportHost& each : hosts)
      if (each.name == name) return each;
    return add(name);
  }
  std::vector<Offer> offers() const { return lease::offers(policies, hosts, before, indices, held); }
  // What was chosen is what was exported before, from now on.
  void keep(const std::vector<Offer>& offered, bool same_policy = true) {
    before.assign(policies.size(), {same_policy, {}});
    for (const Offer& offer : offered)
      for (const LeasedHost& host : offer.hosts)
        before[offer.policy].hosts.push_back({host.host, offer.consumer, {}});
  }
  void job_since(const std::string& host, std::int64_t second) {
    for (ChosenBefore& policy : before)
      for (ChosenHost& chosen : policy.hosts)
        if (chosen.host == host) chosen.last_start = wall_seconds(second);
  }
};

inline ExportPolicy named(std::vector<std::string> hosts, int slots, std::vector<Consumer> consumers) {
  ExportPolicy policy;
  policy.hosts = std::move(hosts);
  policy.slots = slots;
  policy.consumers = std::move(consumers);
  return policy;
}
inline ExportPolicy chosen_by(std::string select, int most, std::vector<Consumer> consumers) {
  ExportPolicy policy;
  policy.select = std::move(select);
  policy.most_hosts = most;
  policy.consumers = std::move(consumers);
  return policy;
}

// "C1: a*2 b*1; C2: a*1", in the order of the offers.
inline std::string text(const std::vector<Offer>& offers) {
  std::string all;
  for (const Offer& offer : offers) {
    all += (all.empty() ? "" : "; ") + offer.consumer + ":";
    for (const LeasedHost& host : offer.hosts) all += " " + host.host + "*" + std::to_string(host.slots);
  }
  return all;
}

}  // namespace rollcall::sched::lease
