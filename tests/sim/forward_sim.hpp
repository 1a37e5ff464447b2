// ForwardSim: plays ForwardWorlds of many seeds and says what must not be in one of them: the world as the line that replays it, then as
// the smallest world that still fails. The fixture of forward_sim_test.cpp and forward_cycles_sim_test.cpp.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "tests/sim/forward_world.hpp"

namespace rollcall::sched {

struct Played {
  std::string trouble;  // "": none
  ForwardWorld::Seen seen;
};
// Jobs are submitted in the first turns, one in eight of them.
Played play(const Knobs& knobs);
// What is printed of a world that failed. It plays it again and again to make it smaller.
std::string told(const Knobs& knobs, const Played& played);
// Of the environment.
int number(const char* variable, int usual);

class ForwardSim : public testing::Test {
 protected:
  // ROLLCALL_SIM_FIRST and ROLLCALL_SIM_SEEDS choose others.
  void each(int seeds, const Knobs& knobs);
  void TearDown() override;
  ForwardWorld::Seen seen_;

 private:
  void add(const ForwardWorld::Seen& seen);
};

}  // namespace rollcall::sched
