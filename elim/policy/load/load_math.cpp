#include "elim/policy/load/load_math.hpp"

#include <algorithm>
#include <cmath>

namespace rollcall::load {
namespace {

constexpr double kMinute = 60;

double seconds(Duration d) { return std::chrono::duration<double>(d).count(); }

// The weight of the newest value after `elapsed` seconds in an average over `period` seconds.
double weight(double elapsed, double period) { return 1 - std::exp(-elapsed / period); }

void move(float& average, double value, double part) {
  average = known_load(average) ? static_cast<float>(average + (value - average) * part)
                                : static_cast<float>(value);
}

void update_queue(LoadState& state, const Reading& reading, TimePoint now) {
  if (!reading.running) return;
  auto& load = state.load;
  if (!state.queue_at) {
    const auto loads = reading.loads.value_or(std::array<double, 2>{*reading.running, *reading.running});
    load[r15s] = static_cast<float>(*reading.running);
    load[r1m] = static_cast<float>(loads[0]);
    load[r15m] = static_cast<float>(loads[1]);
  } else {
    const double elapsed = seconds(now - *state.queue_at);
    move(load[r15s], *reading.running, weight(elapsed, 15));
    move(load[r1m], *reading.running, weight(elapsed, kMinute));
    move(load[r15m], *reading.running, weight(elapsed, 15 * kMinute));
  }
  state.queue_at = now;
}

// One counter's reading replaces the one before, and `per_second(before, after, seconds)` moves the average.
template <class T, class Rate>
void update_rate(std::optional<LoadState::At<T>>& last, const std::optional<T>& value, TimePoint now,
                 float& average, Rate rate) {
  if (!value) return;
  if (last && now > last->when) {
    const double elapsed = seconds(now - last->when);
    if (const std::optional<double> measured = rate(last->value, *value, elapsed))
      move(average, *measured, weight(elapsed, kMinute));
  }
  last = LoadState::At<T>{*value, now};
}

std::optional<double> busy_part(const CpuTicks& before, const CpuTicks& after, double /*elapsed*/) {
  const auto busy = counted(before.busy, after.busy);
  // Kernels have been seen to correct idle and iowait downwards by a few ticks.
  const auto idle =
      after.idle >= before.idle ? std::optional(after.idle - before.idle) : std::optional<std::uint64_t>(0);
  if (!busy || *busy + *idle == 0) return std::nullopt;
  return static_cast<double>(*busy) / (static_cast<double>(*busy) + static_cast<double>(*idle));
}

std::optional<double> pages_per_second(std::uint64_t before, std::uint64_t after, double elapsed) {
  const auto pages = counted(before, after);
  if (!pages) return std::nullopt;
  return static_cast<double>(*pages) / elapsed;
}

// Ignores disks that came or went in the interval.
std::optional<double> kilobytes_per_second(const DiskSectors& before, const DiskSectors& after,
                                           double elapsed) {
  double sectors = 0;
  for (const auto& disk : after) {
    const auto same = std::find_if(before.begin(), before.end(),
                                   [&](const auto& earlier) { return earlier.first == disk.first; });
    if (same == before.end()) continue;
    if (const auto moved = counted(same->second, disk.second)) sectors += static_cast<double>(*moved);
  }
  return sectors / 2 / elapsed;
}

void take(float& value, const std::optional<double>& amount) {
  if (amount) value = static_cast<float>(*amount);
}

}  // namespace

std::optional<std::uint64_t> counted(std::uint64_t before, std::uint64_t after) {
  constexpr std::uint64_t kWrap = std::uint64_t{1} << 32;
  if (after >= before) return after - before;
  // A 32-bit counter wraps; a drop of more than half its range is a wrap, not a reset.
  if (before < kWrap && before - after > kWrap / 2) return kWrap - before + after;
  return std::nullopt;
}

BuiltInLoad update(LoadState& state, const Reading& reading, TimePoint now) {
  auto& load = state.load;
  load.first = !state.queue_at && !state.cpu && !state.pages && !state.disks;
  update_queue(state, reading, now);
  update_rate(state.cpu, reading.cpu, now, load[ut], busy_part);
  update_rate(state.pages, reading.pages, now, load[pg], pages_per_second);
  update_rate(state.disks, reading.disks, now, load[built_in::io], kilobytes_per_second);
  take(load[ls], reading.users);
  take(load[it], reading.idle_minutes);
  take(load[tmp], reading.tmp);
  take(load[swp], reading.swp);
  take(load[mem], reading.mem);
  return load;
}

int queue_cpus(const HostFacts& facts) {
  const int cores = facts.nprocs * facts.ncores;
  const int cpus = cores > 0 && facts.ncpus > cores ? cores : facts.ncpus;
  return std::max(cpus, 1);
}

float effective_queue(float raw, int cpus) {
  if (!known_load(raw)) return raw;
  return raw / static_cast<float>(std::max(cpus, 1));
}

float normalised_queue(float raw, int cpus, double cpu_factor) {
  if (!known_load(raw)) return raw;
  const double shared = std::max(1.0, (static_cast<double>(raw) + 1) / std::max(cpus, 1));
  return static_cast<float>(shared / (cpu_factor > 0 ? cpu_factor : 1.0));
}

}  // namespace rollcall::load
