// LeaseIn: the consumer's side of leases: asks for those that a pending job could use, puts their hosts into the snapshot, and is the
// engine of those hosts: orders for host@cluster leave as messages to the provider's mbatchd, and what that says comes back as
// reports of the host.
//
// It keeps nothing in the store: a provider tells all its leases when it connects. It knows which starts are unanswered, so that it
// acknowledges a grant only when no start under an older one can still arrive. The life of a lease is lease_consumer.cpp's, what
// is believed lease_messages.cpp's, and the life of a job the Book's, for which a borrowed host is a host.
//
// A job on several hosts of one lease is one order to their cluster, which starts it there as a parallel job of its own. A job on hosts of
// several clusters, or of several leases, is not started in this release: it is planned again without the borrowed host.
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
#include "sched/policy/answers/snapshot_keeper.hpp"
#include "sched/policy/book/host_ledger.hpp"
#include "sched/policy/book/job_table.hpp"
#include "sched/policy/lease/lease_life.hpp"
#include "sched/policy/lease/lease_report.hpp"
#include "sched/policy/peers/lease_messages.hpp"
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
  };
  LeaseIn(const sched::book::JobTable& jobs, sched::book::HostLedger& hosts,
          sched::answers::SnapshotKeeper& keeper, io::Log& log, Handler handler)
      : jobs_(jobs), hosts_(hosts), keeper_(keeper), log_(log), handler_(std::move(handler)) {}

  // The Book and the keeper have these files.
  void configure(std::shared_ptr<const Configuration> configuration) {
    configuration_ = std::move(configuration);
    if (!leases_.empty()) borrow();
  }

  // --- the provider
  void serves(const std::string& cluster);
  void lost(const std::string& cluster);
  // What it says of leases, and of attempts on its hosts. An error: it cannot be true; the message is dropped.
  Result<void> heard(const std::string& cluster, const wire::PeerMessage& message);

  // Behind a cycle: asks for leases that a job which still waits could use.
  void planned(const sched::cycle::Snapshot& snapshot);
  // For bclusters.
  std::vector<sched::lease::LeaseReport> reports() const;
  // Everything is committed: answers.
  void flush();

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
  struct Peer {
    bool greeted = false;  // all attempts that it holds were told
    wire::ForwardHeld held;
    std::map<std::string, sched::HostOnLease> loads;  // by its name of the host
  };
  struct Start {  // not answered yet
    LeaseId lease;
    sched::lease::GrantNumber under;
  };
  Result<void> take_stands(const std::string& cluster, const wire::LeaseStands& told);
  void take_listed(const std::string& cluster, const wire::LeasesTold& told);
  Result<void> take_loads(const std::string& cluster, const wire::LeaseLoads& told);
  Result<void> take_held(const std::string& cluster, const wire::ForwardHeld& part);
  Result<void> take_state(const std::string& cluster, const wire::ForwardState& told);
  Result<void> take_over(const std::string& cluster, const wire::ForwardOver& told);
  void greeted(const std::string& cluster);
  void follow(const std::string& host, const sched::Job& job, const wire::JobElsewhere& there);
  void answered(const std::string& cluster, const sched::Attempt& attempt);
  void step(const LeaseId& id, const sched::lease::ConsumerEvent& event);
  sched::lease::JobsNow jobs_of(const Lease& lease) const;
  std::map<std::string, int> uses(const Lease& lease) const;
  bool knows(const std::string& cluster) const;
  // The lease whose slots are used on the host; nullptr: none.
  const Lease* lease_of(const sched::HostId& host) const;
  // `host` is another host of the attempt than its first one.
  bool is_other_host(const std::string& host, const sched::Attempt& attempt) const;
  void borrow();

  const sched::book::JobTable& jobs_;
  sched::book::HostLedger& hosts_;
  sched::answers::SnapshotKeeper& keeper_;
  io::Log& log_;
  const Handler handler_;
  std::shared_ptr<const Configuration> configuration_;
  std::map<LeaseId, Lease> leases_;
  std::map<std::string, Peer> peers_;  // those that serve
  std::map<sched::Attempt, Start> starts_;
  std::set<std::string> came_;     // hosts that the Book believes connected
  std::set<LeaseId> answers_;      // due
  std::set<std::string> unknown_;  // resources that the log was told of
};

}  // namespace rollcall::mbatchd
