// LoadMath: computes the eleven built-in load indices from a host's counters, and the three forms of a run queue's length.
//
// A stepper without effects: update() takes one reading and the time, and gives the indices. It reads no files (elim/reader does)
// and knows no thresholds. docs/decisions/0018 says what each index counts, and why.
//
//   reading \ state | no earlier reading                      | an earlier reading
//   ----------------+-----------------------------------------+-------------------------------------------------
//   run queue       | r15s is it; r1m, r15m the kernel's load | all three move towards it by 1 - exp(-dt / T)
//   counters        | ut pg io stay unknown                   | the rate since then; the first rate is taken as it
//                   |                                         | is, later ones move the one-minute average
//   amounts         | taken as they are                       | taken as they are
//   nothing (file missing or not to be read)                  | the index keeps its value; unknown if it had none
//   counter went back (32-bit wrap)                           | the rate over the wrap
//   counter went back (device gone, machine restored)         | no rate this time
//
// Meanings: "Administering Platform LSF 7.3", Load Indices.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/base/host_facts.hpp"
#include "common/base/job_clock.hpp"
#include "common/base/load_vector.hpp"

namespace rollcall::load {

// The values of all built-in indices, at their numbers (enum BuiltIn), in the units of load_vector.hpp.
struct BuiltInLoad {
  std::array<float, kBuiltInIndices> values;
  bool first = true;  // ut, pg and io are rates: the first sample cannot have them

  BuiltInLoad() { values.fill(kUnknownLoad); }
  float operator[](BuiltIn index) const { return values[index]; }
  float& operator[](BuiltIn index) { return values[index]; }
  friend bool operator==(const BuiltInLoad&, const BuiltInLoad&) = default;
};

struct CpuTicks {
  std::uint64_t busy = 0, idle = 0;
};
// Of one whole disk, in sectors of 512 bytes, read and written together.
using DiskSectors = std::vector<std::pair<std::string, std::uint64_t>>;

// One reading of all counters; none where one was not read or does not exist.
struct Reading {
  std::optional<double> running;  // processes that have a CPU or wait for one, LIM itself not counted
  std::optional<std::array<double, 2>> loads;  // the kernel's own averages over 1 and 15 minutes
  std::optional<CpuTicks> cpu;
  std::optional<std::uint64_t> pages;  // swapped in and out since boot
  std::optional<DiskSectors> disks;
  std::optional<double> users;          // distinct
  std::optional<double> idle_minutes;   // since a login terminal was last used
  std::optional<double> tmp, swp, mem;  // MB
};

// The state between two readings.
struct LoadState {
  BuiltInLoad load;
  template <class T>
  struct At {
    T value;
    TimePoint when;
  };
  std::optional<TimePoint> queue_at;
  std::optional<At<CpuTicks>> cpu;
  std::optional<At<std::uint64_t>> pages;
  std::optional<At<DiskSectors>> disks;
};

// The indices after `reading`, taken at `now`, which never goes back.
BuiltInLoad update(LoadState& state, const Reading& reading, TimePoint now);

// The distance from `before` to `after`; none where the counter was reset.
std::optional<std::uint64_t> counted(std::uint64_t before, std::uint64_t after);

// ---- The run queue lengths that lsload shows, from the raw one.

// The number of CPUs that share a run queue: ncpus, but threads of a core never count ("RQL normalization never considers
// threads", LIM core detection); at least 1.
int queue_cpus(const HostFacts& facts);

// lsload -E: "scales the run queue value on multiprocessor systems to make the CPU load of uniprocessors and
// multiprocessors comparable": processes per CPU. Thresholds are compared with this one. Unknown stays unknown.
float effective_queue(float raw, int cpus);

// lsload -N: "adjusted for both number of processors and CPU speed. The host with the lowest normalized run queue length
// will run a CPU-intensive job the fastest": how many times longer than alone on a CPU of factor 1 one more CPU-bound job
// would take. An idle CPU is never better than idle: no less than 1 / factor. Unknown stays unknown.
float normalised_queue(float raw, int cpus, double cpu_factor);

}  // namespace rollcall::load
