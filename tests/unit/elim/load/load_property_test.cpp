// Over any readings averages stay within what was read, values stay finite, and utilisation stays between 0 and 1.
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>

#include "elim/policy/load/load_math.hpp"

namespace rollcall::load {
namespace {

Reading any_reading() {
  Reading reading;
  if (*rc::gen::arbitrary<bool>()) reading.running = *rc::gen::inRange(0, 1000);
  if (*rc::gen::arbitrary<bool>())
    reading.cpu = {*rc::gen::arbitrary<std::uint32_t>(), *rc::gen::arbitrary<std::uint32_t>()};
  if (*rc::gen::arbitrary<bool>()) reading.pages = *rc::gen::arbitrary<std::uint64_t>();
  if (*rc::gen::arbitrary<bool>()) reading.disks = {{"sda", *rc::gen::arbitrary<std::uint64_t>()}};
  return reading;
}

RC_GTEST_PROP(LoadProperty, IndicesStayFiniteAndAveragesWithinTheReadings, ()) {
  LoadState state;
  TimePoint now;
  double least = 1e9, most = -1;
  for (int turn = 0; turn < 30; ++turn) {
    const auto reading = any_reading();
    if (reading.running) {
      least = std::min(least, *reading.running);
      most = std::max(most, *reading.running);
    }
    const auto load = update(state, reading, now);
    for (const float value : load.values) RC_ASSERT(std::isfinite(value) && value >= 0);
    if (known_load(load[ut])) RC_ASSERT(load[ut] <= 1.000001F);
    for (const auto index : {r15s, r1m, r15m})
      if (known_load(load[index])) RC_ASSERT(load[index] >= least - 1e-3 && load[index] <= most + 1e-3);
    now = now + std::chrono::milliseconds(*rc::gen::inRange(0, 100'000));
  }
}

RC_GTEST_PROP(LoadProperty, MoreWorkIsNeverFaster, ()) {
  const int cpus = *rc::gen::inRange(1, 1000);
  const float less = static_cast<float>(*rc::gen::inRange(0, 5000)), more = less + 1;
  RC_ASSERT(normalised_queue(less, cpus, 2) <= normalised_queue(more, cpus, 2));
  RC_ASSERT(effective_queue(less, cpus) < effective_queue(more, cpus));
  RC_ASSERT(normalised_queue(less, cpus, 2) >= normalised_queue(less, cpus + 1, 2));
}

}  // namespace
}  // namespace rollcall::load
