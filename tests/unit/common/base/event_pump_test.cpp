// EventPump: events are stepped in their order, one at a time.
#include "common/base/event_pump.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

namespace rollcall {
namespace {

using testing::ElementsAre;

TEST(EventPump, StepsAnEventOfAnEffectAfterThePresentOne) {
  EventPump<int> pump;
  std::vector<std::string> seen;
  const std::function<void(const int&)> step = [&](const int& event) {
    seen.push_back("begin " + std::to_string(event));
    if (event == 1) {
      EXPECT_FALSE(pump.happened(2, step)) << "queued";
      EXPECT_FALSE(pump.happened(3, step)) << "queued";
    }
    seen.push_back("end " + std::to_string(event));
  };
  EXPECT_TRUE(pump.happened(1, step));
  EXPECT_THAT(seen, ElementsAre("begin 1", "end 1", "begin 2", "end 2", "begin 3", "end 3"));
  EXPECT_TRUE(pump.happened(4, step)) << "idle again";
  EXPECT_EQ(seen.back(), "end 4");
}

TEST(EventPump, TakesEventsThatCanOnlyBeMoved) {
  EventPump<std::unique_ptr<int>> pump;
  int seen = 0;
  pump.happened(std::make_unique<int>(7), [&](const std::unique_ptr<int>& event) { seen = *event; });
  EXPECT_EQ(seen, 7);
}

}  // namespace
}  // namespace rollcall
