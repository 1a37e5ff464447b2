// Scenarios of remote queues: how they are read. What is printed is in tests/golden/forward.
#include "sched/policy/forward/forward_scenario.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rollcall::sched::forward {
namespace {

using testing::HasSubstr;

ForwardScenario read(const std::string& text) {
  const auto scenario = read_forward_scenario(text, "s");
  EXPECT_TRUE(scenario) << (scenario ? "" : scenario.error().text);
  return scenario ? *scenario : ForwardScenario{};
}
std::string error(const std::string& text) {
  const auto scenario = read_forward_scenario(text, "s");
  return scenario ? "" : scenario.error().text;
}

TEST(ForwardScenario, ReadsWhatIsGivenAndItsDefaults) {
  const auto scenario = read(
      "Begin Parameters\nMC_PLUGIN_SCHEDULE_ENHANCE = HIGH_QUEUE_PRIORITY\nEnd Parameters\n"
      "Begin Forwarding\nMAX_RSCHED_TIME = infinit\nROOM_FIRST = Y\nEnd Forwarding\n"
      "Begin RemoteQueue\nQUEUE TOTAL AVAILABLE RUNNING PENDING PREEMPTABLE PRIORITY LOWEST_PREEMPTABLE "
      "TYPES RESOURCES JOB_ROOM "
      "SLOT_ROOM AGE STATUS\n"
      "q@east - 30 60 20 5 40 10 (X86 ARM) (gpu) infinit 9 12 disc\nr@west - - - - - - - - - - - never "
      "-\nEnd RemoteQueue\n"
      "Begin ForwardJob\nJOB SLOTS RES_REQ\n7[2] 4,8 \"same[type] select[gpu]\"\nEnd ForwardJob\n"
      "Begin Returned\nJOB QUEUE TIMES AGO AVAILABLE\n7[2] q@east 3 60 29\nEnd Returned\n");
  EXPECT_EQ(scenario.settings.choice.kind, conf::ForwardChoice::Kind::count_preemptable);
  EXPECT_TRUE(scenario.settings.choice.high_queue_priority);
  EXPECT_TRUE(scenario.settings.room_before_preemption);
  EXPECT_FALSE(scenario.settings.retry_after);
  ASSERT_EQ(scenario.queues.size(), 2U);
  const RemoteQueue& east = scenario.queues[0];
  EXPECT_EQ(east.figures, (Figures{{90, 30, 60, 20, 5}, {}, 9}));
  EXPECT_EQ(east.priority, 40);
  EXPECT_EQ(east.lowest_preemptable, 10);
  EXPECT_EQ(east.types, (std::vector<std::string>{"X86", "ARM"}));
  EXPECT_EQ(east.booleans, (std::vector<std::string>{"gpu"}));
  EXPECT_EQ(east.age, std::chrono::seconds(12));
  EXPECT_FALSE(east.connected);
  EXPECT_FALSE(scenario.queues[1].figures);
  EXPECT_TRUE(scenario.queues[1].connected);
  ASSERT_EQ(scenario.jobs.size(), 1U);
  EXPECT_EQ(scenario.jobs[0].asks.max_slots, 8);
  EXPECT_TRUE(scenario.jobs[0].asks.same_type);
  ASSERT_EQ(scenario.jobs[0].returns.size(), 1U);
  EXPECT_EQ(scenario.jobs[0].returns[0].second.then, (Figures{{90, 29, 60, 20, 5}, {}, 9}));
}

TEST(ForwardScenario, InvalidSettingsAreReported) {
  for (const char* words : {"RESOURCE_ONLY HIGH_QUEUE_PRIORITY", "PENDING_WHEN_NOSLOTS RESOURCE_ONLY",
                            "COUNT_PREEMPTABLE SOMETIMES"}) {
    const std::string said =
        error("Begin Parameters\nMC_PLUGIN_SCHEDULE_ENHANCE = " + std::string(words) + "\nEnd Parameters\n");
    EXPECT_THAT(said, HasSubstr("s:2: MC_PLUGIN_SCHEDULE_ENHANCE: found")) << words;
    EXPECT_EQ(said.find('\n'), std::string::npos) << said;
  }
}

TEST(ForwardScenario, EveryErrorHasItsLine) {
  EXPECT_EQ(
      error("Begin RemoteQueue\nQUEUE AVAILABLE COLOUR\nq -1 -\nq@east 1 -\nq@east 1 -\nEnd RemoteQueue\n"
            "Begin ForwardJob\nJOB SLOTS RES_REQ\n1 8,4 -\n2[x] - -\n3 - \"select[mem>\"\nEnd ForwardJob\n"
            "Begin Returned\nJOB QUEUE\n9 q@east\nEnd Returned\nBegin Machine\nHOST_NAME\na\nEnd Machine\n"),
      "s:2: found \"COLOUR\" in section RemoteQueue, which is unknown and passed over, expected one of the "
      "manual page\n"
      "s:3: QUEUE: found \"q\", expected QUEUE@CLUSTER\n"
      "s:5: QUEUE: found \"q@east\", expected each queue once\n"
      "s:9: SLOTS: found \"8,4\", expected MIN or MIN,MAX\n"
      "s:10: JOB: found \"2[x]\", expected ID or ID[INDEX]\n"
      "s:11: RES_REQ: found \"select[mem>\", expected a requirement: found the end, expected a resource, a "
      "number or \"(\"\n"
      "s:15: JOB: found \"9\", expected one of section ForwardJob\n"
      "s:17: found section \"Machine\", which is unknown and passed over, expected Parameters Forwarding "
      "RemoteQueue "
      "ForwardJob Returned");
}

TEST(ForwardScenario, IsToldFromAScenarioOfACluster) {
  EXPECT_TRUE(has_remote_queues("Begin RemoteQueue\nQUEUE\nq@c\nEnd RemoteQueue\n"));
  EXPECT_FALSE(has_remote_queues("Begin Machine\nHOST_NAME\na\nEnd Machine\n"));
}

}  // namespace
}  // namespace rollcall::sched::forward
