// LimitUnit: LSF_UNIT_FOR_LIMITS: what a number without a unit of its own means in limits and reservations of memory. A value.
//
// It scales the limits of core, data, memory, stack and swap of jobs, queues and application profiles (KB without it), and MEM and
// SWP of lsb.resources and of rusage (MB without it). TMP only with LSF_ENABLE_TMP_UNIT=Y. FILELIMIT is in KB always.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace rollcall::conf {

struct LimitUnit {
  std::int64_t kb = 1;  // KB in one unit of a limit
  bool given = false;
  bool of_tmp = false;  // LSF_ENABLE_TMP_UNIT

  // Factors to MB: of MEM and SWP; of TMP.
  double memory_mb() const { return given ? static_cast<double>(kb) / 1024 : 1; }
  double tmp_mb() const { return of_tmp ? memory_mb() : 1; }
};

// 1 for K, 1024 for M ... Z; with or without B, in either case.
std::optional<std::int64_t> unit_kb(std::string_view unit);

}  // namespace rollcall::conf
