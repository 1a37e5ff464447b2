// The four examples of "Using Platform LSF MultiCluster", enhanced job forwarding. Their table is lost; the numbers are those of
// the texts. Each example has numbers of its own: the third needs two priorities of the receiving queues, the fourth needs one.
#include <gtest/gtest.h>

#include "tests/unit/sched/forward/choice_driver.hpp"

namespace rollcall::sched::forward {
namespace {

TEST(ForwardChoiceExamples, CountPreemptableTakesTheMostFreeSlots) {
  const std::vector<RemoteQueue> queues{remote_queue("cluster2", 30, 20), remote_queue("cluster3", 10, 5)};
  const auto choice = choose(job_of(1), queues, settings_of({Kind::count_preemptable}));
  EXPECT_EQ(choice.offers, (std::vector<std::size_t>{0, 1}));
  EXPECT_EQ(choice.verdicts[0].free, 10);
  EXPECT_EQ(choice.verdicts[1].free, 5);
}

TEST(ForwardChoiceExamples, PreemptableQueuePriorityTakesTheLowestPreemptableQueue) {
  std::vector<RemoteQueue> queues{remote_queue("cluster2", 0, 20, 80), remote_queue("cluster3", 0, 20, 80)};
  queues[0].lowest_preemptable = 30;
  queues[1].lowest_preemptable = 20;
  EXPECT_EQ(offers(job_of(1), queues, settings_of({Kind::count_preemptable, false, true})),
            "cluster3 cluster2");
}

TEST(ForwardChoiceExamples, HighQueuePriorityIsAboveFreeSlots) {
  std::vector<RemoteQueue> queues{remote_queue("cluster2", 30, 20), remote_queue("cluster3", 10, 5)};
  queues[0].priority = 50;
  queues[1].priority = 60;
  EXPECT_EQ(offers(job_of(1), queues, settings_of({Kind::count_preemptable, true, true})),
            "cluster3 cluster2");
}

TEST(ForwardChoiceExamples, PreemptableSlotsDecideAmongFullQueuesOfOnePriority) {
  std::vector<RemoteQueue> queues{remote_queue("cluster2", 0, 20, 80), remote_queue("cluster3", 0, 5, 70)};
  const auto settings = settings_of({Kind::count_preemptable, true, true});
  const auto choice = choose(job_of(1), queues, settings);
  EXPECT_EQ(choice.offers, (std::vector<std::size_t>{1, 0}));
  EXPECT_EQ(choice.verdicts[0].preemptable, 60);
  EXPECT_EQ(choice.verdicts[1].preemptable, 65);
  // With the priorities 30 and 20 of the second example, which the text of the fourth does not name.
  queues[0].lowest_preemptable = 30;
  queues[1].lowest_preemptable = 20;
  EXPECT_EQ(offers(job_of(1), queues, settings), "cluster3 cluster2");
}

}  // namespace
}  // namespace rollcall::sched::forward
