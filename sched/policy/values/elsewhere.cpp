#include "sched/policy/values/elsewhere.hpp"

#include <algorithm>

#include "sched/policy/values/host_id.hpp"
#include "sched/policy/values/job.hpp"

namespace rollcall::sched {
namespace {

constexpr int kKill = 9;

std::string order_words(const wire::SentSignal& sent, const wire::JobRecord& record) {
  const char* const end = record.requeue_asked() ? "to requeue the job" : "to kill the job";
  switch (sent.action()) {
    case wire::SentSignal::TERMINATE:
      return end;
    case wire::SentSignal::SUSPEND:
      return "to stop the job";
    case wire::SentSignal::RESUME:
      return "to resume the job";
    case wire::SentSignal::LIMITS:
      return "to change the job's limits";
    default:
      return sent.signal() == kKill ? end : "to send the job signal " + std::to_string(sent.signal());
  }
}

// The number of the last order that the cluster has said to be carried out.
std::uint64_t carried_out(const wire::JobRecord& record, const std::string& cluster) {
  if (is_elsewhere(record)) return record.forwarded().there().signal_number();
  const auto& told = record.carried_out();
  const auto of_it =
      std::find_if(told.begin(), told.end(), [&](const auto& one) { return one.cluster() == cluster; });
  return of_it == told.end() ? 0 : of_it->signal_number();
}

// "waits until ..." of a job, "reaches ... when ..." of a part: the job's own first host has the order already.
std::string waits_until(const OrderedCluster& cluster, const char* whose) {
  if (!cluster.part) return "waits until cluster <" + cluster.name + "> is connected";
  return std::string("reaches ") + whose + " part in cluster <" + cluster.name + "> when that is connected";
}

}  // namespace

bool differ_beyond_usage(wire::JobElsewhere a, wire::JobElsewhere b) {
  a.clear_usage();
  b.clear_usage();
  return a.SerializeAsString() != b.SerializeAsString();
}

void name_hosts_elsewhere(wire::JobRecord& record) {
  if (record.hosts_size() == 0 || !record.forwarded().has_there()) return;
  record.mutable_hosts()->CopyFrom(record.forwarded().there().hosts());
  for (auto& host : *record.mutable_hosts()) host.set_name(host.name() + "@" + record.forwarded().cluster());
}

std::string from_host_word(const wire::JobRecord& record, const wire::Submission& asked) {
  if (!record.has_from()) return asked.from_host();
  return asked.from_host() + "@" + record.from().cluster() + ":" + text(key_of(record.from().key()));
}

std::string forwarded_words(JobKey key, const wire::ForwardedTo& forwarded) {
  const auto& there = forwarded.there();
  std::string words = "Job <" + text(key) + "> forwarded to cluster <" + forwarded.cluster() + ">, queue <" +
                      (forwarded.has_there() ? there.queue() : forwarded.queue()) + ">";
  if (forwarded.has_there()) words += ", as job <" + text(key_of(there.key())) + ">";
  return words;
}

std::vector<OrderedCluster> ordered_clusters(const wire::JobRecord& record) {
  std::vector<OrderedCluster> clusters;
  if (!placed(record.status())) return clusters;
  for (const auto& host : record.hosts()) {
    const HostId id(host.name());
    if (id.ours() || std::any_of(clusters.begin(), clusters.end(),
                                 [&](const auto& one) { return one.name == id.cluster(); }))
      continue;
    clusters.push_back(
        {std::string(id.cluster()), host.name(), HostId(record.hosts(0).name()).cluster() != id.cluster()});
  }
  return clusters;
}

std::vector<std::string> waiting_orders(const wire::JobRecord& record, const OrderedCluster& cluster) {
  std::vector<std::string> lines;
  const std::uint64_t done = carried_out(record, cluster.name);
  for (const auto& sent : record.signals())
    if (sent.number() > done)
      lines.push_back("The order " + order_words(sent, record) + " " + waits_until(cluster, "the job's"));
  return lines;
}

std::string waits_words(const OrderedCluster& cluster) { return "the order " + waits_until(cluster, "its"); }

std::string mapped_words(const wire::JobRecord& record, const wire::Submission& asked) {
  const auto words = [&](const char* which, const std::string& user, const std::string& cluster) {
    return user.empty() || user == asked.user() ? "" : std::string(which) + user + "@" + cluster + ">";
  };
  if (record.has_from()) return words(", Mapped from <", record.from().user(), record.from().cluster());
  return words(", Mapped to <", record.forwarded().there().exec_user(), record.forwarded().cluster());
}

}  // namespace rollcall::sched
