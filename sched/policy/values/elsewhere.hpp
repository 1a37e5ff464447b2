// elsewhere: what users see of a job that is in two clusters: where it was submitted, and where it runs. Functions.
#pragma once

#include <string>
#include <vector>

#include "common/wire/job.pb.h"
#include "sched/policy/values/job.hpp"

namespace rollcall::sched {

// What another cluster tells of a job is news: usage alone is none, as it comes again.
bool differ_beyond_usage(wire::JobElsewhere a, wire::JobElsewhere b);

// A job that another cluster runs or ran: its hosts there, named host@cluster. Other jobs keep theirs.
void name_hosts_elsewhere(wire::JobRecord& record);

// FROM_HOST: the submission host; of a job of another cluster host@cluster:jobid, with the id there (LSF's form).
std::string from_host_word(const wire::JobRecord& record, const wire::Submission& asked);

// "Job <12> forwarded to cluster <east>, queue <receive>", "..., as job <7>" once it is accepted: LSF's words, and ours behind them.
std::string forwarded_words(JobKey key, const wire::ForwardedTo& forwarded);

// A cluster that carries out orders for a job of ours: it has the job, or lends hosts of it.
struct OrderedCluster {
  std::string name;
  std::string host;   // the first one of the job there: "@cluster" of a job that was forwarded
  bool part = false;  // the job's first host is in another cluster
};
// In the order of the job's hosts; empty: the job has no hosts, or hosts of ours alone.
std::vector<OrderedCluster> ordered_clusters(const wire::JobRecord& record);

// A line for each order that the cluster has not said to be carried out. They wait while it is not connected.
std::vector<std::string> waiting_orders(const wire::JobRecord& record, const OrderedCluster& cluster);
// What a command prints about an order that waits.
std::string waits_words(const OrderedCluster& cluster);

// ", Mapped to <bob@east>" where the job runs, or ran, as another user there (UserMap); ", Mapped from <ann@west>" in that cluster; else "".
std::string mapped_words(const wire::JobRecord& record, const wire::Submission& asked);

}  // namespace rollcall::sched
