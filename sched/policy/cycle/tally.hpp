// Tallies: how much of every limit, every host and every shared resource is taken by jobs that have hosts. A value that
// Snapshot keeps up to date job by job, and that a cycle copies and goes on with.
//
// A tally is one counter of a LimitRule: of all together, or of one user, queue, project or application where the rule counts each.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "sched/policy/cycle/snapshot.hpp"

namespace rollcall::sched::cycle {

using TallyNumber = std::uint32_t;

// What counts for a demand: each is charged with its jobs.
struct Charge {
  TallyNumber tally = 0;
  std::uint32_t rule = 0;  // of PlacementRules::limits
};

inline std::uint64_t on_host(std::uint32_t number, HostNumber host) {
  return std::uint64_t{number} << 32 | host;
}

// Whose counter a tally is. "": the rule does not count each by itself.
struct TallyName {
  std::uint32_t rule = 0;  // of PlacementRules::limits
  std::string user, queue, project, application;
  friend auto operator<=>(const TallyName&, const TallyName&) = default;
};

struct Tallies {
  std::map<TallyName, TallyNumber> numbers;
  std::vector<double> taken;                           // by TallyNumber, of rules that are not per host
  std::unordered_map<std::uint64_t, double> taken_on;  // on_host(TallyNumber, host), of those that are
  std::unordered_map<std::int32_t, int> array_jobs;    // elements that have hosts, of arrays with %limit

  std::vector<int> slots, jobs, exclusive;             // by host; `exclusive`: jobs of -x
  std::map<ResourceId, std::vector<double>> reserved;  // by host: what is kept for as long as the job runs
  std::vector<double> reserved_shared;                 // by instance, the same
  std::set<JobKey> suspended;                          // for whatever reason
  std::set<JobKey> timed;                              // jobs with reservations that end before they do

  // The tallies that a job of this user, queue and project counts for.
  std::vector<Charge> charges(const PlacementRules& rules, const Demand& demand);
};

// What a reservation of the job holds back at `now`: nothing behind its end, less and less with decay, no memory that the
// job is seen to use already, no shared resource with RELEASE while it is suspended.
double held(const PlacementRules& rules, const PlacedJob& job, const Reservation& reservation, WallTime now);
inline bool ends(const Reservation& reservation) { return !reservation.until.never(); }

// What a job with hosts counts for one rule, on `host` or (kNoHost) in all.
double counted(const LimitRule& rule, const PlacedJob& job, HostNumber host);

}  // namespace rollcall::sched::cycle
