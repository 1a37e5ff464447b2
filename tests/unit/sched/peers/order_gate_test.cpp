#include "sched/policy/peers/order_gate.hpp"

#include <gtest/gtest.h>

namespace rollcall::sched::peers {
namespace {

const Attempt kJob{{5, 1}, 3};

TEST(OrderGate, DropsOrdersUntilTheClusterHasSaidWhatItHolds) {
  OrderGate gate;
  EXPECT_FALSE(gate.order("east"));
  gate.serves("east");
  EXPECT_FALSE(gate.order("east"));
  EXPECT_FALSE(gate.offer("east", kJob));
  gate.greeted("east");
  EXPECT_TRUE(gate.order("east"));
  EXPECT_TRUE(gate.offer("east", kJob));
  EXPECT_FALSE(gate.order("north"));
}

TEST(OrderGate, LetsAnAttemptBeOfferedOnceInAConnection) {
  OrderGate gate;
  gate.greeted("east");
  EXPECT_TRUE(gate.offer("east", kJob));
  EXPECT_FALSE(gate.offer("east", kJob));
  EXPECT_TRUE(gate.offer("east", {kJob.job, 4})) << "another attempt";
  gate.lost("east");
  EXPECT_FALSE(gate.order("east"));
  gate.serves("east");
  gate.greeted("east");
  EXPECT_TRUE(gate.offer("east", kJob)) << "another connection";
}

// Of two connections at once the newer one may replace the older one without a loss.
TEST(OrderGate, ANewConnectionIsSilentAtFirst) {
  OrderGate gate;
  gate.greeted("east");
  gate.serves("east");
  EXPECT_FALSE(gate.order("east"));
}

TEST(OrderGate, ForgetsAttemptsThatAreOver) {
  OrderGate gate;
  gate.greeted("east");
  EXPECT_TRUE(gate.offer("east", kJob));
  gate.ended("north", kJob);
  EXPECT_FALSE(gate.offer("east", kJob));
  gate.ended("east", kJob);
  EXPECT_TRUE(gate.offer("east", kJob));
}

}  // namespace
}  // namespace rollcall::sched::peers
