// host_id = NAME [ "@" NAME ] | "@" NAME      NAME: no "@", blank or control character; not empty
#include "sched/policy/values/host_id.hpp"

#include <utility>

#include "sched/policy/values/cluster_mark.hpp"

namespace rollcall::sched {

HostId::HostId(std::string written) : written_(std::move(written)) {
  const std::size_t at = written_.find(kClusterMark);
  const bool elsewhere = at != std::string::npos && at + 1 != written_.size() &&
                         written_.find(kClusterMark, at + 1) == std::string::npos;
  if (elsewhere) at_ = at;
}

HostId HostId::whole_cluster(std::string_view cluster) { return HostId(kClusterMark + std::string(cluster)); }

Result<HostId> HostId::parse(std::string_view word, std::string_view own_cluster) {
  auto parts = split_cluster("host", word);
  if (!parts) return parts.error();
  const bool own = !parts->cluster || *parts->cluster == own_cluster;
  return HostId(std::string(own ? parts->name : word));
}

std::string_view HostId::cluster() const {
  return ours() ? std::string_view() : std::string_view(written_).substr(at_ + 1);
}

std::strong_ordering operator<=>(const HostId& a, const HostId& b) {
  if (const auto order = a.cluster() <=> b.cluster(); order != 0) return order;
  return a.host() <=> b.host();
}

}  // namespace rollcall::sched
