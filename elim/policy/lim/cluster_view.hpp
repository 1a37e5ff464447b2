// ClusterView: the cluster as its master shows it to clients: each host's facts, load and shared resources. It borrows a Lim and
// its files for the time of one question, and changes nothing.
//
// Hosts are known by their place, which is the same in LimRules::hosts and in the rows of lsf.cluster.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "common/conf/cluster_files.hpp"
#include "common/resreq/evaluate.hpp"
#include "elim/policy/lim/lim.hpp"

namespace rollcall::lim {

// Shared resources by host, made once for each set of files: the instances that a host belongs to, and the values of static ones.
class SharedPlaces {
 public:
  SharedPlaces(const conf::ClusterFiles& files, const LimRules& rules);

  bool is_shared(ResourceId id) const { return places_.count(id) == 1; }
  // The dynamic instance of `host`, by its place in ResourceMap::shared; the value of its static instance.
  struct Place {
    std::optional<std::size_t> instance;
    std::string value;
  };
  const Place* find(ResourceId id, HostIndex host) const;

 private:
  std::unordered_map<ResourceId, std::unordered_map<HostIndex, Place>> places_;
};

class ClusterView {
 public:
  // lim.mastership is there. `now`: for ages and for what lsplace has added.
  ClusterView(const Lim& lim, const conf::ClusterFiles& files, const SharedPlaces& shared, TimePoint now)
      : lim_(lim), files_(files), shared_(shared), now_(now) {}

  const IndexTable& indices() const { return lim_.rules->indices; }
  const LimRules& rules() const { return *lim_.rules; }
  const conf::ClusterFiles& files() const { return files_; }
  const SharedPlaces& shared() const { return shared_; }
  std::size_t size() const { return lim_.rules->hosts.size(); }
  const std::string& name(HostIndex host) const { return lim_.rules->hosts[host].name; }
  const HostEntry& entry(HostIndex host) const { return table()[host]; }
  bool up(HostIndex host) const { return entry(host).presence == Presence::up; }
  wire::Reply::Status status(HostIndex host) const;
  std::string status_word(HostIndex host) const;  // "ok", "busy", "lockUW", "unavail"

  // The host's own facts once it has registered, else those of the files; without the topology.
  HostFacts facts(HostIndex host) const;

  // Of a dynamic resource, host-based or shared; run queues in that form, with lsplace's raise. kUnknownLoad and "" where the
  // host is not up or the value is unknown.
  float number(HostIndex host, ResourceId id, QueueForm queue) const;
  std::string_view word(HostIndex host, ResourceId id) const;
  std::optional<Duration> age(HostIndex host, ResourceId id) const;
  // Of an instance of ResourceMap::shared.
  const SharedValue& shared_value(std::size_t instance) const { return lim_.mastership->shared[instance]; }

 private:
  const HostTable& table() const { return lim_.mastership->table; }
  const SharedValue* shared_of(HostIndex host, ResourceId id) const;

  const Lim& lim_;
  const conf::ClusterFiles& files_;
  const SharedPlaces& shared_;
  TimePoint now_;
};

// One host as a resource requirement sees it.
class ViewedHost : public resreq::HostView {
 public:
  ViewedHost(const ClusterView& view, HostIndex host, QueueForm queue)
      : view_(&view), host_(host), queue_(queue) {}

  HostIndex index() const { return host_; }
  double number(ResourceId id) const override;
  std::string_view word(ResourceId id) const override;
  bool has(ResourceId id) const override;

 private:
  const HostFacts& facts() const;

  const ClusterView* view_;
  HostIndex host_;
  QueueForm queue_;
  mutable std::shared_ptr<const HostFacts> from_files_;  // of a host that has not registered
  mutable std::string status_;
};

}  // namespace rollcall::lim
