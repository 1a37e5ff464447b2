// SnapshotKeeper: keeps the scheduler's Snapshot in agreement with the Book, LIM's answers and the connected hosts.
//
// It decides nothing: schedule() reads the snapshot, the Book changes jobs. The code that carries out effects reports changed jobs;
// the keeper looks each up in the Book and puts it into the snapshot. Owned by mbatchd's one thread.
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "common/base/wall_time.hpp"
#include "sched/policy/book/host_ledger.hpp"
#include "sched/policy/book/job_table.hpp"
#include "sched/policy/cycle/schedule.hpp"
#include "sched/policy/values/load_news.hpp"

namespace rollcall::sched::answers {

class SnapshotKeeper {
 public:
  SnapshotKeeper(const book::JobTable& jobs, const book::HostLedger& hosts) : jobs_(jobs), hosts_(hosts) {}

  // New rules: makes the snapshot anew and keeps the known load of hosts.
  void configure(std::shared_ptr<const cycle::PlacementRules> rules);
  const cycle::Snapshot& snapshot() const { return *snapshot_; }
  cycle::Snapshot& snapshot() { return *snapshot_; }

  // --- what has changed
  void job(JobKey key);
  void control(const wire::ControlState& state);
  void connected(const std::string& host, bool connected);
  void load(LoadNews news);
  // No LIM has answered within the patience: loads are unknown.
  void load_lost();
  bool load_known() const { return load_known_; }
  // LIM's last answer.
  const LoadNews& news() const { return news_; }
  // A host's type as LIM knows it; "": it does not.
  std::string type_of(const std::string& host) const;
  // The hosts and instances of shared resources that are on lease now, with all that is known of them; it replaces what was said before.
  // Returns the resources that their clusters have and we do not, each once: they are dropped.
  std::vector<std::string> borrow(std::vector<HostOnLease> hosts,
                                  std::vector<InstancesOnLease> instances = {});
  // Hosts that came back to their clusters keep their numbers in the snapshot until configure(). True: it is due, for they are many, as a
  // provider may lend other hosts every minute; but not more often than every half a minute, however often it does. Meanwhile borrow() leaves
  // out hosts without a number once the numbers are four times as many.
  bool forgets_returned(std::chrono::steady_clock::time_point now);
  // How often configure() has given hosts other numbers.
  std::size_t times_anew() const { return times_anew_; }
  // What leases take of our hosts, and of instances by their places in PlacementRules::shared. Replaces what the call before has set.
  void lend(std::map<std::string, LentOfHost> hosts, std::vector<double> instances = {});
  // What LIM or the files say of a host of ours.
  HostFacts facts_of(HostNumber host) const;
  // For HostLedger::cpu_factors().
  std::unordered_map<HostId, double> cpu_factors() const;

  // Releases jobs whose dependencies have changed. To be called before a cycle.
  void dependencies(const book::DependencyChanges& changes);

 private:
  void set_job(const Job& job);
  void no_longer_held(JobKey key);
  struct Asked {
    cycle::DemandNumber demand = 0;
    cycle::JobTimes times;
    conf::PreemptionLimits preemption;
  };
  const Asked& demand_for(const Job& job);
  cycle::Hold hold_of(const Job& job) const;
  void take_load();
  void take_borrowed(const HostOnLease& host);
  void take_borrowed_instances();
  std::vector<HostId> borrowed_ids() const;

  const book::JobTable& jobs_;
  const book::HostLedger& hosts_;
  std::shared_ptr<const cycle::PlacementRules> rules_;
  std::unique_ptr<cycle::Snapshot> snapshot_;
  // By submission and queue, until the next trim.
  std::unordered_map<std::string, Asked> demands_;
  std::unordered_map<std::uint64_t, std::set<JobKey>> held_;  // by submission: Hold::dependency
  std::unordered_map<JobKey, std::uint64_t> held_jobs_;       // the submission of each of them
  std::set<HostId> connected_;
  struct HostKind {
    std::string type, model;
    friend bool operator==(const HostKind&, const HostKind&) = default;
  };
  std::map<std::string, HostKind> kinds_;        // of every host that LIM knows
  std::vector<std::optional<HostFacts>> facts_;  // by host: as the snapshot has them; none: the files' facts
  std::vector<HostOnLease> borrowed_;
  std::vector<InstancesOnLease> borrowed_instances_;
  std::map<std::string, LentOfHost> lent_;  // by host of ours
  std::vector<double> lent_instances_;      // by place
  LoadNews news_;
  bool load_known_ = false;
  std::size_t times_anew_ = 0;
  std::chrono::steady_clock::time_point next_forgetting_{};
};

}  // namespace rollcall::sched::answers
