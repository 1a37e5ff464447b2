// ForwardOut: the submission side of forwarding: offers jobs to other clusters, and is the engine of the jobs that are there: their
// orders leave as messages, what those clusters say comes back as reports of the host "@cluster".
//
// Which orders may leave, which attempts are there and what is known of remote queues is OutboundForwards' to say. The shell owns what
// was tried in this session (LSB_MAX_FORWARD_PER_SESSION in each MBD_SLEEP_TIME). It decides nothing about a job: choose()
// (sched/policy/forward) says where it is offered, the Book what becomes of it. A job is offered to one queue at a time, and to at
// most three in a session.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "common/io/log.hpp"
#include "common/wire/batch.pb.h"
#include "common/wire/peer.pb.h"
#include "sched/mbatchd/configuration.hpp"
#include "sched/policy/answers/answers.hpp"
#include "sched/policy/book/job_table.hpp"
#include "sched/policy/cycle/forwardable.hpp"
#include "sched/policy/cycle/snapshot.hpp"
#include "sched/policy/forward/choice.hpp"
#include "sched/policy/forward/refusals.hpp"
#include "sched/policy/lease/change_lines.hpp"
#include "sched/policy/peers/outbound_forwards.hpp"
#include "sched/policy/peers/peer_sessions.hpp"
#include "sched/policy/values/events_and_effects.hpp"

namespace rollcall::mbatchd {

class ForwardOut : public sched::Engine {
 public:
  struct Handler {
    std::function<bool(const std::string& cluster, wire::PeerMessage)> say;  // false: it does not serve
    std::function<void(const std::string& host, const sched::HostReport&)> told;
    std::function<void(const std::string& host)> gone;
    // False: the job is no longer what it was offered for.
    std::function<bool(sched::JobKey, const sched::event::Dispatched&)> dispatch;
    // The cluster does not know a recall, or a signal, of ours.
    std::function<void(const std::string& host, wire::PeerMessage::WhatCase kind)> not_known;
    std::function<void()> plan_soon;                              // jobs may be offered that were not before
    std::function<std::string(const std::string& host)> type_of;  // a host's type; "": not known
    std::function<bool()> types_known;                            // false: LIM has not told of any host yet
  };
  ForwardOut(const sched::book::JobTable& jobs, io::Log& log, std::uint64_t first_forward, Handler handler)
      : jobs_(jobs), log_(log), handler_(std::move(handler)), out_(first_forward) {}

  void configure(std::shared_ptr<const Configuration> configuration);

  // --- the other cluster
  void serves(const std::string& cluster);
  void lost(const std::string& cluster);
  // What an executing cluster says. What cannot be true is dropped, and the log told. An error: it breaks the protocol.
  Result<void> heard(const std::string& cluster, const wire::PeerMessage& message, TimePoint now);

  // It does not know the kind of an order of ours: an offer is refused then, another order is answered with it from now on.
  void untaken(const sched::peers::step::Untaken& order);

  // --- offers, behind a cycle: of jobs that it has not started here
  void offer(const sched::cycle::Snapshot& snapshot, WallTime now, TimePoint steady);
  // The next session begins, and jobs wait for it.
  std::optional<WallTime> next_session() const;
  // Which queues of other clusters a pending job would be offered to now, and why not to the others.
  sched::answers::RemoteLook verdicts_of(const sched::cycle::Snapshot& snapshot, sched::JobKey key,
                                         WallTime now, TimePoint steady) const;
  // The queues that send or receive, in the order of lsb.queues. A cluster's condition: ok, disc or reject, and why it is not ok.
  using Condition = std::pair<std::string, std::string>;
  wire::BatchReply::ClusterRows rows(const std::function<Condition(const std::string& cluster)>& condition,
                                     TimePoint now) const;

  // --- orders
  void start(const std::string& host, sched::order::Start order) override;
  void expect(const std::string&, const sched::order::Expect&) override {}
  void go(const std::string&, const sched::Attempt&) override {}
  void signal(const std::string& host, const sched::order::Signal& order) override;
  void acknowledge(const std::string& host, const sched::Attempt& attempt) override;
  void release(const std::string& host, const sched::Attempt& attempt) override;  // a recall

 private:
  class BookPort;
  struct Untyped {  // an offer
    std::string host;
    sched::order::Start order;
  };
  struct Tried {  // of one job, in this session
    std::vector<conf::RemoteQueue> queues;
  };
  struct Pass {  // what offers behind one cycle, or the answer to one question, are made of
    const sched::cycle::Snapshot& snapshot;
    WallTime now;
    TimePoint steady;
    std::map<std::string, std::shared_ptr<sched::forward::QueueTable>> tables =
        {};  // by the queue that sends
    std::set<std::pair<std::string, std::string>> not_taken =
        {};  // queue and user: whatever the job asks for
    int choices = 0, candidates = 0;
  };
  enum class Turn { offered, stays, demand_stays };  // demand_stays: and all others of its demand
  struct Look {
    sched::forward::ForwardJob asks;
    std::shared_ptr<const sched::forward::QueueTable> table;
    sched::forward::Settings settings;
    sched::forward::Choice choice;
  };
  std::shared_ptr<const sched::forward::QueueTable> table_for(const conf::QueueRow& queue,
                                                              const sched::Job& job, Pass& pass) const;
  Result<Look> look(Pass& pass, const sched::Job& job, const sched::cycle::Demand& demand) const;
  // Why jobs are not offered to the queue, although its cluster is connected; "": they are.
  std::string closed(const conf::RemoteQueue& queue) const;
  // The cluster has left too many offers without an answer.
  bool unanswered(const std::string& cluster) const;
  std::vector<sched::forward::RemoteQueue> remotes(const conf::QueueRow& queue, TimePoint now) const;
  void put_closed(const sched::forward::RemoteQueue& queue, wire::BatchReply::ClusterRow& row) const;
  void put_receiving(wire::BatchReply::ClusterRow& row) const;
  bool may_offer() const;
  void begin_session(WallTime now);
  Turn offer(const sched::cycle::ForwardableJob& candidate, Pass& pass);
  void keep_home(const sched::Job& job, sched::forward::QueueTable& table) const;
  bool offer_job(const sched::Job& job, int slots, const Look& seen, Pass& pass);
  bool sends_to(const conf::RemoteQueue& queue) const;
  void forward(const sched::Job& job, const conf::RemoteQueue& queue, int slots, const Look& seen);
  void say(const std::string& host, wire::PeerMessage order);
  void offer_untyped();
  void over(const conf::RemoteQueue& queue, const sched::Attempt& attempt, const wire::ForwardOver& over);
  void take_definitions(const std::string& cluster, const wire::PeerDefinitions& told);

  const sched::book::JobTable& jobs_;
  io::Log& log_;
  const Handler handler_;
  sched::peers::OutboundForwards out_;
  std::shared_ptr<const Configuration> configuration_;
  std::vector<std::string> clusters_;                           // peers, for `queue@allclusters`
  std::map<std::string, wire::PeerApplications> applications_;  // by connected cluster, as told
  std::map<std::string, wire::PeerDefinitions> definitions_;    // likewise, of those that lend hosts
  sched::lease::ChangeLines definition_lines_{"changes of its definitions"};
  std::map<sched::Attempt, Untyped> untyped_;  // wait for LIM

  bool sends_ = false;  // a queue has SNDJOBS_TO
  std::optional<WallTime> session_;
  int offered_ = 0;  // in this session
  sched::forward::Refusals refusals_;
  bool more_ = false;        // jobs are left for the next session
  std::size_t waiting_ = 0;  // jobs of the last pass that were offered to nobody
  std::unordered_map<sched::JobKey, Tried> tried_;
  // Found no queue since a pass began with the first job. Later passes skip it until one has come to the last job.
  struct HadATurn {
    std::unordered_set<sched::JobKey> jobs;
    std::unordered_set<std::uint64_t> demands;  // serial numbers
  } had_a_turn_;
};

}  // namespace rollcall::mbatchd
