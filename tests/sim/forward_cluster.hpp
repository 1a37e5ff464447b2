// ForwardCluster: one of the clusters of a ForwardWorld: a BookWorld, what mbatchd has between its Book and other clusters, and what
// its store remembers of their stores. It is the engine of the jobs that are elsewhere.
//
// What leaves to whom, and in which order, is as in mbatchd: InboundForwards and OutboundForwards decide it. Owned by the world.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "common/wire/peer.pb.h"
#include "sched/policy/book/forwarded_jobs.hpp"
#include "sched/policy/peers/inbound_forwards.hpp"
#include "sched/policy/peers/outbound_forwards.hpp"
#include "sched/policy/peers/peer_identity.hpp"
#include "tests/sim/book_world.hpp"
#include "tests/sim/cycles.hpp"
#include "tests/sim/forward_figures.hpp"

namespace rollcall::sched {

inline const Identity kForwardUser{1001, 100, "ann", {}, false};  // of every cluster
std::string name_of(std::size_t cluster);
std::size_t number_of(std::string_view cluster);

class ForwardCluster : public Engine {
 public:
  class Outside {
   public:
    virtual ~Outside() = default;
    virtual void say(std::size_t from, std::size_t to, wire::PeerMessage message) = 0;
    virtual void died(std::size_t cluster) = 0;  // its mbatchd, with all connections; it is up again
    virtual void trouble(const std::string& what) = 0;
  };

  // With cycles it starts, stops and preempts jobs as the scheduler decides, and tells the counters of its queues.
  enum class Plans { by_chance, with_cycles };
  ForwardCluster(Outside& outside, std::size_t number, const ConfigView& config, std::uint32_t seed,
                 const WorldChances& chances, Plans plans);

  // ---- connections
  // Takes the other cluster for the one that it knows. False: it refuses it, until forget() is called.
  bool accepts(const ForwardCluster& other) const;
  // True: it has to store that cluster's identity first.
  bool must_store(const ForwardCluster& other) const;
  void connected(const ForwardCluster& other);
  void apart(std::size_t other);
  void notice_loss(std::size_t other);  // its mbatchd hears that the connection is gone
  void forget(std::size_t other) { known_.erase(other); }
  // `looks_up`: the user of an offer, so that it and what follows wait for a turn of this cluster.
  void hear(std::size_t from, const wire::PeerMessage& message, bool looks_up = false);
  std::set<std::size_t> greeted() const;  // those that have said what they hold

  // ---- what happens
  void turn();
  void change(const BookWorld::Change& change);
  // A part of a change: the job goes to that queue.
  Effects forward(book::Book& book, const Job& job, const conf::RemoteQueue& to, WallTime now);
  // Of those that have said what they hold, the best first for a job of `slots`; the name is that of the queue.
  std::vector<conf::RemoteQueue> choice(const std::string& queue, int slots) const;
  void figures_due() { figures_due_ = true; }  // it tells them behind its next commit
  // "", or what must not be of hosts and counters.
  std::string wrong() const;
  void back_up();
  void lose_store(BookWorld::NewStore with, bool same_ids);

  void start(const std::string& host, order::Start order) override;
  void expect(const std::string& host, const order::Expect& order) override;
  void go(const std::string& host, const Attempt& attempt) override;
  void signal(const std::string& host, const order::Signal& order) override;
  void acknowledge(const std::string& host, const Attempt& attempt) override;
  void release(const std::string& host, const Attempt& attempt) override;

  const std::size_t number;
  BookWorld world;
  // For the world's checks: whether anything happened since the last one, and who was heard.
  bool changed_since_check = true;
  std::set<std::size_t> heard_since_check;

 private:
  using Known = std::map<std::size_t, wire::PeerRow>;

  peers::OwnIdentity identity() const;
  Effects apply(const std::string& from, const wire::PeerMessage& message, book::Book& book, WallTime now);
  class BookPort;
  struct HeldJobs;
  Effects answered(const std::string& to, book::ForwardedJobs::Answered answer);
  void work(const std::string& from);
  void say(const std::string& host, wire::PeerMessage message);
  void tell(std::size_t to, wire::PeerMessage message);
  void check_stored(JobKey key) const;
  void tell_figures();
  void committed();
  void died();

  Outside& outside_;
  std::optional<Cycles> cycles_;
  ForwardFigures figures_;
  bool figures_due_ = false;
  peers::OutboundForwards out_;
  peers::InboundForwards in_;
  std::map<std::string, std::uint64_t> look_ups_;  // by cluster
  Known known_, known_in_backup_;
  int store_ = 0, store_in_backup_ = 0, stores_made_ = 0, runs_ = 0;
};

}  // namespace rollcall::sched
