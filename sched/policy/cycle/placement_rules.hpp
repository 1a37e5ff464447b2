// PlacementRules: what the configuration files say of placement, with numbers for names: hosts, queues, host groups, limits,
// shared resources. A value, made once for each set of files and shared by every snapshot (snapshot.hpp).
//
// Load, jobs and states that badmin sets are not in it. Each limit of any file, from JL/U to lsb.resources, is a LimitRule;
// tally.hpp counts them all alike. Only MXJ is separate.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "common/base/index_table.hpp"
#include "common/base/time_windows.hpp"
#include "common/conf/cluster_files.hpp"
#include "common/conf/lsb/lsb_files.hpp"
#include "common/resreq/evaluate.hpp"
#include "sched/policy/cycle/lendable.hpp"
#include "sched/policy/values/host_numbers.hpp"
#include "sched/policy/values/host_on_lease.hpp"
#include "sched/policy/values/reservations.hpp"

namespace rollcall::sched::cycle {

using QueueNumber = std::uint32_t;  // a place in PlacementRules::queues
inline constexpr QueueNumber kNoQueue = 0xffffffff;

// loadSched and loadStop of one index.
struct IndexThreshold {
  ResourceId index = 0;
  std::optional<double> schedule, stop;
};

// A row of lsb.hosts. Which row counts for a host may depend on the model and type that LIM found (row_of).
struct BatchRow {
  std::string name;               // a host, a model, a type, or "default"
  bool slots_of_cpus = false;     // MXJ "!"
  std::optional<int> slots;       // MXJ; none, without "!": no limit
  std::optional<int> user_slots;  // JL/U
  TimeWindows dispatch_windows;
  std::vector<IndexThreshold> thresholds;
};

struct HostPreference {
  HostNumber host = 0;
  int preference = 0;            // higher first
  bool first_execution = false;  // "host!"
};

struct QueueRule {
  std::string name;
  int priority = 1;
  TimeWindows run_windows, dispatch_windows;
  std::vector<IndexThreshold> thresholds;
  std::optional<std::vector<HostPreference>> hosts;  // HOSTS resolved, by host number; none: all of ours
  bool exclusive = false;                            // accepts jobs of bsub -x
  std::int64_t accept_interval_s = 0;                // JOB_ACCEPT_INTERVAL in seconds; 0: no pause
  std::int64_t new_job_delay_s = 0;                  // NEW_JOB_SCHED_DELAY
  resreq::ExpressionPointer select;                  // of RES_REQ alone: for its own pending reason
  resreq::ExpressionPointer stop_cond, resume_cond;  // null: not given
  const conf::QueueRow* row = nullptr;               // all other columns: fairshare, preemption, ...
};

// One instance of a shared resource: a set of hosts that share it, as ResourceMap says.
struct SharedInstance {
  ResourceId resource = 0;
  std::vector<HostNumber> hosts;
  std::optional<double> number;     // of a static resource
  std::optional<std::string> word;  // the value as written
};

// What a limit counts of a job.
enum class LimitOf { slots, jobs, resource };

// One limit, whichever file it is from. It counts jobs that every consumer list admits. With `per_user` each user that the list
// admits has a counter, else all share one; likewise the other `per_*`.
struct LimitRule {
  std::string name;   // as written: "limit1", "QJOB_LIMIT"; a Limit without a name: NONAME000, NONAME001, ...
  std::string place;  // for messages: "QJOB_LIMIT of queue normal", "limit limit1 of lsb.resources"
  std::string reason;  // LSF's text for jobs that pend because of it
  LimitOf of = LimitOf::slots;
  ResourceId resource = 0;                 // with LimitOf::resource
  std::vector<conf::LimitAmount> amounts;  // the first whose window is open counts; none is open: no limit
  bool per_processor = false;              // times the CPUs of the host (per_host), rounded up
  // nullopt: all. Users may be groups. "~name" and "all" as in lsb.resources.
  std::optional<std::vector<std::string>> users, queues, projects, applications;
  std::optional<std::vector<bool>> hosts;  // by host number
  bool per_user = false, per_queue = false, per_project = false, per_application = false, per_host = false;
  bool running_only = false;                            // preempted jobs do not count
  bool conf::PreemptFor::*running_only_with = nullptr;  // nor do they with this word of PREEMPT_FOR
  bool of_host_row = false;  // JL/U: the amount is that of the host's row in lsb.hosts
};

struct PlacementRules {
  std::shared_ptr<const conf::ClusterFiles> cluster;
  std::shared_ptr<const conf::LsbFiles> lsb;
  HostNumbers hosts;         // servers of lsf.cluster in its order, then hosts borrowed from other clusters
  HostNumber own_hosts = 0;  // so many of them are ours
  std::vector<std::uint8_t> returned;  // by host: it was borrowed and no lease has it any more; empty: none
  std::vector<std::uint8_t> serial_only;  // by host: RECV_FROM lets no parallel job on it; empty: none
  std::set<std::string, std::less<>> root_has_account;  // clusters in which UserMap gives root one
  std::vector<QueueRule> queues;                        // in the order of lsb.queues
  std::vector<BatchRow> rows;                           // of lsb.hosts
  std::vector<LimitRule> limits;
  std::vector<SharedInstance> shared;  // those of ResourceMap, then those that leases give us
  std::uint32_t own_shared = 0;        // so many of them are ours
  // How an rusage counts: for the job, each host, each slot. By resource number.
  using Per = ReservePer;
  std::vector<Per> reserves;
  std::optional<ResourceId> gpus;  // the resource that counts a host's GPUs; none: no host counts them
  // SBD_SLEEP_TIME: least time between two suspensions or resumptions by load on one host.
  std::int64_t suspend_interval_s = 30;
  std::int64_t idle_for_paging_s = 180;  // PG_SUSP_IT

  std::vector<std::vector<QueueNumber>> preempts;  // preemptable_queues() of `queues`
  bool preempts_any = false;
  bool preempts_exclusive = false;  // jobs of -x preempt and are preempted
  // PREEMPTABLE_RESOURCES by resource number; empty: jobs are preempted for slots alone.
  std::vector<bool> preemptable_resources;

  const IndexTable& indices() const { return cluster->indices; }
  // `written`: as HostId::text() writes it.
  std::optional<HostNumber> host(std::string_view written) const { return hosts.find(written); }
  std::optional<HostNumber> host(const HostId& id) const { return hosts.find(id); }
  bool borrowed(HostNumber host) const { return host >= own_hosts; }
  bool has_returned(HostNumber host) const { return !returned.empty() && returned[host] != 0; }
  std::optional<QueueNumber> queue(std::string_view name) const;
  // The hosts that words of -m, HOSTS or HOSTS of a limit name: a host, a group, a partition, all (of ours), all@cluster,
  // host@cluster, allremote, others. `others` are the hosts of ours that no other word names. By host number; a word that names no
  // host adds none.
  std::vector<HostPreference> resolve(const std::vector<conf::HostItem>& words) const;
  // The place in `shared` of the instance that `host` belongs to.
  std::optional<std::uint32_t> instance_of(ResourceId resource, HostNumber host) const;
  bool shared_resource(ResourceId resource) const { return shared_resources[resource]; }
  // The row of lsb.hosts that counts for a host: its own, else its model's, its type's, the default one; nullptr: lsb.hosts has
  // none of these.
  const BatchRow* row_of(const HostId& host, const std::string& model, const std::string& type) const;
  // PREEMPT_FOR of the profile, else that of lsb.params.
  const conf::PreemptFor& preempt_for(const std::string& application) const;
  // The groups (lsb.users) that a user is in, at any depth, with the user's own name first.
  std::vector<std::string> names_of(std::string_view user) const;

  std::unordered_map<std::string, QueueNumber> queue_numbers;
  std::unordered_map<std::string, std::size_t> row_numbers;              // by name
  std::unordered_map<std::string, std::vector<HostNumber>> host_groups;  // groups and partitions, resolved
  LendableGroups lendable_groups;  // what they name of hosts that no lease has given us yet
  std::unordered_map<std::uint64_t, std::uint32_t> instances;  // resource << 32 | host -> place in `shared`
  std::vector<bool> shared_resources;                          // by resource number
};

// `borrowed`: hosts of other clusters that leases give us.
std::shared_ptr<const PlacementRules> placement_rules(std::shared_ptr<const conf::ClusterFiles> cluster,
                                                      std::shared_ptr<const conf::LsbFiles> lsb,
                                                      const std::vector<HostId>& borrowed = {});
// The same files with other borrowed hosts. Hosts keep their numbers: new ones are added behind, and those that `borrowed` does not
// have are `returned`, which no list of hosts names but those of limits: these count the jobs that are still there. Rules that are made
// anew from files have them no more. Instances of ours keep their places in `shared`, and a resource that was shared once stays so.
// Instances of resources that may_be_borrowed() says no of are dropped.
std::shared_ptr<const PlacementRules> with_borrowed(const PlacementRules& before,
                                                    const std::vector<HostId>& borrowed,
                                                    const std::vector<InstancesOnLease>& instances = {});
// The name is that of a numeric resource that no host of ours has for itself.
bool may_be_borrowed(const conf::ClusterFiles& cluster, const std::string& resource);

}  // namespace rollcall::sched::cycle
