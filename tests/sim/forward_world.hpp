// ForwardWorld: several clusters, each with the Book, store and hosts of a BookWorld, that forward jobs to one another over a network
// whose connections break, in which messages wait, and whose masters die at any instant. Their clocks are minutes apart.
//
// What is between the Books and the network is what mbatchd has: held attempts are told first, then states behind each commit.
//
// It is not a test: forward_sim_test.cpp says what must hold. Owned by the test.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "common/wire/peer.pb.h"
#include "tests/sim/book_world.hpp"

namespace rollcall::sched {

struct ForwardChances {  // of a hundred, at each turn
  int connection_breaks = 6;
  int recalls = 5;
  WorldChances cluster;  // what happens inside each cluster
};

class ForwardWorld {
 public:
  ForwardWorld(const ConfigView& config, std::uint32_t seed, ForwardChances chances, int clusters = 3);
  ~ForwardWorld();

  void submit(std::size_t cluster, const wire::Submission& asked);
  void turn();
  bool settle(
      int turns);  // nothing breaks any more; true: every job of every cluster is over, and its end acknowledged

  std::size_t clusters() const { return clusters_.size(); }
  const BookWorld& cluster(std::size_t number) const;
  // How often a job was started, on hosts of any cluster.
  int runs(std::size_t cluster, JobKey key) const;
  // The exit status that its last run has had.
  std::int32_t code_of(std::size_t cluster, JobKey key) const;
  int forwards() const { return forwards_; }
  int returns() const;
  const std::string& trouble() const { return trouble_; }

 private:
  class Cluster;
  struct Connection {  // of two clusters; by the numbers of both, the smaller one first
    bool up = false;
    std::map<std::size_t, std::deque<wire::PeerMessage>> to;  // by the one that hears it
  };
  using Pair = std::pair<std::size_t, std::size_t>;
  static Pair pair(std::size_t a, std::size_t b) { return {std::min(a, b), std::max(a, b)}; }

  void connect(std::size_t a, std::size_t b);
  void hang_up(std::size_t a, std::size_t b);
  void say(std::size_t from, std::size_t to, wire::PeerMessage message);
  void deliver(std::size_t from, std::size_t to);
  void hear(Cluster& at, const std::string& from, const wire::PeerMessage& message);
  void forward(std::size_t from);
  void recall(std::size_t at);
  void check();
  void fail(const std::string& what) {
    if (trouble_.empty()) trouble_ = what;
  }
  bool chance(int of_hundred) { return static_cast<int>(random_() % 100) < of_hundred; }
  std::size_t below(std::size_t n) { return random_() % n; }

  std::mt19937 random_;
  ForwardChances chances_;
  std::vector<std::unique_ptr<Cluster>> clusters_;
  std::map<Pair, Connection> connections_;
  std::vector<std::pair<std::size_t, std::size_t>>
      lost_;  // who is still to be told that its connection to whom is gone
  int forwards_ = 0;
  bool settling_ = false;
  std::string trouble_;
};

}  // namespace rollcall::sched
