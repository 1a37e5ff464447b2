// LoadVector: the dynamic values of one host at one moment, by resource number, each with the time it was last told.
//
// A value. It is not the host's description (static resources: HostFacts) and not its status. Units are those of the
// manual: run queue lengths in processes, ut 0..1, pg in pages/s, io in KB/s, it in minutes, tmp swp mem in MB.
#pragma once

#include <limits>
#include <string>
#include <vector>

#include "common/base/index_table.hpp"
#include "common/base/job_clock.hpp"

namespace rollcall {

// LSF's word for "not known": lsf.h defines INFINIT_LOAD as 0x7fffffff taken as a float.
inline constexpr float kUnknownLoad = 2147483648.0F;
inline bool known_load(float value) { return value < kUnknownLoad && value > -kUnknownLoad; }

struct LoadValue {
  float number = kUnknownLoad;  // of a numeric index
  std::string word;             // of a String index; empty: not known
  TimePoint told;               // when LIM or an elim last said so, also where it did not change
  friend bool operator==(const LoadValue&, const LoadValue&) = default;
};

class LoadVector {
 public:
  explicit LoadVector(ResourceId size = kBuiltInIndices) : values_(size) {}

  LoadValue& operator[](ResourceId id) { return values_[id]; }
  const LoadValue& operator[](ResourceId id) const { return values_[id]; }
  ResourceId size() const { return static_cast<ResourceId>(values_.size()); }
  friend bool operator==(const LoadVector&, const LoadVector&) = default;

 private:
  std::vector<LoadValue> values_;
};

}  // namespace rollcall
