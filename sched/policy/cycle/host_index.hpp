// HostIndex: the hosts of a cycle that have a free slot and take jobs, sorted by the numbers that selects compare. It tells
// which hosts pass a sieve without asking each host.
//
// A sorted column is made when a sieve first needs its measure, from the state at that moment. Reservations of the cycle can only
// make hosts fail a sieve, never pass it (sieve.hpp), so the column serves until the cycle's end.
#pragma once

#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "sched/policy/cycle/working_state.hpp"

namespace rollcall::sched::cycle {

class HostIndex {
 public:
  explicit HostIndex(const WorkingState& state) : state_(&state) {}

  // By number, each once. None: so many pass that asking each host costs no more.
  std::optional<std::vector<HostNumber>> passing(const Sieve& sieve);

 private:
  struct Column {
    std::vector<std::pair<double, HostNumber>> values;  // sorted
    std::vector<HostNumber> unknown;
  };
  struct Range {
    const Column* column = nullptr;
    std::size_t from = 0, to = 0;
  };
  const std::vector<HostNumber>& hosts();
  const Column& column(const Measure& measure);
  Range range(const Sieve& sieve);
  std::size_t count(const Sieve& sieve);
  void collect(const Sieve& sieve, std::vector<HostNumber>& hosts);

  const WorkingState* state_;
  std::optional<std::vector<HostNumber>> hosts_;
  std::unordered_map<std::string, Column> columns_;  // by Measure::text
};

}  // namespace rollcall::sched::cycle
