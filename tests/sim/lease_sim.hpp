// Runs of LeaseWorlds for tests: over many seeds, with a planted fault and without. Functions.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "tests/sim/lease_world.hpp"

namespace rollcall::sched::lease {

constexpr int kSteps = 400, kStepsOfTwo = 600;  // with one consumer, with two

// ROLLCALL_SIM_SEEDS: how many; 500.
inline std::uint64_t seeds() {
  const char* asked = std::getenv("ROLLCALL_SIM_SEEDS");
  return asked ? std::strtoull(asked, nullptr, 10) : 500;
}

inline std::string text(Lends lends) {
  switch (lends) {
    case Lends::parts:
      return "parts";
    case Lends::shared:
      return "shared";
    case Lends::whole_hosts:
      return "whole_hosts";
    case Lends::shared_hosts:
      return "shared_hosts";
    case Lends::slots_per_host:
      return "slots_per_host";
    case Lends::shared_slots:
      return "shared_slots";
  }
  return "?";
}

inline Lends parts_or_shared(std::uint64_t seed) { return seed % 2 == 0 ? Lends::shared : Lends::parts; }

inline std::string run(std::uint64_t seed, Fault fault, Lends lends, Licences licences = Licences::none) {
  LeaseWorld world(seed, fault, lends, licences);
  const int steps = lends == Lends::parts || lends == Lends::shared ? kSteps : kStepsOfTwo;
  for (int i = 0; i < steps && world.broken.empty(); ++i) world.step();
  return world.broken;
}

// The first seed whose world breaks with the fault, with `words` in the text of the break. 0: none. The same world must hold without the fault,
// or else something different broke it.
inline std::uint64_t finds(std::uint64_t first, std::uint64_t last, Fault fault,
                           Lends (*lends)(std::uint64_t seed), Licences licences = Licences::none,
                           const std::string& words = "") {
  for (std::uint64_t seed = first; seed <= last; ++seed) {
    const std::string broken = run(seed, fault, lends(seed), licences);
    if (broken.empty() || broken.find(words) == std::string::npos) continue;
    EXPECT_EQ(run(seed, Fault::none, lends(seed), licences), "") << "without the fault, seed " << seed;
    testing::Test::RecordProperty("seed", std::to_string(seed));
    return seed;
  }
  return 0;
}

}  // namespace rollcall::sched::lease
