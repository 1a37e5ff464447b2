// A world of LIMs: the real stepper on every host, over a network that is made of one queue and one seed.
//
// It keeps the promises that lim_events_and_effects.hpp asks of a shell, and no others: links deliver in order, after delays; a
// host can be switched off (silence), its LIM killed (its port refuses) or stopped (its kernel accepts data, the LIM reads none),
// and the hosts split into parts that do not reach each other. TCP's own patience differs from link to link.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <queue>
#include <random>
#include <string>
#include <vector>

#include "elim/policy/lim/lim.hpp"

namespace rollcall::lim::sim {

using Node = std::size_t;

struct WorldSettings {
  std::uint64_t seed = 1;
  std::size_t nodes = 4;
  LimRules rules;  // `host` is filled in for each
  Duration probe_timeout = std::chrono::milliseconds(300);
  bool trace = false;
};

class World {
 public:
  explicit World(WorldSettings settings);

  // --- what happens to hosts
  void start(Node node);      // a LIM where none runs
  void kill(Node node);       // the LIM alone
  void power_off(Node node);  // the host, with its LIM
  void power_on(Node node);   // without a LIM
  void stop(Node node);       // SIGSTOP
  void cont(Node node);
  void reconfigure(LimRules rules);           // the same hosts; every LIM in its own time
  void split(std::vector<int> part_of_node);  // hosts with the same number hear each other

  void run_for(Duration time);
  TimePoint now() const { return now_; }

  // --- what there is to see
  std::size_t size() const { return hosts_.size(); }
  bool powered(Node node) const { return hosts_[node].powered; }
  bool running(Node node) const { return hosts_[node].lim.has_value(); }
  bool stopped(Node node) const { return hosts_[node].stopped; }
  bool living(Node node) const { return powered(node) && running(node) && !stopped(node); }
  bool reaches(Node a, Node b) const { return hosts_[a].part == hosts_[b].part; }
  const Lim& lim(Node node) const { return *hosts_[node].lim; }
  std::string name(Node node) const { return settings_.rules.hosts[node].name; }
  Node node_of(const std::string& name) const;
  // Effects that a calm cluster does not have: orders, changes of master.
  std::size_t commotion() const { return commotion_; }
  // The first thing that must never happen; "" where nothing did.
  const std::string& broken() const { return broken_; }
  const std::string& trace() const { return trace_; }

 private:
  struct Host {
    bool powered = true, stopped = false;
    int part = 0;
    int run = 0;
    std::optional<Lim> lim;
    Duration stood_still{0};
    TimePoint stopped_at;
    std::deque<std::function<void()>> waiting;  // for SIGCONT
    std::optional<TimePoint> tick_at;
  };
  // One connection; end 0 dialled.
  struct Link {
    Node node[2];
    ConnectionId id[2];
    bool open[2] = {true, true};
    bool answered = false;                      // the first welcome came
    TimePoint last[2];                          // delivery is in order, to each end
    Duration patience;                          // of TCP, with a peer that is out of reach
    std::deque<std::function<void()>> sent[2];  // on its way to each end
    std::size_t stuck[2] = {0, 0};              // so many of them should have arrived, and met silence
  };
  struct Happening {
    TimePoint at;
    std::uint64_t order;
    std::function<void()> what;
    bool operator>(const Happening& o) const { return at != o.at ? at > o.at : order > o.order; }
  };

  void at(TimePoint when, std::function<void()> what);
  Duration delay();
  TimePoint local(Node node) const;
  void tell(Node node, const Event& event);
  void carry_out(Node node, const Effect& effect);
  void plan_tick(Node node);
  void sample(Node node, int run);
  void dial(Node node, const std::string& host);
  void dial_arrives(Node from, int run, Node to);
  void dial_failed(Node node, int run, Node host, bool refused, Duration after);
  void send(ConnectionId id, std::function<Event(ConnectionId)> event);
  void send_over(std::size_t link, int to, std::function<void()> deliver);
  void arrive(std::size_t link, int to);
  void close(Node node, ConnectionId id);
  void end_seen(std::size_t link, int end);
  void drop_ends(Node node, bool tell_peers);
  void unstick();
  void log(const std::string& line);
  int end_of(std::size_t link, ConnectionId id) const { return links_[link].id[0] == id ? 0 : 1; }

  WorldSettings settings_;
  std::mt19937_64 random_;
  TimePoint now_;
  std::uint64_t order_ = 0;
  ConnectionId next_id_ = 0;
  std::vector<Host> hosts_;
  std::vector<Link> links_;
  std::map<ConnectionId, std::size_t> link_of_;
  std::priority_queue<Happening, std::vector<Happening>, std::greater<>> queue_;
  std::size_t commotion_ = 0;
  std::string broken_, trace_;
};

}  // namespace rollcall::lim::sim
