// HostSearch: finds hosts for one job in a cycle: which hosts suit its demand, and how its slots are laid out on them
// (span, same, first execution hosts, host preferences, slots from min to max). It asks a WorkingState and changes nothing
// in it; what it remembers are answers to questions that come again.
//
// Within a cycle resources only become fewer. So a host that was too small for a demand stays so, and is not asked again.
// docs/cycle-memory.md lists all that rests on this.
//
//   span          laid out as
//   (none)        all that the best host has, then the next one
//   hosts=1       the best host that has the least number of slots, as many as it can up to the most
//   ptile=n       n on each host, on the last what is left; a host with fewer is passed over
//   -nnodes       all slots of each host: its MXJ, without one its processors; so many hosts, whatever span says
//   ptile='!'     as many as the host's MXJ (1 without), or what the list says of its type or model
//   same[...]     hosts alike in it: the best group that has the most slots, else the largest that has enough
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
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
  // What a select and a ranking say together. Where the select's sieve lets only few hosts pass, these alone are looked at.
  struct Candidates {
    bool known = false;
    std::optional<std::vector<HostNumber>> few;
    std::optional<unsigned> sorted;  // `few` is, best first, as of this generation of the ranking
    Cursor passed;                   // hosts before it are no use to any demand of the select
    Frontier frontier;
  };
  // What a cycle remembers of a demand. One for each demand; made by look().
  struct Look {
    const Snapshot::DemandEntry* entry = nullptr;
    Ranking* ranking = nullptr;
    std::vector<std::uint8_t>* selected =
        nullptr;  // by host: what its select said, see Answer; none: of few, ask
    std::vector<std::uint8_t>* queued = nullptr;  // by host: whether it suits the queue
    Candidates* candidates = nullptr;
    bool limited = false;         // a limit of its own made something less
    std::vector<Cursor> cursors;  // by alternative: hosts before it are no use
  };
  Look look(const Snapshot::DemandEntry& entry);

  // Nothing: no hosts now. `least` and `most` are the demand's.
  std::optional<Allocation> find(Look& look, const PendingJob& job);
  // The job got hosts and reserved something there.
  void reserved_on(const std::vector<SlotsOn>& hosts);

  // Whether the host is for jobs of the demand at all, but for room; with the reason where it is not.
  Fit suits(const Snapshot::DemandEntry& entry, HostNumber host) const;

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
  Allocation fill_alike(Look& look, const Alternative& alternative, const Each& each) const;
  bool give(Look& look, const Alternative& alternative, HostNumber host, Allocation& draft,
            std::vector<HostNumber>& passed) const;
  // Slots that go together on a host: of ptile, or all of a whole host; 0: any number.
  int tile(const Snapshot::DemandEntry& entry, HostNumber host) const;
  int least(const Snapshot::DemandEntry& entry, HostNumber host) const;
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
