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

TEST(OrderGate, CountsTheOffersThatAClusterHasNotAnswered) {
  OrderGate gate;
  gate.greeted("east");
  gate.greeted("north");
  constexpr int kMost = OrderGate::kMostUnanswered;
  for (int id = 1; id <= kMost + 1; ++id) gate.offer("east", {{id, 0}, 1});
  EXPECT_EQ(gate.unanswered("east"), OrderGate::kMostUnanswered + 1);
  EXPECT_EQ(gate.unanswered("north"), 0U);
  EXPECT_FALSE(gate.answered("north", {{1, 0}, 1})) << "another cluster's word";
  EXPECT_FALSE(gate.answered("east", {{1, 0}, 1})) << "as many as allowed are left";
  EXPECT_FALSE(gate.answered("east", {{1, 0}, 1})) << "once";
  EXPECT_TRUE(gate.answered("east", {{2, 0}, 1})) << "it may be offered jobs again";
  EXPECT_FALSE(gate.answered("east", {{3, 0}, 1}));
  gate.ended("east", {{4, 0}, 1});
  EXPECT_EQ(gate.unanswered("east"), OrderGate::kMostUnanswered - 3);
  gate.lost("east");
  EXPECT_EQ(gate.unanswered("east"), 0U) << "all are offered again";
}

}  // namespace
}  // namespace rollcall::sched::peers
