// Tallies: how much of each limit, host and shared resource is taken by jobs that have hosts. A value. Snapshot keeps it up to
// date job by job; a cycle copies it and counts on.
//
// A tally is one counter of a LimitRule: one for all, or one for each user, queue, project or application (`per_*`).
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

// A counter that counts the jobs of a demand.
struct Charge {
  TallyNumber tally = 0;
  std::uint32_t rule = 0;     // of PlacementRules::limits
  bool running_only = false;  // preempted jobs of the demand do not count
};

inline std::uint64_t on_host(std::uint32_t number, HostNumber host) {
  return std::uint64_t{number} << 32 | host;
}

// Identifies a tally. "": the rule has no counter of its own for each user (queue, ...).
struct TallyName {
  std::uint32_t rule = 0;  // of PlacementRules::limits
  std::string user, queue, project, application;
  friend auto operator<=>(const TallyName&, const TallyName&) = default;
};

struct Tallies {
  std::map<TallyName, TallyNumber> numbers;
  std::vector<double> taken;                           // by TallyNumber, for rules that are not per host
  std::unordered_map<std::uint64_t, double> taken_on;  // by on_host(TallyNumber, host), for rules per host
  std::unordered_map<std::int32_t, int>
      array_jobs;  // by array id: elements that have hosts; arrays with %limit

  std::vector<int> slots, jobs, exclusive;  // by host; `exclusive`: jobs of -x
  std::vector<int> preempted;  // by host: slots of jobs that others have preempted, which `slots` has not
  std::map<ResourceId, std::vector<double>> reserved;  // by host: reservations without an end
  std::vector<double> reserved_shared;                 // by instance, likewise
  std::set<JobKey> suspended;                          // for whatever reason
  std::set<JobKey> timed;                              // jobs with reservations that have an end

  // The tallies that count jobs of this demand; makes those that are missing.
  std::vector<Charge> charges(const PlacementRules& rules, const Demand& demand);
};

// The amount that a reservation of the job holds back at `now`: 0 after its end; with decay linearly less until then; less the
// memory (swap) that the job already uses; 0 for a shared resource with RELEASE while the job is suspended.
double held(const PlacementRules& rules, const PlacedJob& job, const Reservation& reservation, WallTime now);
inline bool ends(const Reservation& reservation) { return !reservation.until.never(); }

// What a job that has hosts counts for one rule, on `host` or (kNoHost) on all hosts.
double counted(const LimitRule& rule, const PlacedJob& job, HostNumber host);

}  // namespace rollcall::sched::cycle
