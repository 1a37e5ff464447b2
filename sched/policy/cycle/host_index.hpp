// HostIndex: the hosts of a cycle that have a free slot and take jobs, sorted by whatever number a select asks for. It answers
// which of them a sieve lets pass without asking each of them.
//
// A sorted column is made when a sieve first asks for its measure, from the state as it then is; in a cycle numbers only become
// worse for those who ask (sieve.hpp), so it stays good until the cycle's end.
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

  // By number, each once. None: so many that asking each host is as good.
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
