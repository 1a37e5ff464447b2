// What other clusters have told of their jobs' hosts is bounded, and dropped with the parts.
#include "sched/policy/peers/told_spans.hpp"

#include <gtest/gtest.h>

#include <set>

namespace rollcall::sched::peers {
namespace {

wire::JobSpan span_of(std::size_t bytes) {
  wire::JobSpan span;
  span.add_places()->set_host(std::string(bytes, 'n'));
  return span;
}

class ToldSpansTest : public ::testing::Test {
 protected:
  std::set<JobKey> over_;
  ToldSpans spans_{[this](JobKey part) { return over_.contains(part); }};
  const wire::JobSpan half_ = span_of(ToldSpans::kMostBytes / 2 - 100);
};

TEST_F(ToldSpansTest, EachClusterHasItsOwnRoom) {
  spans_.told("east", {1, 0}, half_);
  spans_.told("east", {2, 0}, half_);
  EXPECT_FALSE(spans_.has_room("east", half_));
  EXPECT_TRUE(spans_.has_room("east", span_of(10))) << "what fits is taken";
  EXPECT_TRUE(spans_.has_room("west", half_));
  spans_.told("east", {3, 0}, half_);
  EXPECT_EQ(spans_.find({3, 0}), nullptr);
  EXPECT_NE(spans_.find({2, 0}), nullptr);
}

TEST_F(ToldSpansTest, PartsThatAreOverMakeRoom) {
  spans_.told("east", {1, 0}, half_);
  spans_.told("east", {2, 0}, half_);
  over_.insert({1, 0});
  EXPECT_TRUE(spans_.has_room("east", half_));
  EXPECT_EQ(spans_.find({1, 0}), nullptr);
}

TEST_F(ToldSpansTest, WhatIsToldAnewTakesTheOldOnesPlace) {
  for (int i = 0; i < 5; ++i) spans_.told("east", {1, 0}, half_);
  EXPECT_TRUE(spans_.has_room("east", half_));
  spans_.told("east", {1, 0}, span_of(1));
  EXPECT_EQ(spans_.find({1, 0})->places(0).host(), "n");
}

TEST_F(ToldSpansTest, ThoseOfManyPartsThatAreOverAreDropped) {
  for (std::int32_t id = 1; id <= 1000; ++id) {
    spans_.told("east", {id, 0}, span_of(1));
    over_.insert({id, 0});
  }
  EXPECT_EQ(spans_.find({1, 0}), nullptr);
}

}  // namespace
}  // namespace rollcall::sched::peers
