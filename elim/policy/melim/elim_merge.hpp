// ElimMerge: collects the values that all elims of a host have sent since the last report. A value.
//
// The newest value of an index wins, whichever elim sent it. A value is reported once, and again when it is sent again, even if
// it is unchanged: the master shows its age. Values stay when their elim has died; MELIM forgets none. Owned by MELIM's loop.
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

  // Takes the values sent since the last call, by name; at most `most_bytes` of names and words, but at least one value. The rest
  // is for the next call.
  std::vector<Reading> take(std::size_t most_bytes);

 private:
  std::map<std::string, std::variant<float, std::string>> told_;
};

}  // namespace rollcall::melim
