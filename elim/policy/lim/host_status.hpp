// host_status: a host's status from its load, and which changes of load are reported. Functions over values.
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

// Whether the host takes work, as it sees it itself (wire Condition, by resource number).
struct Condition {
  bool locked_by_administrator = false;  // lockU
  bool locked_by_window = false;         // lockW
  std::int64_t locked_until_us = 0;      // microseconds since 1970; 0: until limunlock
  std::vector<ResourceId> beyond;        // indices beyond their thresholds: busy; ascending
  bool res_down = false;                 // a leading "-": nothing can be started there
  friend bool operator==(const Condition&, const Condition&) = default;
};

// The raise of a host's run queues after lsplace chose it; it declines until ADJUST_DURATION is over.
struct Raise {
  float slots = 0;
  TimePoint at;
};
// The rest of a raise: linear to zero. `duration` is ADJUST_DURATION intervals.
float left_of(const Raise& raise, TimePoint now, Duration duration);
// The rest of a raise, and one more placement on top.
Raise raised(const Raise& raise, std::uint32_t slots, TimePoint now, Duration duration);

enum class QueueForm {
  raw,        // processes that want a CPU
  effective,  // lsload -E: for each CPU (load_math.hpp has the formulas)
  normalised  // lsload -N: what one more CPU-bound job would meet, on a CPU of factor 1
};
// `raw` is the length with lsplace's raise; `cpus` is load::queue_cpus of the host. Unknown stays unknown; fewer than one CPU
// count as 1, a factor of 0 as 1.
float queue_length(float raw, QueueForm form, int cpus, double cpu_factor);
inline bool is_queue(ResourceId id) { return id == r15s || id == r1m || id == r15m; }

// The indices that are beyond their thresholds: above for increasing ones, below for decreasing ones (order none counts
// as increasing); equal is not beyond, unknown is not. Run queues are judged by their effective lengths.
std::vector<ResourceId> beyond(const LoadVector& load, const std::vector<LoadThreshold>& thresholds,
                               const IndexTable& indices, int cpus);

// True where a value must be reported again: it differs from `told` by more than lsload shows.
//   r15s r1m r15m   0.05            ut    0.5 %            pg   0.05, or 1 % of it     io     0.5, or 1 % of it
//   ls it           any change      tmp swp mem   1 MB, or 0.5 % of it         an elim's: any change
// A change to or from zero, or to or from unknown, is always reported.
bool changed(ResourceId id, float told, float value);

// lsload's status bits of a host.
wire::Reply::Status status(bool available, const Condition& condition);

}  // namespace rollcall::lim
