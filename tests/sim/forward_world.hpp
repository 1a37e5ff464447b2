// ForwardWorld: several clusters that forward jobs to one another over a network whose connections break and in which messages wait,
// with masters that die at any instant, disks that are full, stores that are lost, and offers that come twice. Their clocks are
// minutes apart. What happens is drawn from the knobs, the seed among them.
//
// After every turn check() holds what must always be (forward_world_checks.cpp). It is not a test: forward_sim_test.cpp has the
// worlds. Owned by the test.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "tests/sim/forward_cluster.hpp"
#include "tests/sim/shrink.hpp"

namespace rollcall::sched {

Knobs forward_knobs();  // the usual world

class ForwardWorld : public ForwardCluster::Outside {
 public:
  // `knobs`: those of forward_knobs(), with other values.
  ForwardWorld(const ConfigView& config, const Knobs& knobs);
  ~ForwardWorld() override;

  void submit(std::size_t cluster, const wire::Submission& asked);
  void turn();
  // Nothing breaks any more; true: every job of every cluster is over, and its end acknowledged.
  bool settle(int turns);
  // What must hold of a world that has settled.
  void check_end();
  // The first job that is not over or not acknowledged, with what is known of it; "": none.
  std::string unfinished() const;

  std::size_t clusters() const { return clusters_.size(); }
  const std::string& trouble() const { return trouble_; }  // "" or the first thing that must never be

  struct Seen {                       // that there was something to look at
    int preemptions = 0, abroad = 0;  // in all, and of jobs of other clusters
    int points = 0;                   // at which a mbatchd could have died
    int forwards = 0, returns = 0, deaths = 0, repeated = 0, stores_lost = 0, begun_in_them = 0, refused = 0,
        faults = 0, written_off = 0, turns_to_settle = 0;
  };
  Seen seen() const;

 private:
  // A job by the cluster where it was submitted.
  using HomeJob = std::pair<std::size_t, JobKey>;
  using HomeJobAttempt = std::pair<HomeJob, std::uint64_t>;
  struct Connection {  // of two clusters; by the numbers of both, the smaller one first
    bool up = false;
    std::map<std::size_t, std::deque<wire::PeerMessage>> to;  // by the one that hears it
    std::set<HomeJobAttempt> offered;
  };
  using Pair = std::pair<std::size_t, std::size_t>;
  struct Loss {  // a connection that `at` still takes for open
    std::size_t at = 0, from = 0;
    std::deque<wire::PeerMessage> unread;
  };
  struct Offer {
    std::size_t from = 0, to = 0;
    wire::PeerMessage message;
  };
  // What check() has seen of a cluster when it last changed.
  struct Look {
    std::map<HomeJob, int> runs;
    std::map<HomeJob, int> alive;                                 // attempts of other clusters' jobs
    std::map<JobKey, std::pair<std::string, Attempt>> elsewhere;  // own jobs
    int deaths = 0;
  };

  // ---- the network
  static Pair pair(std::size_t a, std::size_t b) { return {std::min(a, b), std::max(a, b)}; }
  void say(std::size_t from, std::size_t to, wire::PeerMessage message) override;
  void died(std::size_t cluster) override;
  void trouble(const std::string& what) override;
  void connect(std::size_t a, std::size_t b);
  void hang_up(std::size_t a, std::size_t b);
  void tell_losses();
  void deliver(std::size_t from, std::size_t to);
  void repeat_an_offer();

  // ---- what happens
  void faults(std::size_t a, std::size_t b);
  void lose_a_store(std::size_t at);
  void write_off(std::size_t at, std::size_t lost);
  void note_given_up(std::size_t lost, bool anew);
  void forward(std::size_t from);
  std::string best_for(const ForwardCluster& cluster, const std::string& queue, const Job& job,
                       const std::string& any);
  void recall(std::size_t at);
  bool fault(std::string_view knob, int of = 100);
  std::size_t below(std::size_t n) { return random_() % n; }

  // ---- what must hold
  void check();
  void look_at(ForwardCluster& cluster);
  void check_elsewhere(const ForwardCluster& cluster, const Look& before, const Look& now);
  void check_sums();
  void check_went_on(const ForwardCluster& cluster);
  void check_once(const ForwardCluster& home, JobKey key);
  std::int32_t code_of(std::size_t cluster, JobKey key) const;

  const Knobs knobs_;
  const std::vector<std::string> queues_;
  std::mt19937 random_;
  int faults_left_, points_left_;
  std::vector<std::unique_ptr<ForwardCluster>> clusters_;
  std::map<Pair, Connection> connections_;
  std::vector<Loss> losses_;
  std::deque<Offer> offers_;  // the last ones
  // Of lost stores and written-off clusters: jobs that may run again or never end as they should, and those that had begun, which may not run again.
  std::set<HomeJob> given_up_, begun_;
  std::map<HomeJob, int> runs_in_lost_stores_;  // of the other jobs
  std::vector<Look> looks_;
  Seen seen_;
  bool settling_ = false;
  std::string trouble_;
};

}  // namespace rollcall::sched
