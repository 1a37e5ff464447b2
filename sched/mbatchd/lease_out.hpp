// LeaseOut: the provider's side of leases: lends hosts of this cluster as HostExport of lsb.resources says, and accepts starts on them.
//
// It owns the leases and their rows in the store. What is exported to whom, and each lease's life, are decided in sched/policy/lease.
// A change of a lease is committed by itself before anything follows from it. What is told leaves in flush(), behind the turn's
// commit, always as the lease is then. A job that another cluster starts on lent slots is a job of the Book with an id of its own
// (ForwardedJobs); its slots are the lease's, so no cycle of ours counts it.
//
// The RES of each host is named the grants that have slots there when it connects, and again where slots are taken (LeaseFences). So
// slots come back from a consumer that is cut off. No slot of a host is granted, and no start passed, before its RES has answered.
//
// Every MC_RECLAIM_DELAY the idle slots of each shared lease go to one side (reclaim.hpp); 0: every five seconds.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "common/io/job_store.hpp"
#include "common/io/log.hpp"
#include "common/wire/peer.pb.h"
#include "sched/mbatchd/configuration.hpp"
#include "sched/mbatchd/engine.hpp"
#include "sched/mbatchd/lease_fences.hpp"
#include "sched/policy/answers/snapshot_keeper.hpp"
#include "sched/policy/book/forwarded_jobs.hpp"
#include "sched/policy/book/job_table.hpp"
#include "sched/policy/lease/lease_report.hpp"
#include "sched/policy/lease/lease_terms.hpp"

namespace rollcall::mbatchd {

class LeaseOut {
 public:
  struct Handler {
    std::function<bool(const std::string& cluster, wire::PeerMessage)> say;  // false: it does not serve
    std::function<void(sched::Effects)> changed;
    std::function<void()> turn_soon;  // something is to be told
    std::function<void()> plan_soon;  // slots may be ours again
    std::function<bool(const std::string& host)> reaches;
    LeaseFences::Name name;
    std::function<std::optional<HostPlace>(const std::string& host)> place_of;
  };
  LeaseOut(const sched::book::JobTable& jobs, sched::book::ForwardedJobs& forwards,
           sched::answers::SnapshotKeeper& keeper, io::JobStore& store, io::Log& log, Handler handler)
      : jobs_(jobs),
        forwards_(forwards),
        keeper_(keeper),
        store_(store),
        log_(log),
        handler_(std::move(handler)),
        fences_(handler_.name) {}

  // A row of the store, before configure(). False: it is of something else.
  bool load(const io::StoredControl& row);
  // All rows are loaded. An error: one of a lease cannot be read.
  Result<void> begin() const;
  // The keeper has the rules of these files.
  void configure(std::shared_ptr<const Configuration> configuration);

  // --- hosts of ours
  void host_came(const std::string& host, const sched::report::HostCame& came);
  void host_gone(const std::string& host);
  // The grants that an order for the attempt is under; empty: it has slots of our own.
  sched::lease::GrantNumbers grants_of(const std::string& host, const sched::Attempt& attempt) const;
  void held(const std::string& host, const sched::lease::GrantsOnHost& answer);
  void load_came();
  void hosts_changed();
  void tick(TimePoint now);
  std::optional<TimePoint> next_tick() const;
  // The Book has changed these jobs; not committed.
  void touched(const std::set<sched::JobKey>& jobs);
  // ... and that is committed.
  void changed(const std::set<sched::JobKey>& jobs);

  // --- the other cluster
  void serves(const std::string& cluster);
  void lost(const std::string& cluster) { peers_.erase(cluster); }
  // badmin hforget -jobs: it will never answer, so its leases settle without it until it connects. Jobs of it that are here go on. What
  // becomes of each lease, one line each; none: it has no lease. only_say, or written off already: changes nothing.
  std::vector<std::string> write_off(const std::string& cluster, bool only_say);
  bool is_written_off(const std::string& cluster) const { return written_off_.contains(cluster); }
  // An error: it cannot be true. What follows from it, follows in flush(), once for all answers of a lease.
  Result<void> heard(const std::string& cluster, const wire::LeaseAnswer& answer);
  // An offer with `lent` or `part`, by a user who is known here.
  sched::book::ForwardedJobs::Answered start(const std::string& cluster, const wire::ForwardOffer& offer,
                                             const wire::Submission& asked, const sched::Identity& who,
                                             WallTime now);

  // For bclusters and bhosts -e.
  std::vector<sched::lease::LeaseReport> reports() const;

  // Everything is committed: takes answers, and tells what is to be told.
  void flush();

  // How often all attempts on lent slots were counted: another cluster must not have it done by each message. For tests.
  std::size_t counts() const { return counts_; }
  std::size_t steps() const { return steps_; }  // likewise of leases

 private:
  using Lease = sched::lease::LeaseOfPolicy;
  struct Peer {
    bool greets = true;  // all is still to be told
    bool loads = true;   // the load of its hosts is to be told
    std::set<std::uint64_t> stands;
    std::set<std::uint64_t> over;  // leases that it has answered, and that are not there
  };
  // What a consumer has said since the last flush().
  struct Answer {
    sched::lease::event::Acknowledged newest;
    bool wants = false;
    sched::lease::GrantNumber on_disk;  // a larger number than ours, on the disk of a RES; {}: none
    void add(const Answer& later);
  };
  // Slots, memory and shared resources of leases that consumers' jobs use.
  struct Used {
    sched::lease::Attempts attempts;
    sched::lease::HeldByAttempts held;
  };
  struct Counted {
    Used all;
    std::map<sched::JobKey, Used> jobs;  // of each job
  };
  std::vector<const Lease*> all() const;
  std::vector<sched::lease::ExportHost> export_hosts() const;
  std::map<std::string, sched::lease::OwnHost> own_hosts(
      const std::vector<sched::lease::LeasedHost>& more = {}) const;
  // Instances of shared resources as ResourceMap has them, with what jobs of ours reserve; empty where no SharedResourceExport and no lease
  // has to do with any.
  std::vector<sched::lease::ResourceInstance> instances() const;
  const Counted& counted() const;
  const sched::lease::HeldByAttempts& held_by_attempts() const { return counted().all.held; }
  Used used_by(const sched::Job& job) const;
  void count(sched::JobKey key, Counted& counted) const;
  std::vector<sched::lease::LeasedHost> exported_by(const Lease& of, const sched::lease::Offer& offer) const;
  LeaseFences::ByHost leases_by_host() const;
  int used_on(std::uint64_t lease, const std::string& host) const;
  std::optional<std::string> why_not(const std::string& cluster, const wire::LentSlots& lent) const;
  std::optional<std::string> why_no_part(const wire::ForwardOffer& offer) const;
  std::optional<std::string> why_no_instances(const wire::ForwardOffer& offer,
                                              const std::vector<wire::LentSlots>& slots) const;
  void divide(std::uint64_t number);
  const sched::lease::Attempts& attempts() const { return counted().all.attempts; }
  // False: the store does not keep what follows from it.
  bool take(std::uint64_t number, const Answer& answer);
  void export_all();
  void make_lease(const sched::lease::Offer& offer,
                  const std::vector<sched::lease::LeasedResource>& resources);
  // False: the store does not keep it, and nothing has changed.
  bool step(std::uint64_t number, const sched::lease::ProviderEvent& event);
  bool export_to(std::uint64_t number, const sched::lease::Offer& offer,
                 const std::vector<sched::lease::LeasedResource>& resources);
  bool keep(std::uint64_t number, const Lease* lease);
  void keep_written_off(const std::string& cluster);
  std::string line_of_written_off(const Lease& lease) const;
  void carry_out(std::uint64_t number, const sched::lease::ProviderEffects& effects);
  void kill(const Lease& lease, const std::string& host, int slots);
  void kill_holders(const Lease& lease, const std::string& resource, int instances);
  void recall(const std::vector<sched::JobKey>& ended, const std::string& why);
  void end_recalled(TimePoint now);
  void advance();
  void take_from_own_hosts();
  std::vector<double> reserved_on_hosts(ResourceId id) const;
  void take_unknown_jobs();
  bool runs_on(const std::string& host, const sched::Attempt& attempt) const;
  // Tells the consumer where they have changed.
  void note_remarks(std::uint64_t number, const std::map<std::string, sched::lease::OwnHost>& own);
  sched::lease::LeaseRemarks remarks_of(std::uint64_t number) const;
  sched::lease::LeaseReport report_of(const sched::lease::LeftOut& out) const;
  sched::lease::HostsNow hosts_now(const Lease& of,
                                   const std::map<std::string, sched::lease::OwnHost>& own) const;
  std::vector<const Lease*> leases_of(const std::string& cluster) const;
  std::vector<wire::PeerMessage> loads_for(const std::string& cluster) const;
  sched::lease::LeaseReport report_of(const Lease& lease) const;
  std::vector<wire::PeerMessage> due_for(const std::string& cluster, Peer& peer) const;

  const sched::book::JobTable& jobs_;
  sched::book::ForwardedJobs& forwards_;
  sched::answers::SnapshotKeeper& keeper_;
  io::JobStore& store_;
  io::Log& log_;
  const Handler handler_;
  std::shared_ptr<const Configuration> configuration_;
  std::vector<sched::lease::ExportPolicy> policies_;
  std::map<std::string, std::int64_t> added_slots_;  // of policies_
  std::map<std::uint64_t, Lease> leases_;            // by number
  std::set<std::string> written_off_;  // consumers that have not connected since; each is a row of the store
  std::set<std::string> not_kept_;     // consumers whose row in the store is wrong: a commit failed
  std::map<std::uint64_t, sched::lease::LeaseRemarks> remarks_;  // of each lease
  std::vector<sched::lease::LeftOut> left_out_;                  // of policies_, by what was exported last
  std::map<std::uint64_t, std::string> divisions_;  // of shared leases: why the idle slots are where they are
  struct LastOffer {
    std::vector<sched::lease::LeasedHost> hosts;
    std::vector<sched::lease::LeasedResource> resources;
    friend bool operator==(const LastOffer&, const LastOffer&) = default;
  };
  std::map<std::uint64_t, LastOffer> exported_;
  std::vector<std::string> unread_;    // names of rows of leases
  std::set<std::uint64_t> unwritten_;  // leases whose rows are written at the next step, whatever it changes
  std::set<std::string>
      known_hosts_;  // whose RES has said in this term what it holds, also if it is silent now
  LeaseFences fences_;
  std::set<std::string> taken_unknown_;      // hosts of fences_.with_unknown_jobs() that the snapshot knows
  std::map<std::uint64_t, Answer> answers_;  // by lease
  std::map<std::uint64_t, Answer>
      put_off_;  // the store did not keep it, and it is said once: until the next load
  mutable std::optional<Counted> counted_;  // none: the Book or the hosts of leases have changed since
  mutable std::size_t counts_ = 0;
  std::size_t steps_ = 0;
  std::map<std::string, Peer> peers_;
  std::map<sched::JobKey, TimePoint>
      asked_back_;           // parts whose cluster is asked to release them, and until when
  std::uint64_t made_ = 0;   // leases of this term
  bool export_due_ = false;  // hosts or files have changed
  bool advance_due_ = false;
  bool ask_due_ = false;  // leases, their numbers or their hosts have changed
  TimePoint load_at_;     // when LIM's last answer came
  std::optional<TimePoint> next_ask_;
  std::optional<TimePoint> next_reclaim_;  // none: there is no shared lease
  bool reclaim_due_ = false;
};

}  // namespace rollcall::mbatchd
