// A job that came back three times from a queue.
#include <gtest/gtest.h>

#include "tests/unit/sched/forward/choice_driver.hpp"

namespace rollcall::sched::forward {
namespace {

using std::chrono::minutes;

const Settings kSettings = settings_of({Kind::count_preemptable});

// A queue from which the job came back a minute ago, with the figures that it has.
RemoteQueue returned(int times) {
  RemoteQueue queue = remote_queue("east", 50, 10);
  queue.returns = {times, queue.figures, minutes(1)};
  return queue;
}
LeftOut why(const RemoteQueue& queue, const Settings& settings = kSettings) {
  const auto choice = choose(job_of(8), std::vector{queue}, settings);
  EXPECT_TRUE(choice.offers.empty());
  return choice.verdicts[0].why;
}
bool offered(const RemoteQueue& queue, const Settings& settings = kSettings) {
  return !choose(job_of(8), std::vector{queue}, settings).offers.empty();
}

TEST(ForwardReturns, ThirdReturnLeavesTheQueueOut) {
  EXPECT_TRUE(offered(returned(2)));
  EXPECT_EQ(why(returned(3)), LeftOut::returned);
  EXPECT_EQ(why(returned(4)), LeftOut::returned);
}

TEST(ForwardReturns, OtherQueuesAreOfferedTheJob) {
  EXPECT_EQ(offers(job_of(8), {returned(3), remote_queue("west", 9, 0)}, kSettings), "west");
}

TEST(ForwardReturns, MaxRschedTimeEndsTheWait) {
  RemoteQueue queue = returned(3);
  queue.returns.ago = minutes(20) - Duration{1};
  EXPECT_EQ(why(queue), LeftOut::returned);
  queue.returns.ago = minutes(20);
  EXPECT_TRUE(offered(queue));
  Settings for_ever = kSettings;
  for_ever.retry_after.reset();
  EXPECT_EQ(why(queue, for_ever), LeftOut::returned);
}

// Numbers change with every update. What counts is the answer to the eight slots.
TEST(ForwardReturns, OtherNumbersWithTheSameAnswerDoNotCount) {
  RemoteQueue queue = returned(3);
  queue.figures->slots.available = 60;
  queue.figures->slots.pending = 12;
  queue.figures->slots.running = 3;
  EXPECT_EQ(why(queue), LeftOut::returned);
}

TEST(ForwardReturns, AnotherAnswerEndsTheWait) {
  RemoteQueue more_hosts = returned(3), full = returned(3), preempts = returned(3), no_room = returned(3);
  more_hosts.figures->slots.total = 150;
  full.figures->slots.available = 3;  // it may wait there now
  preempts.figures->slots.preemptable = 18;
  no_room.figures->job_room = 0;
  for (const auto& queue : {more_hosts, full, preempts, no_room}) EXPECT_TRUE(offered(queue));
  // Preemption is no part of the answer where it is not counted.
  EXPECT_EQ(why(preempts, settings_of({Kind::resource_only})), LeftOut::returned);
}

TEST(ForwardReturns, FirstUpdateEndsTheWait) {
  RemoteQueue queue = returned(3);
  queue.returns.then.reset();
  EXPECT_TRUE(offered(queue));
  queue.figures.reset();
  EXPECT_EQ(why(queue), LeftOut::returned);
}

// A new connection has no update yet: that is no other answer.
TEST(ForwardReturns, LostFiguresDoNotEndTheWait) {
  RemoteQueue queue = returned(3);
  queue.figures.reset();
  EXPECT_EQ(why(queue), LeftOut::returned);
}

}  // namespace
}  // namespace rollcall::sched::forward
