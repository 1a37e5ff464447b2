// RemoteQueues: what other clusters told of their queues, and which of them SNDJOBS_TO means.
#include "sched/policy/forward/remote_queues.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rollcall::sched::forward {
namespace {

const conf::RemoteQueue kEast{"guests", "east"}, kWest{"guests", "west"};
TimePoint at(int seconds) { return TimePoint{std::chrono::seconds(seconds)}; }

QueueNews news(const conf::RemoteQueue& queue, std::uint64_t number, int available,
               std::uint64_t accounts_for = 0) {
  QueueNews news;
  news.name = queue;
  news.update.order = {1, number};
  news.update.accounts_for = accounts_for;
  news.update.figures.slots.total = 10;
  news.update.figures.slots.available = available;
  news.priority = 40;
  return news;
}

TEST(RemoteQueues, AreThoseOfSndjobsToEachOnce) {
  RemoteQueues queues(1);
  queues.connected("west", true);
  const auto all = queues.of({kWest, {"guests", "allclusters"}, {"other", "east"}}, {"east", "west"}, at(0));
  std::vector<std::string> names;
  for (const auto& one : all)
    names.push_back(one.name.queue + "@" + one.name.cluster + (one.connected ? " up" : ""));
  EXPECT_THAT(names, testing::ElementsAre("guests@west up", "guests@east", "other@east"));
}

TEST(RemoteQueues, AreOfNoPeerWhereLsfSharedLacksTheirCluster) {
  const auto queues = RemoteQueues(1).of({kWest, kEast}, {"east"}, at(0));
  EXPECT_FALSE(queues[0].peer);
  EXPECT_TRUE(queues[1].peer);
}

TEST(RemoteQueues, AreClosedWhereTheirClusterDoesNotName) {
  RemoteQueues queues(1);
  EXPECT_EQ(queues.of({kEast}, {}, at(0))[0].closed, "") << "it has not told";
  queues.takers("east", std::set<std::string>{"night"});
  EXPECT_NE(queues.of({kEast}, {}, at(0))[0].closed, "");
  EXPECT_EQ(queues.of({{"night", "east"}}, {}, at(0))[0].closed, "");
  EXPECT_EQ(queues.of({kWest}, {}, at(0))[0].closed, "");
  queues.takers("east", std::set<std::string>{});
  EXPECT_NE(queues.of({{"night", "east"}}, {}, at(0))[0].closed, "") << "none of them takes our jobs";
  queues.takers("east", std::nullopt);
  EXPECT_EQ(queues.of({kEast}, {}, at(0))[0].closed, "");
}

TEST(RemoteQueues, AreClosedAlsoWhereTheFiguresCannotBeTrue) {
  RemoteQueues queues(1);
  queues.connected("east", true);
  QueueNews closed = news(kEast, 1, 5, 1000);  // no forward has that number
  closed.closed = true;
  EXPECT_EQ(queues.updated(closed, at(0)), ForwardedCounts::Outcome::invalid);
  EXPECT_TRUE(queues.of({kEast}, {"east"}, at(1))[0].closed_there);
  closed.closed = false;
  queues.updated(closed, at(0));
  EXPECT_FALSE(queues.of({kEast}, {"east"}, at(1))[0].closed_there);
}

TEST(RemoteQueues, AreClosedWhileFiguresSaySo) {
  RemoteQueues queues(1);
  queues.connected("east", true);
  QueueNews closed = news(kEast, 1, 5);
  closed.closed = true;
  queues.updated(closed, at(0));
  const auto east = queues.of({kEast}, {"east"}, at(1))[0];
  EXPECT_TRUE(east.closed_there);
  EXPECT_EQ(east.closed, "it is closed in its cluster (badmin qopen there opens it)");
  queues.takers("east", std::set<std::string>{});
  EXPECT_FALSE(queues.of({kEast}, {"east"}, at(1))[0].closed_there) << "it would take none open either";
  queues.takers("east", std::nullopt);
  queues.updated(news(kEast, 2, 5), at(2));
  EXPECT_EQ(queues.of({kEast}, {"east"}, at(2))[0].closed, "");
}

TEST(RemoteQueues, AreNotClosedByAnOutdatedUpdate) {
  RemoteQueues queues(1);
  queues.connected("east", true);
  queues.updated(news(kEast, 2, 5), at(0));
  QueueNews late = news(kEast, 1, 3, 7);
  late.closed = true;
  EXPECT_EQ(queues.updated(late, at(1)), ForwardedCounts::Outcome::outdated);
  EXPECT_FALSE(queues.of({kEast}, {"east"}, at(1))[0].closed_there);
}

// Its files may say meanwhile that no figures are sent, so nothing would open the queue here.
TEST(RemoteQueues, AreNotClosedByWhatAnEarlierConnectionTold) {
  RemoteQueues queues(1);
  for (const auto& queue : {kEast, kWest}) {
    queues.connected(queue.cluster, true);
    QueueNews closed = news(queue, 1, 5);
    closed.closed = true;
    queues.updated(closed, at(0));
  }
  queues.connected("east", false);
  queues.connected("east", true);
  const auto all = queues.of({kEast, kWest}, {"east", "west"}, at(1));
  EXPECT_EQ(all[0].closed, "");
  EXPECT_TRUE(all[0].figures) << "they stay";
  EXPECT_TRUE(all[1].closed_there) << "its connection is there";
}

TEST(RemoteQueues, KeepWhatWasToldWhileTheirClusterIsAway) {
  RemoteQueues queues(1);
  EXPECT_FALSE(queues.of({kEast}, {}, at(0))[0].figures) << "nothing was told";
  ASSERT_EQ(queues.updated(news(kEast, 1, 5), at(3)), ForwardedCounts::Outcome::taken);
  const auto east = queues.of({kEast}, {}, at(10))[0];
  ASSERT_TRUE(east.figures);
  EXPECT_EQ(east.figures->slots.available, 5);
  EXPECT_EQ(east.age, std::chrono::seconds(7));
  EXPECT_EQ(east.priority, 40);
  EXPECT_FALSE(east.connected);
  EXPECT_EQ(queues.updated(news(kEast, 1, 9), at(11)), ForwardedCounts::Outcome::outdated);
  EXPECT_EQ(queues.figures(kEast)->slots.available, 5);
}

// What a job that came back left behind must not count as an answer of the queue: its own slots, told or not, are taken out.
TEST(RemoteQueues, ForgetAJobThatCameBack) {
  RemoteQueues queues(1);
  queues.came_back(kEast, 1);
  EXPECT_FALSE(queues.figures(kEast));
  QueueNews first = news(kEast, 1, 6);
  first.update.figures.job_room = 5;
  first.update.figures.slot_room = 9;
  queues.updated(first, at(0));
  const Figures before = *queues.figures(kEast);
  queues.came_back(kEast, queues.forwarded(kEast, 4));
  EXPECT_EQ(queues.figures(kEast), before) << "no update had it";
  const auto number = queues.forwarded(kEast, 4);
  QueueNews second = news(kEast, 2, 6, number);
  second.update.figures.slots.pending = 4;
  second.update.figures.job_room = 4;
  second.update.figures.slot_room = 5;
  queues.updated(second, at(1));
  EXPECT_EQ(queues.figures(kEast)->slots.pending, 4);
  queues.came_back(kEast, number);
  EXPECT_EQ(queues.figures(kEast), before) << "the update had it";
  queues.came_back(kEast, number);
  EXPECT_EQ(queues.figures(kEast), before) << "once";
  second.update.order.number = 3;
  queues.updated(second, at(2));
  EXPECT_EQ(queues.figures(kEast)->slots.pending, 4) << "the next update counts as it is";
}

TEST(RemoteQueues, CountForwardsUntilAnUpdateHasThem) {
  RemoteQueues queues(100);
  queues.updated(news(kEast, 1, 5), at(0));
  const auto number = queues.forwarded(kEast, 2);
  EXPECT_EQ(number, 100U) << "above every number of before a restart";
  EXPECT_EQ(queues.figures(kEast)->slots.pending, 2);
  EXPECT_FALSE(queues.figures(kWest)) << "of another queue";
  queues.updated(news(kEast, 2, 3, number), at(1));
  EXPECT_EQ(queues.figures(kEast)->slots.pending, 0);
  queues.gone(kEast, number);
  EXPECT_EQ(queues.updated(news(kEast, 3, 3, number + 1), at(2)), ForwardedCounts::Outcome::invalid);
}

}  // namespace
}  // namespace rollcall::sched::forward
