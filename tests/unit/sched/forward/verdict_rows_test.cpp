// A choice as rows and as JSON.
#include "sched/policy/forward/verdict_rows.hpp"

#include <gtest/gtest.h>

#include "choice_driver.hpp"
#include "sched/policy/values/verdict_json.hpp"

namespace rollcall::sched::forward {
namespace {

TEST(VerdictRows, HaveTheVerdictTheNumbersAndTheirAge) {
  std::vector<RemoteQueue> queues{remote_queue("east", 30, 20, 60), remote_queue("north", 10, 20)};
  queues[0].age = std::chrono::milliseconds(2600);
  queues[0].lowest_preemptable = 20;
  queues[1].figures.reset();
  const Settings settings = settings_of({.kind = Kind::count_preemptable});
  const auto rows = rows_of(choose(job_of(4), queues, settings), job_of(4), queues, settings);
  google::protobuf::RepeatedPtrField<wire::ForwardVerdict> listed(rows.begin(), rows.end());
  EXPECT_EQ(
      verdicts_json(listed),
      R"([{"QUEUE":"HighPriority","CLUSTER":"east","CONNECTED":true,"OFFER":1,"TIER":"free",)"
      R"("WHY":"10 slots free (30 available - 20 pending)","RETURNED":0,"NUMBERS":{"TOTAL":100,"AVAILABLE":30,"RUNNING":70,)"
      R"("PENDING":20,"PREEMPTABLE":60,"FREE":10,"FREE_BY_PREEMPTION":40,"JOB_ROOM":50,"SLOT_ROOM":null,"PRIORITY":40,)"
      R"("LOWEST_PREEMPTABLE":20,"AGE_S":2}},)"
      R"({"QUEUE":"HighPriority","CLUSTER":"north","CONNECTED":true,"OFFER":2,"TIER":"unknown",)"
      R"("WHY":"no update has come yet","RETURNED":0,"NUMBERS":null}])");
}

TEST(VerdictRows, FiguresThatARecordKeepsAreThoseThatWereSeen) {
    for (const Figures figures : {Figures{{100, 30, 70, 20, 60}, 5, 0}, Figures{{1, 0, 1, 0, 0}, {}, {}}})
      EXPECT_EQ(figures_of(slots_of(figures)), figures);
}

}  // namespace
}  // namespace rollcall::sched::forward
