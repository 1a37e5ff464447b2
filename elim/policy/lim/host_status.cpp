#include "elim/policy/lim/host_status.hpp"

#include <algorithm>
#include <cmath>

#include "elim/policy/load/load_math.hpp"

namespace rollcall::lim {

float left_of(const Raise& raise, TimePoint now, Duration duration) {
  const Duration age = now - raise.at;
  if (raise.slots <= 0 || duration <= Duration{0} || age >= duration) return 0;
  const auto part = static_cast<double>(age.count()) / static_cast<double>(duration.count());
  return static_cast<float>(raise.slots * (1.0 - std::max(part, 0.0)));
}

Raise raised(const Raise& raise, std::uint32_t slots, TimePoint now, Duration duration) {
  return {left_of(raise, now, duration) + static_cast<float>(slots), now};
}

float queue_length(float raw, QueueForm form, int cpus, double cpu_factor) {
  switch (form) {
    case QueueForm::raw:
      return raw;
    case QueueForm::effective:
      return load::effective_queue(raw, std::max(cpus, 1));
    case QueueForm::normalised:
      return load::normalised_queue(raw, std::max(cpus, 1), cpu_factor > 0 ? cpu_factor : 1);
  }
  return raw;
}

std::vector<ResourceId> beyond(const LoadVector& load, const std::vector<LoadThreshold>& thresholds,
                               const IndexTable& indices, int cpus) {
  std::vector<ResourceId> result;
  for (const LoadThreshold& threshold : thresholds) {
    if (threshold.index >= load.size()) continue;
    float value = load[threshold.index].number;
    if (!known_load(value)) continue;
    if (is_queue(threshold.index)) value = queue_length(value, QueueForm::effective, cpus, 1);
    const bool decreasing = indices.at(threshold.index).order == ResourceOrder::decreasing;
    if (decreasing ? value < threshold.value : value > threshold.value) result.push_back(threshold.index);
  }
  std::sort(result.begin(), result.end());
  return result;
}

bool changed(ResourceId id, float told, float value) {
  if (told == value) return false;
  if (!known_load(told) || !known_load(value) || told == 0 || value == 0) return true;
  const float difference = std::fabs(value - told);
  const float size = std::fabs(told);
  switch (id) {
    case r15s:
    case r1m:
    case r15m:
      return difference >= 0.05F;
    case ut:
      return difference >= 0.005F;
    case pg:
      return difference >= std::max(0.05F, 0.01F * size);
    case built_in::io:
      return difference >= std::max(0.5F, 0.01F * size);
    case tmp:
    case swp:
    case mem:
      return difference >= std::max(1.0F, 0.005F * size);
    default:
      return true;
  }
}

wire::Reply::Status status(bool available, const Condition& condition) {
  wire::Reply::Status bits;
  if (!available) {
    bits.set_unavailable(true);
    return bits;
  }
  bits.set_locked_by_administrator(condition.locked_by_administrator);
  bits.set_locked_by_window(condition.locked_by_window);
  bits.set_busy(!condition.beyond.empty());
  bits.set_res_down(condition.res_down);
  return bits;
}

}  // namespace rollcall::lim
