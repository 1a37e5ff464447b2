// spans: jobs with hosts of several clusters (docs/decisions/0106). Functions.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "common/wire/job.pb.h"
#include "sched/policy/values/host_id.hpp"

namespace rollcall::sched {

// Its hosts are not all of one cluster.
template <class Hosts>
bool spans_clusters(const Hosts& hosts) {
  return std::any_of(hosts.begin(), hosts.end(), [&](const wire::ExecHost& host) {
    return HostId(host.name()).cluster() != HostId(hosts.begin()->name()).cluster();
  });
}

// Where each of its hosts is reached is known.
inline bool names_all_hosts(const wire::JobSpan& span) {
  return std::none_of(span.places().begin(), span.places().end(),
                      [](const auto& place) { return place.addresses().empty(); });
}

// The first host of which it is not known where it is reached; "": there is none.
inline std::string unnamed_host(const wire::JobSpan& span) {
  for (const auto& place : span.places())
    if (place.addresses().empty())
      return place.host() + (place.cluster().empty() ? "" : HostId::whole_cluster(place.cluster()).text());
  return "";
}

// How an order to a host of ours leaves. waits: not all hosts of the job can be named yet, or it is a part and what they share is not known:
// the order comes again when more is.
enum class OrderSpan { none, stamped, waits };
inline OrderSpan span_of_order(const std::optional<wire::JobSpan>& span, bool is_part) {
  if (!span) return is_part ? OrderSpan::waits : OrderSpan::none;
  return names_all_hosts(*span) ? OrderSpan::stamped : OrderSpan::waits;
}

// What a provider is told: its hosts start no task on hosts of other clusters, so it gets neither their keys
// nor the names of their clusters.
inline wire::JobSpan span_for(wire::JobSpan span, const std::string& cluster) {
  span.clear_task_key();
  for (auto& place : *span.mutable_places())
    if (place.cluster() == cluster) {
      span.set_task_key(place.task_key());
    } else {
      place.clear_task_key();
      place.clear_cluster();
    }
  return span;
}

// The hosts as the processes of such a job see them: launchers put names into words where "@" means something else.
template <class Hosts>
std::vector<wire::ExecHost> hosts_in_job(const Hosts& hosts) {
  std::vector<wire::ExecHost> named(hosts.begin(), hosts.end());
  if (!spans_clusters(hosts)) return named;
  for (auto& host : named) host.set_name(std::string(HostId(host.name()).host()));
  return named;
}

}  // namespace rollcall::sched
