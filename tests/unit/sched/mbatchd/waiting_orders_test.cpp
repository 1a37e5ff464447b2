// Orders wait for room on their host's connection, in their order, and hold up no other host.
#include "sched/mbatchd/waiting_orders.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

namespace rollcall::mbatchd {
namespace {

namespace effect = sched::effect;
using testing::ElementsAre;

class WaitingOrdersTest : public testing::Test {
 protected:
  static effect::OrderStart start(int id, const std::string& host) { return {{id, 0}, host, 1}; }
  static effect::OrderGo go(int id, const std::string& host) { return {{id, 0}, host, 1}; }
  std::vector<std::string> given() { return std::exchange(given_, {}); }

  std::set<std::string> full_;
  std::size_t most_ = 100;  // then hostA is full
  std::vector<std::string> given_;
  WaitingOrders orders_{{[this](const std::string& host) { return full_.count(host) == 0; },
                         [this](const sched::Effect& order) {
                           given_.push_back(std::holds_alternative<effect::OrderGo>(order)
                                                ? "go " + sched::text(std::get<effect::OrderGo>(order).key)
                                                : "start " +
                                                      sched::text(std::get<effect::OrderStart>(order).key));
                           if (given_.size() >= most_) full_.insert("hostA");
                         }}};
};

TEST_F(WaitingOrdersTest, AnOrderLeavesAtOnceWhereThereIsRoom) {
  orders_.take(start(1, "hostA"));
  EXPECT_THAT(given(), ElementsAre("start 1"));
}

TEST_F(WaitingOrdersTest, OrdersOfAFullHostWaitAndThoseOfOthersDoNot) {
  full_.insert("hostA");
  orders_.take(start(1, "hostA"));
  orders_.take(start(2, "hostB"));
  EXPECT_THAT(given(), ElementsAre("start 2"));
  full_.clear();
  orders_.room("hostA");
  EXPECT_THAT(given(), ElementsAre("start 1"));
}

TEST_F(WaitingOrdersTest, AnOrderNeverPassesOneThatWaits) {
  full_.insert("hostA");
  orders_.take(start(1, "hostA"));
  full_.clear();
  orders_.take(go(1, "hostA"));
  EXPECT_TRUE(given().empty());
  orders_.room("hostA");
  EXPECT_THAT(given(), ElementsAre("start 1", "go 1"));
}

TEST_F(WaitingOrdersTest, OnlyAsManyLeaveAsThereIsRoomFor) {
  full_.insert("hostA");
  for (int id = 1; id <= 3; ++id) orders_.take(start(id, "hostA"));
  full_.clear();
  most_ = 2;
  orders_.room("hostA");
  EXPECT_THAT(given(), ElementsAre("start 1", "start 2"));
  full_.clear();
  orders_.room("hostA");
  EXPECT_THAT(given(), ElementsAre("start 3"));
}

TEST_F(WaitingOrdersTest, OrdersOfAHostThatHasGoneAreDropped) {
  full_.insert("hostA");
  orders_.take(start(1, "hostA"));
  orders_.gone("hostA");
  full_.clear();
  orders_.room("hostA");
  EXPECT_TRUE(given().empty());
}

}  // namespace
}  // namespace rollcall::mbatchd
