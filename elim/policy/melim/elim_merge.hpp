// ElimMerge: what all elims of a host have said since the last report. A value.
//
// Of one index the newest value wins, whoever said it. A value is reported once, and again when it is told again, also
// unchanged: its age is of interest to the master. What an elim said stays so when the elim has died; forgetting is not
// MELIM's matter. Owned by MELIM's loop.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "elim/policy/melim/load_string.hpp"

namespace rollcall::melim {

class ElimMerge {
 public:
  void put(Reading reading) { told_[std::move(reading.name)] = std::move(reading.value); }
  bool empty() const { return told_.empty(); }

  // Everything told since the last call, by name; at most `most_bytes` of names and words, but one value at the least.
  // What is left is for the next call.
  std::vector<Reading> take(std::size_t most_bytes);

 private:
  std::map<std::string, std::variant<float, std::string>> told_;
};

}  // namespace rollcall::melim
