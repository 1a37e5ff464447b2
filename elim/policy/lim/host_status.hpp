// What is worth telling about a host's load, and what a host's status is: functions over values.
//
// Rules: "Administering Platform LSF", load thresholds, run windows, lsadmin limlock; lsload(1) for the run queues.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "common/base/index_table.hpp"
#include "common/base/load_vector.hpp"
#include "common/base/time_windows.hpp"
#include "common/wire/load.pb.h"
#include "elim/policy/lim/lim_rules.hpp"

namespace rollcall::lim {

// How the host itself sees whether it takes work (wire Condition, by resource number).
struct Condition {
  bool locked_by_administrator = false;  // lockU
  bool locked_by_window = false;         // lockW
  std::int64_t locked_until_us = 0;      // microseconds since 1970; 0: until limunlock
  std::vector<ResourceId> beyond;        // indices beyond their thresholds: busy; ascending
  bool res_down = false;                 // a leading "-": nothing can be started there
  friend bool operator==(const Condition&, const Condition&) = default;
};

// lsplace has sent work to the host: its run queues read so much more, less and less until ADJUST_DURATION is over.
struct Raise {
  float slots = 0;
  TimePoint at;
};
// What is left of it: linear to nothing. `duration` is ADJUST_DURATION intervals.
float left_of(const Raise& raise, TimePoint now, Duration duration);
// One more placement on top of what is left.
Raise raised(const Raise& raise, std::uint32_t slots, TimePoint now, Duration duration);

enum class QueueForm {
  raw,        // processes that want a CPU
  effective,  // lsload -E: for each CPU (load_math.hpp has the formulas)
  normalised  // lsload -N: what one more CPU-bound job would meet, on a CPU of factor 1
};
// `raw` is the length with what lsplace added; `cpus` is load::queue_cpus of the host. Unknown stays unknown; fewer CPUs
// than one count as 1, a factor of nothing as 1.
float queue_length(float raw, QueueForm form, int cpus, double cpu_factor);
inline bool is_queue(ResourceId id) { return id == r15s || id == r1m || id == r15m; }

// The indices that are beyond their thresholds: above for increasing ones, below for decreasing ones (order none counts
// as increasing); equal is not beyond, unknown is not. Run queues are judged by their effective lengths.
std::vector<ResourceId> beyond(const LoadVector& load, const std::vector<LoadThreshold>& thresholds,
                               const IndexTable& indices, int cpus);

// True where a value has to be told again: it is not what `told` says within what lsload shows.
//   r15s r1m r15m   0.05            ut    0.5 %            pg   0.05, or 1 % of it     io     0.5, or 1 % of it
//   ls it           any change      tmp swp mem   1 MB, or 0.5 % of it         an elim's: any change
// To or from nothing, and to or from unknown, is always a change.
bool changed(ResourceId id, float told, float value);

// lsload's status bits of a host.
wire::Reply::Status status(bool available, const Condition& condition);

}  // namespace rollcall::lim
