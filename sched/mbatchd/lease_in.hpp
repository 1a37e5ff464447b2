// LeaseIn: the consumer's side of leases: asks for those that a pending job could use, puts their hosts into the snapshot, and is the
// engine of those hosts: orders for host@cluster leave as messages to the provider's mbatchd, and what that says comes back as
// reports of the host.
//
// It keeps nothing in the store: a provider tells all its leases when it connects. It knows which starts are unanswered, so that it
// acknowledges a grant only when no start under an older one can still arrive. The life of a lease is lease_consumer.cpp's, what
// is believed lease_messages.cpp's, and the life of a job the Book's, for which a borrowed host is a host.
//
// A job on several hosts of one cluster, of whichever leases, is one order to that cluster, which starts it there as a parallel job of its
// own. A job whose first host is ours has a part at each provider of its borrowed hosts (lease_in_parts.cpp): what is ordered of these
// hosts is one order to their cluster, too. A job whose first host is borrowed and that has hosts of another cluster is not started in this
// release: it is planned again without the borrowed host.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "common/io/log.hpp"
#include "common/wire/peer.pb.h"
#include "sched/mbatchd/configuration.hpp"
#include "sched/mbatchd/engine.hpp"
#include "sched/policy/answers/snapshot_keeper.hpp"
#include "sched/policy/book/host_ledger.hpp"
#include "sched/policy/book/job_table.hpp"
#include "sched/policy/lease/change_lines.hpp"
#include "sched/policy/lease/lease_life.hpp"
#include "sched/policy/lease/lease_report.hpp"
#include "sched/policy/peers/lease_messages.hpp"
#include "sched/policy/values/borrowed_load.hpp"
#include "sched/policy/values/engine.hpp"

namespace rollcall::mbatchd {

class LeaseIn : public sched::Engine {
 public:
  struct Handler {
    std::function<bool(const std::string& cluster, wire::PeerMessage)> say;  // false: it does not serve
    std::function<void(const std::string& host, const sched::HostReport&)> told;
    std::function<void(const std::string& host, const sched::HostReport&)> told_soon;  // from within an order
    std::function<void(const std::string& host)> gone;
    std::function<void()> plan_soon;  // slots have come
    std::function<void()> turn_soon;  // an answer is due
    std::function<std::optional<wire::JobSpan>(const sched::Attempt&)> span_of;
    // A part is offered when its hosts can all be named: then the order is to come again.
    std::function<void(const std::string& host, const sched::Attempt&)> awaits_span;
    std::function<void()> named;  // more hosts can be named
  };
  LeaseIn(const sched::book::JobTable& jobs, sched::book::HostLedger& hosts,
          sched::answers::SnapshotKeeper& keeper, io::Log& log, Handler handler)
      : jobs_(jobs), hosts_(hosts), keeper_(keeper), log_(log), handler_(std::move(handler)) {}

  // The Book and the keeper have these files.
  void configure(std::shared_ptr<const Configuration> configuration);

  // --- the provider
  // Its store is another one, or was put back: numbers that it told mean nothing, and the next that it tells counts.
  void forget_numbers(const std::string& cluster);
  void serves(const std::string& cluster);
  void lost(const std::string& cluster);
  // What it says of leases, and of attempts on its hosts. An error: it cannot be true; the message is dropped.
  Result<void> heard(const std::string& cluster, const wire::PeerMessage& message);

  // The Book has changed these jobs, and no cycle has run since: slots of parts that it has no use for any more stay in use.
  void touched(const std::set<sched::JobKey>& jobs);
  // Once in a turn, before a cycle: the snapshot gets what has been told. A provider may tell much, again and again.
  void settle();

  // Behind a cycle: asks for leases that a job which still waits could use.
  void planned(const sched::cycle::Snapshot& snapshot);
  // For bclusters.
  std::vector<sched::lease::LeaseReport> reports() const;
  // For bjobs.
  std::vector<sched::lease::AwaitedLease> awaited() const;
  // Where a borrowed host is reached, as its provider has told; none: it takes no part in jobs on hosts of several clusters.
  std::optional<HostPlace> place_of(const std::string& host) const;
  // What the provider has told last of a borrowed host; nullptr: nothing in this connection.
  const sched::BorrowedLoad* load_of(const sched::HostId& host) const;
  // Everything is committed: answers.
  void flush();
  // Attempts that are kept until the provider has told all that it holds. For tests.
  std::size_t kept_of(const std::string& cluster) const;
  // Parts that are to end and have not. For tests.
  std::size_t parts_noted() const { return ending_.size(); }
  // How often a host was added to a lease or taken from one. For tests.
  std::size_t hosts_noted() const { return hosts_noted_; }
  // Whether settle() will look at the hosts of all leases. For tests.
  bool unsettled() const { return borrow_due_; }

  // --- orders
  void start(const std::string& host, sched::order::Start order) override;
  void expect(const std::string& host, const sched::order::Expect& order) override;
  void go(const std::string&, const sched::Attempt&) override {}
  void signal(const std::string& host, const sched::order::Signal& order) override;
  void acknowledge(const std::string& host, const sched::Attempt& attempt) override;
  void release(const std::string& host, const sched::Attempt& attempt) override;

 private:
  using LeaseId = sched::lease::LeaseId;
  using Lease = sched::lease::ConsumerLease;
  // Loads whose last message has not come.
  struct ComingLoads {
    std::vector<sched::peers::ToldHost> hosts;
    std::size_t bytes = 0;  // of the messages
  };
  struct Peer {
    bool greeted = false;                              // all attempts that it holds were told
    wire::ForwardHeld held;                            // of these what may be ours
    std::set<std::pair<sched::Attempt, bool>> named;   // those in `held`; whether it is a part
    std::size_t held_bytes = 0;                        // of all
    std::map<std::string, sched::BorrowedLoad> loads;  // by its name of the host
    std::map<std::string, HostPlace> places;           // likewise
    ComingLoads coming;
  };
  using Start = std::map<LeaseId, sched::lease::GrantNumber>;  // not answered yet: under which grants
  // A job's part at a provider. By the attempt, then by the cluster.
  struct Part {
    std::string host;                             // its first one, as the provider has it
    std::map<std::string, int> slots;             // by the provider's names of the hosts
    std::map<std::string, double> reserved = {};  // instances of shared resources of leases
  };
  using PartName = std::pair<sched::Attempt, std::string>;
  // A part that the Book has no use for any more, and that its provider has not told to be over.
  struct Ending {
    Part part;
    bool asked = false;  // in this connection
  };
  using OfProvider = std::pair<std::string, sched::Attempt>;
  static constexpr const char* kSeveralClusters =
      "a job whose first host is borrowed does not start on hosts of several clusters";

  // Hosts of the attempt at a cluster that is not its first host's; empty: there are none, or another attempt is the job's.
  std::vector<wire::ExecHost> part_at(const std::string& cluster, const sched::Attempt& attempt) const;
  struct NoPart {
    std::string host;  // of the job, which is in the way
    std::string why;
  };
  // None: all hosts of the job can take part, or it is not known yet.
  std::optional<NoPart> why_no_part(const wire::JobSpan& span) const;
  // The host of the place is to be told of yet: it is not connected, or its cluster is not.
  bool awaited(const wire::JobSpan::Place& place) const;
  // The host is on a lease or has jobs of ours, or the attempt was there: its post-execution may outlast the lease.
  bool concerns_us(const std::string& cluster, const wire::ForwardAttempt& told) const;
  void offer_part(const std::string& cluster, const sched::Job& job, const std::vector<wire::ExecHost>& part,
                  const wire::Limits& limits, const wire::JobSpan& span);
  static Part part_of(const std::vector<wire::ExecHost>& hosts, std::map<std::string, double> reserved);
  void recall_part(const std::string& cluster, const sched::Attempt& attempt, Ending& ending);
  Ending& end_part(const std::string& cluster, const sched::Attempt& attempt, Part part);
  void end_strange_part(const std::string& cluster, const wire::ForwardState& told,
                        const wire::JobElsewhere& there);
  void take_part_state(const std::string& cluster, const wire::ForwardState& told,
                       const wire::JobElsewhere& there);
  void take_part_over(const std::string& cluster, const wire::ForwardOver& told);
  int ending_on(const std::string& cluster, const std::string& host) const;
  using Endings = std::map<OfProvider, Ending>;
  Endings::iterator erase_ending(Endings::iterator one);
  void erase_endings(const std::function<bool(const OfProvider&)>& which);
  // A host of the provider that a job of ours, or a lease, has.
  bool has_host(const std::string& cluster, const std::string& host) const;
  void note_hosts(const LeaseId& id, const std::vector<std::string>& had,
                  const std::vector<std::string>& has);

  Result<void> take_stands(const std::string& cluster, const wire::LeaseStands& told);
  void take_listed(const std::string& cluster, const wire::LeasesTold& told);
  Result<void> take_loads(const std::string& cluster, const wire::LeaseLoads& told);
  Result<void> take_held(const std::string& cluster, const wire::ForwardHeld& part);
  bool may_be_ours(const std::string& cluster, const wire::ForwardAttempt& told) const;
  Result<void> take_state(const std::string& cluster, const wire::ForwardState& told);
  Result<void> take_over(const std::string& cluster, const wire::ForwardOver& told);
  void greeted(const std::string& cluster);
  void acknowledge_end(const std::string& cluster, const wire::ForwardAttempt& attempt);
  // The end is of no attempt that our store knows: it is acknowledged by the name that it was told with.
  bool of_no_job(const wire::ForwardAttempt& told) const;
  // UserMap gives the user no account at the cluster, where no job runs as root.
  bool stays_home(const std::string& cluster, const wire::Submission& asked) const;
  void follow(const std::string& host, const sched::Job& job, const wire::JobElsewhere& there);
  void answered(const std::string& cluster, const sched::Attempt& attempt);
  void step(const LeaseId& id, const sched::lease::ConsumerEvent& event);
  sched::lease::JobsNow jobs_of(const Lease& lease) const;
  std::map<std::string, int> uses(const Lease& lease) const;
  // MXJ of its hosts in our lsb.hosts, where that is a number; of a lease that is not shared it is nothing to its provider.
  std::map<std::string, int> limits(const Lease& lease) const;
  void tell_limits();
  bool knows(const std::string& cluster) const;
  void log_change(const std::string& provider, std::string line);
  // The lease whose slots are used on the host; nullptr: none.
  const Lease* lease_of(const sched::HostId& host) const;
  bool all_placeable(const std::vector<wire::ExecHost>& hosts) const;
  // What a start asks for on a host whose lease is placeable. The lease and its grant are added to `start`.
  wire::LentSlots slots_of(const wire::ExecHost& host, const std::string& queue, Start& start) const;
  // Instances of shared resources that leases give us, less those of parts that have not ended, and of jobs on hosts that have left.
  std::vector<sched::InstancesOnLease> instances() const;
  // Amounts by resource that the job reserves on hosts of the cluster; none: no lease has one of them any more.
  std::optional<std::map<std::string, double>> reserved_at(const std::string& cluster,
                                                           const wire::JobRecord& record) const;
  // `host` is another host of the attempt than its first one.
  bool is_other_host(const std::string& host, const sched::Attempt& attempt) const;
  // A host on lease, and the lease whose slots are used there.
  struct UsedHost {
    const Lease* lease = nullptr;
    const sched::lease::LeasedHost* has = nullptr;
  };
  std::map<sched::HostId, UsedHost> hosts_used() const;
  std::map<std::pair<std::string, std::string>, double> held_apart(
      const std::map<sched::HostId, UsedHost>& used) const;
  sched::HostOnLease on_lease(const sched::HostId& id, const UsedHost& used) const;
  void borrow();
  void forget_returned();
  void borrow_soon() {
    borrow_due_ = true;
    handler_.turn_soon();
  }

  const sched::book::JobTable& jobs_;
  sched::book::HostLedger& hosts_;
  sched::answers::SnapshotKeeper& keeper_;
  io::Log& log_;
  const Handler handler_;
  std::shared_ptr<const Configuration> configuration_;
  std::map<LeaseId, Lease> leases_;
  std::map<std::string, Peer> peers_;  // those that serve
  std::map<OfProvider, Start> starts_;
  std::map<PartName, Part> parts_;  // of jobs that have hosts: asked for, or told of by their providers
  Endings ending_;
  std::map<std::string, std::size_t> endings_of_;  // by cluster: parts and their hosts
  std::map<std::pair<std::string, std::string>, std::int64_t>
      ending_slots_;  // of all those, by cluster and host
  bool borrow_due_ = false;
  // Ends that are acknowledged once they are committed: by cluster, then by the bytes of their names.
  std::map<std::string, std::map<std::string, wire::ForwardAttempt>> acknowledged_;
  std::multiset<std::pair<std::string, std::string>> lease_hosts_;  // cluster and host, once for each lease
  std::size_t hosts_noted_ = 0;
  std::set<std::string> came_;                            // hosts that the Book believes connected
  std::set<LeaseId> answers_;                             // due
  std::map<LeaseId, std::map<std::string, int>> limits_;  // as they were in the last answer
  std::set<std::string> ended_at_;  // providers where jobs have ended since the last answers
  std::set<std::string> unknown_;   // resources that the log was told of
  sched::lease::ChangeLines changes_;
};

}  // namespace rollcall::mbatchd
