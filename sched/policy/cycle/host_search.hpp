// HostSearch: finds hosts for one job in a cycle: which hosts suit its demand, and how its slots are laid out on them
// (span, same, first execution hosts, host preferences, slots from min to max). It only reads the WorkingState. It
// remembers answers for the rest of the cycle.
//
// Within a cycle resources only become fewer. So a host that was too small for a demand stays so, and is not asked again.
// docs/cycle-memory.md lists all that rests on this.
//
//   span          the job gets
//   (none)        the free slots of the best host, then of the next one, up to max
//   hosts=1       the best host that has min slots: as many of its slots as it can give, up to max
//   ptile=n       n slots on each host, the rest on the last one; hosts with fewer than n are skipped
//   -nnodes       all slots of each host (its MXJ, else its processors); min and max count hosts, span is ignored; a borrowed host
//                 only where all of it is lent to us
//   ptile='!'     as ptile=n, with n the host's MXJ (1 if it has none) or the number listed for its type or model
//   (all)         the first host is one of ours, or all hosts are of one cluster
//   same[...]     hosts with equal values of these resources: the group that gives the most slots, of equal groups the one
//                 with the best host
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "sched/policy/cycle/exhausted.hpp"
#include "sched/policy/cycle/host_index.hpp"
#include "sched/policy/cycle/ranking.hpp"

namespace rollcall::sched::cycle {

class HostSearch {
 public:
  explicit HostSearch(const WorkingState& state) : state_(&state), index_(state) {}

  struct Cursor {
    std::size_t at = 0;
    unsigned generation = 0;
  };
  // The hosts for one select and one ranking. If few hosts pass the select's sieve, only these are looked at.
  struct Candidates {
    bool known = false;
    std::optional<std::vector<HostNumber>> few;
    std::optional<unsigned> sorted;  // the ranking's generation by which `few` is sorted, best first
    Cursor passed;                   // no host before it is of use to a demand with this select
    Frontier frontier;
  };
  // What a cycle remembers of a demand. One for each demand; made by look().
  struct Look {
    const Snapshot::DemandEntry* entry = nullptr;
    Ranking* ranking = nullptr;
    // By host, an Answer: whether it matches the select. nullptr: the candidates are few, and nothing is remembered.
    std::vector<std::uint8_t>* selected = nullptr;
    std::vector<std::uint8_t>* queued = nullptr;  // by host, an Answer: whether it suits the queue
    Candidates* candidates = nullptr;
    int most_slots = 0;           // hosts, with -nnodes
    bool limited = false;         // a limit, not a lack of resources, made a host give less
    std::vector<Cursor> cursors;  // by alternative: no host before it is of use
  };
  Look look(const Snapshot::DemandEntry& entry);

  // None: there are no hosts for the job now.
  std::optional<Allocation> find(Look& look, const PendingJob& job);
  // Hosts with free slots that suit the demand, best first.
  std::vector<HostNumber> free_hosts(const Look& look) const;
  // The least number of slots for a job of the demand, on hosts of `hosts` alone, in their order. It remembers nothing, and no earlier
  // answer counts.
  std::optional<Allocation> find_on(const Look& look, const std::vector<HostNumber>& hosts) const;
  // To be called when a dispatched job reserved resources on these hosts.
  void reserved_on(const std::vector<SlotsOn>& hosts);

  // Whether the host suits jobs of the demand, free slots and resources aside; if not, with the obstacle.
  Fit suits(const Snapshot::DemandEntry& entry, HostNumber host) const;
  // Slots that the job takes of a host at once: those of ptile, or of the whole host; 0: any number.
  int tile(const Snapshot::DemandEntry& entry, HostNumber host) const;
  // The fewest slots on the host that are of use to a job of the demand.
  int least(const Snapshot::DemandEntry& entry, HostNumber host) const;

 private:
  enum Answer : std::uint8_t { unknown, yes, no };
  using Take = std::function<bool(HostNumber)>;  // false: enough
  using Each = std::function<void(const Take&)>;

  Fit suits_queue(const Snapshot::DemandEntry& entry, HostNumber host) const;
  Fit suits_select(const Snapshot::DemandEntry& entry, HostNumber host) const;
  Candidates& candidates(const Snapshot::DemandEntry& entry, const Ranking& ranking);
  const std::vector<HostNumber>& hosts_of(Look& look) const;
  bool selects(Look& look, HostNumber host) const;
  bool usable(Look& look, const Alternative& alternative, HostNumber host) const;
  void each(Look& look, std::size_t alternative, const PendingJob& job, const Take& take);
  Allocation fill(Look& look, const Alternative& alternative, const Each& each) const;
  Allocation fill_from(HostNumber first, Look& look, const Alternative& alternative, const Each& each) const;
  Allocation fill_within(std::string_view cluster, Look& look, const Alternative& alternative,
                         const Each& each) const;
  Allocation fill_without_ours(const Allocation& draft, Look& look, const Alternative& alternative,
                               const Each& each) const;
  bool starts_somewhere(const Allocation& draft) const;
  std::string_view cluster_of(HostNumber host) const;
  std::optional<Allocation> with_first(HostNumber first, Look& look, const Alternative& alternative,
                                       std::vector<SlotsOn> hosts) const;
  Allocation fill_alike(Look& look, const Alternative& alternative, const Each& each) const;
  bool give(Look& look, const Alternative& alternative, HostNumber host, Allocation& draft,
            std::vector<HostNumber>& passed) const;
  bool in_part(const Snapshot::DemandEntry& entry, HostNumber host) const;
  bool of_root(const Snapshot::DemandEntry& entry, HostNumber host) const;
  std::optional<std::string> kind(const Compiled& compiled, HostNumber host) const;

  const WorkingState* state_;
  std::map<std::pair<const HostList*, const Order*>, std::unique_ptr<Ranking>> rankings_;
  std::unordered_map<const Select*, std::vector<std::uint8_t>> selected_;
  std::map<std::pair<const Select*, const Ranking*>, Candidates> candidates_;
  HostIndex index_;
  Exhausted exhausted_;
  std::vector<std::vector<std::uint8_t>> queued_;
  std::vector<HostNumber> reserved_on_;
};

}  // namespace rollcall::sched::cycle
