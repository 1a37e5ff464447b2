// Compiled: a Demand bound to the rules once, when it is first seen: its requirement as programs and numbers, the hosts it
// may have, the limits it counts for. A value; DemandCompiler makes them and shares what demands have in common, so that a
// cycle can work for all of them at once.
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
  std::set<ResourceId> named;  // what it asks for
  std::optional<Sieve> sieve;
};

// The hosts of -m within the queue's HOSTS, of one or many demands.
struct HostList {
  std::vector<HostPreference> hosts;  // by number
  std::vector<std::uint8_t> asked;    // by host: in -m
  std::vector<std::uint8_t> first;    // by host: host!; empty: any may be the first
  std::vector<std::uint8_t> in;       // by host: in both
};

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
  bool limited = true;  // false: an index that grows with load can always be raised
};
struct Alternative {
  std::vector<Take> takes;
  mutable std::shared_ptr<const std::string> text;  // effective_text(), from when it is first asked for
};

struct Compiled {
  std::string error;              // why it can have no host at all; "": it can
  bool application_gone = false;  // `error` says so too
  QueueNumber queue = kNoQueue;
  std::shared_ptr<const Select> select;
  std::shared_ptr<const Select> queue_select;  // for its own pending reason
  std::shared_ptr<const HostList> hosts;       // nullptr: all
  std::shared_ptr<const Order> order;
  std::vector<Alternative> alternatives;  // one at the least
  // The text of the requirement, where it has one alternative alone; else what effective_text() prints from: a thousand
  // alternatives would be a thousand texts.
  std::shared_ptr<const std::string> text;
  std::shared_ptr<const resreq::ResReq> requirement;
  std::optional<resreq::Span> span;
  std::vector<ResourceId> same;
  std::vector<Charge> charges;
};

// The requirement with the rusage of `chosen` alone, one of compiled.alternatives.
std::shared_ptr<const std::string> effective_text(const Compiled& compiled, const Alternative& chosen);

class DemandCompiler {
 public:
  explicit DemandCompiler(const PlacementRules& rules) : rules_(&rules) {}

  // A requirement that cannot be meant with these rules gives one with `error`.
  std::shared_ptr<const Compiled> compile(const Demand& demand, Tallies& tallies);
  // Forgets what no demand has any more.
  void trim();

 private:
  std::shared_ptr<const Select> select_of(const resreq::ExpressionPointer& select, const Demand& demand,
                                          std::string& error);
  std::shared_ptr<const HostList> hosts_of(const Demand& demand, const QueueRule& queue);
  std::shared_ptr<const Order> order_of(const std::vector<resreq::OrderKey>& keys, std::string& error);
  void add_alternatives(const resreq::ResReq& resreq, const Demand& demand, Compiled& compiled) const;

  const PlacementRules* rules_;
  std::unordered_map<std::string, std::weak_ptr<const Select>> selects_;
  std::unordered_map<std::string, std::weak_ptr<const HostList>> host_lists_;
  std::unordered_map<std::string, std::weak_ptr<const Order>> orders_;
};

}  // namespace rollcall::sched::cycle
