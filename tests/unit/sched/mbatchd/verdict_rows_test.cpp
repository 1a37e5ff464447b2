// A choice as rows and as JSON.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sched/mbatchd/forward_wire.hpp"
#include "sched/policy/values/verdict_json.hpp"
#include "tests/unit/sched/forward/choice_driver.hpp"

namespace rollcall::mbatchd {
namespace {

using namespace sched::forward;

TEST(VerdictRows, HaveTheVerdictTheNumbersAndTheirAge) {
  std::vector<RemoteQueue> queues{remote_queue("east", 30, 20, 60), remote_queue("north", 10, 20)};
  queues[0].age = std::chrono::milliseconds(2600);
  queues[0].lowest_preemptable = 20;
  queues[1].figures.reset();
  const Settings settings = sched::forward::settings_of({.kind = Kind::count_preemptable});
  const auto rows = mbatchd::rows_of(choose(job_of(4), queues, settings), job_of(4), queues, settings);
  google::protobuf::RepeatedPtrField<wire::ForwardVerdict> listed(rows.begin(), rows.end());
  EXPECT_EQ(
      sched::verdicts_json(listed),
      R"x([{"QUEUE":"HighPriority","CLUSTER":"east","CONNECTED":true,"OFFER":1,"TIER":"free",)x"
      R"x("WHY":"10 free (30 available - 20 pending)","RETURNED":0,)x"
      R"x("NUMBERS":{"TOTAL":100,"AVAILABLE":30,"RUNNING":70,"PENDING":20,"PREEMPTABLE":60,"FREE":10,)x"
      R"x("FREE_BY_PREEMPTION":40,"JOB_ROOM":50,"SLOT_ROOM":null,"PRIORITY":40,"LOWEST_PREEMPTABLE":20,"AGE_S":2}},)x"
      R"x({"QUEUE":"HighPriority","CLUSTER":"north","CONNECTED":true,"OFFER":2,"TIER":"unknown",)x"
      R"x("WHY":"no update has come yet","RETURNED":0,"NUMBERS":null}])x");
}

// More jobs wait there than it has slots.
TEST(VerdictRows, ShowOwedSlotsAsNone) {
  std::vector<RemoteQueue> queues{remote_queue("east", 3, 20, 6)};
  const Settings settings = sched::forward::settings_of({.kind = Kind::count_preemptable});
  const auto rows = mbatchd::rows_of(choose(job_of(1), queues, settings), job_of(1), queues, settings);
  google::protobuf::RepeatedPtrField<wire::ForwardVerdict> listed(rows.begin(), rows.end());
  EXPECT_THAT(sched::verdicts_json(listed), testing::HasSubstr("\"FREE\":0,\"FREE_BY_PREEMPTION\":0,"));
}

TEST(VerdictRows, FiguresThatARecordKeepsAreThoseThatWereSeen) {
  const std::vector<Figures> all{{{100, 30, 70, 20, 60}, 5, 0}, {{1, 0, 1, 0, 0}, {}, {}}};
  for (const Figures& figures : all) EXPECT_EQ(figures_of(slots_of(figures)), figures);
}

}  // namespace
}  // namespace rollcall::mbatchd
