// QueueTable: says of its queues what they say, with more names than one word has bits, and after a forward.
#include "sched/policy/forward/queue_table.hpp"

#include <gtest/gtest.h>

#include "choice_driver.hpp"
#include "sched/policy/forward/verdict_text.hpp"

namespace rollcall::sched::forward {
namespace {

// Queue `i` of `count` has the types t<i> and t<i+1>, and Booleans of the same names.
std::vector<RemoteQueue> chain(int count) {
  std::vector<RemoteQueue> queues;
  for (int i = 0; i < count; ++i) {
    queues.push_back(remote_queue("c" + std::to_string(i), 8, 0));
    queues.back().types = {"t" + std::to_string(i), "t" + std::to_string(i + 1)};
    queues.back().booleans = queues.back().types;
  }
  return queues;
}

TEST(QueueTable, FindsNamesBeyondOneWordOfBits) {
  const QueueTable table = chain(200);
  for (int i = 1; i < 200; ++i) {
    ForwardJob job = job_of(1);
    job.types = {"t" + std::to_string(i)};
    EXPECT_EQ(offers(job, chain(200), settings_of({Kind::resource_only})),
              "c" + std::to_string(i - 1) + " c" + std::to_string(i));
    const QueueTable::Asked asked(table, job);
    EXPECT_TRUE(asked.met_by(static_cast<std::size_t>(i)));
    EXPECT_FALSE(asked.met_by(static_cast<std::size_t>(i < 100 ? i + 1 : i - 2)));
  }
}

TEST(QueueTable, KeepsTypesAndBooleansApart) {
  RemoteQueue queue = remote_queue("east", 8, 0);
  queue.types = {"gpu"};
  ForwardJob job = job_of(1);
  job.booleans = {"gpu"};
  const auto verdict = choose(job, std::vector{queue}, settings_of({Kind::resource_only})).verdicts[0];
  EXPECT_EQ(verdict.why, LeftOut::lacks_boolean);
}

TEST(QueueTable, TellsTheFirstNameThatLacksTypesFirst) {
  RemoteQueue queue = remote_queue("east", 8, 0);
  queue.types = {"X86"};
  queue.booleans = {"gpu"};
  ForwardJob job = job_of(1);
  job.types = {"X86"};
  job.booleans = {"gpu", "bigmem", "quiet"};
  const auto one = choose(job, std::vector{queue}, settings_of({Kind::resource_only})).verdicts[0];
  EXPECT_EQ(one.why, LeftOut::lacks_boolean);
  EXPECT_EQ(one.lacking, 1U);
  job.types.emplace_back("ARM");
  const auto two = choose(job, std::vector{queue}, settings_of({Kind::resource_only})).verdicts[0];
  EXPECT_EQ(two.why, LeftOut::lacks_type);
  EXPECT_EQ(two.lacking, 1U);
}

TEST(QueueTable, TakesTheFiguresAfterAForward) {
  QueueTable table = std::vector{remote_queue("east", 8, 0), remote_queue("west", 6, 0)};
  const auto first = [&] {
    return choose(job_of(4), table, settings_of({Kind::resource_only})).offers.at(0);
  };
  EXPECT_EQ(first(), 0U);
  table.update({"HighPriority", "east"}, Figures{{100, 8, 92, 4, 0}, 50, {}});
  EXPECT_EQ(first(), 1U);
  EXPECT_EQ(table.queues()[0].figures->slots.pending, 4);
  table.update({"HighPriority", "nobody"}, std::nullopt);
  EXPECT_EQ(first(), 1U);
}

TEST(QueueTable, HasTheReturnsOfOneJob) {
  QueueTable table = std::vector{remote_queue("east", 8, 0), remote_queue("west", 8, 0)};
  const auto figures = table.queues()[0].figures;
  const auto choice = [&] { return choose(job_of(4), table, settings_of({Kind::resource_only})); };
  table.set_returns({"HighPriority", "east"}, {kMostReturns, figures, Duration{0}});
  table.set_returns({"HighPriority", "nobody"}, {kMostReturns, figures, Duration{0}});
  EXPECT_EQ(choice().verdicts[0].why, LeftOut::returned);
  EXPECT_EQ(choice().offers, std::vector<std::size_t>{1});
  table.clear_job();
  EXPECT_EQ(choice().offers, (std::vector<std::size_t>{0, 1})) << "the next job did not come back";
  EXPECT_EQ(table.queues()[0].returns.times, 0);
}

// The offers are cut to three after the queues that refuse the user are left out.
TEST(QueueTable, OffersTheFourthQueueWhereThreeRefuseTheUser) {
  std::vector<RemoteQueue> queues;
  for (const char* cluster : {"a", "b", "c", "d"}) queues.push_back(remote_queue(cluster, 8, 0));
  QueueTable table = queues;
  const auto choice = [&] { return choose(job_of(4), table, settings_of({Kind::resource_only})); };
  for (const char* cluster : {"a", "b", "c", "nobody"})
    table.set_refused({"HighPriority", cluster}, "it knows no ann");
  EXPECT_EQ(choice().offers, std::vector<std::size_t>{3});
  EXPECT_EQ(choice().verdicts[0].why, LeftOut::refused);
  EXPECT_EQ(words_of(choice().verdicts[0], job_of(4), table.queues()[0], {}), "it knows no ann");
  EXPECT_FALSE(none_takes_the_user(choice()));
  table.set_refused({"HighPriority", "d"}, "it knows no ann");
  EXPECT_TRUE(none_takes_the_user(choice()));
  EXPECT_FALSE(none_takes_the_user(choose(job_of(999), std::vector{remote_queue("a", 8, 0)}, {})));
  table.clear_job();
  EXPECT_EQ(choice().offers, (std::vector<std::size_t>{0, 1, 2})) << "the next job is another user's";
}

}  // namespace
}  // namespace rollcall::sched::forward
