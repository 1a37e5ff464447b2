// Compiled: a Demand bound to the rules when the snapshot first sees it: its requirement as programs and numbers, and the limits
// that count it. The hosts it may use are a HostList beside it, since leases change them. A value. DemandCompiler makes both; demands
// share equal parts (select, hosts, order), so that a cycle answers once for all demands with that part.
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "common/resreq/evaluate.hpp"
#include "common/resreq/resreq.hpp"
#include "sched/policy/cycle/sieve.hpp"
#include "sched/policy/cycle/tally.hpp"

namespace rollcall::sched::cycle {

// A select expression of one or many demands.
struct Select {
  resreq::BoundSelect bound;
  std::set<ResourceId> named;  // resources that the expression names
  std::optional<Sieve> sieve;
};

// The hosts of -m within the queue's HOSTS, of one or many demands.
struct HostList {
  std::vector<HostPreference> hosts;  // by number
  std::vector<std::uint8_t> asked;    // by host: in -m
  std::vector<std::uint8_t> first;    // by host: named as host!; empty: any host may be the first
  std::vector<std::uint8_t> in;       // by host: in -m and in HOSTS
  std::vector<std::uint8_t>
      serial;  // by host: would be in, but takes no parallel job (RECV_FROM); empty: none
};

// Of the demand: its jobs may have more than one slot, so RECV_FROM counts.
inline bool parallel(const Demand& demand) { return demand.max_slots > 1 || demand.whole_hosts; }
// Words of bsub -m: where all of them exclude hosts, all other hosts are asked for.
std::vector<conf::HostItem> with_all_of_exclusions(std::vector<conf::HostItem> asked);

struct Order {
  resreq::BoundOrder bound;
};

// One resource that an rusage takes.
struct Take {
  ResourceId resource = 0;
  PlacementRules::Per per = PlacementRules::Per::host;
  double amount = 0;
  std::int64_t duration_s = 0;  // 0: as long as the job runs
  bool decay = false;
  bool shared = false;
  bool limited = true;  // false: an index that grows with load; any amount of it can be reserved
};
struct Alternative {
  std::vector<Take> takes;
  mutable std::shared_ptr<const std::string> text;  // effective_text() keeps its result here
};

struct Compiled {
  std::string error;              // why the demand can never get a host; "": it can
  bool application_gone = false;  // `error` is set too
  QueueNumber queue = kNoQueue;
  std::shared_ptr<const Select> select;
  std::shared_ptr<const Select> queue_select;  // for its own pending reason
  std::shared_ptr<const Order> order;
  std::vector<Alternative> alternatives;  // at least one
  // A requirement with one alternative has its `text`. One with several has `requirement`, from which effective_text() prints
  // only what was chosen: there may be thousands of alternatives.
  std::shared_ptr<const std::string> text;
  std::shared_ptr<const resreq::ResReq> requirement;
  std::optional<resreq::Span> span;
  std::vector<ResourceId> same;
  std::vector<Charge> charges;
  bool fewest_victims = false;  // OPTIMAL_MINI_JOB
};

// The requirement with the rusage of `chosen` alone, one of compiled.alternatives.
std::shared_ptr<const std::string> effective_text(const Compiled& compiled, const Alternative& chosen);

class DemandCompiler {
 public:
  explicit DemandCompiler(const PlacementRules& rules) : rules_(&rules) {}

  // For a requirement that is invalid under these rules, the result has `error` set.
  std::shared_ptr<const Compiled> compile(const Demand& demand, Tallies& tallies);
  // The hosts that the demand may use; nullptr: all of ours.
  std::shared_ptr<const HostList> hosts_of(const Demand& demand, const Compiled& compiled);
  // Rules with other borrowed hosts: lists of hosts are made anew from then on.
  void take_rules(const PlacementRules& rules);
  // Drops shared parts that no demand uses any more.
  void trim();

 private:
  std::shared_ptr<const Select> select_of(const resreq::ExpressionPointer& select, const Demand& demand,
                                          std::string& error);
  std::shared_ptr<const Order> order_of(const std::vector<resreq::OrderKey>& keys, std::string& error);
  void add_alternatives(const resreq::ResReq& resreq, const Demand& demand, Compiled& compiled) const;

  const PlacementRules* rules_;
  std::unordered_map<std::string, std::weak_ptr<const Select>> selects_;
  std::unordered_map<std::string, std::weak_ptr<const HostList>> host_lists_;
  std::unordered_map<std::string, std::weak_ptr<const Order>> orders_;
};

}  // namespace rollcall::sched::cycle
