// Transaction: what a commit is to have, what comes out after it, and what a commit that failed leaves.
#include "sched/mbatchd/transaction.hpp"

#include "tests/unit/sched/book/book_fixture.hpp"

namespace rollcall::mbatchd {
namespace {

using sched::JobKey;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
namespace effect = sched::effect;

constexpr io::LinkId kLink = 7;
const io::StoreError kFull{io::StoreError::Kind::disk_full, "jobs.db: no space"};

class TransactionTest : public sched::book::BookTest {
 protected:
  // A request of a client: into the Book, and its effects and reply into the turn.
  std::int32_t submit_one(io::LinkId link = kLink) {
    wire::Submit request;
    *request.add_jobs() = sched::book::plain_job();
    request.set_token(std::string(16, 't') + std::to_string(++requests));
    auto applied = book->commands().submit(request, sched::book::kAnn, now);
    const std::int32_t id = applied.reply.submitted().jobs(0).id();
    turn.take(std::move(applied.effects));
    turn.reply(link, std::move(applied.reply));
    return id;
  }
  void kill(JobKey key, io::LinkId link) {
    wire::SignalJobs request;
    sched::set_key(*request.mutable_filter()->add_keys(), key);
    auto applied = book->commands().signal_jobs(request, sched::book::kAnn, now);
    turn.take(std::move(applied.effects));
    turn.reply(link, std::move(applied.reply));
  }
  Done commit() { return turn.committed(turn.batch()); }

  Transaction turn{book->rows()};
  int requests = 0;
};

TEST_F(TransactionTest, IsEmptyAtTheBegin) {
  EXPECT_TRUE(turn.empty());
  EXPECT_FALSE(turn.to_save());
  EXPECT_TRUE(turn.batch().empty());
}

TEST_F(TransactionTest, ACommitHasAllOfASubmission) {
  const auto id = submit_one();
  EXPECT_TRUE(turn.to_save());
  EXPECT_TRUE(turn.urgent());
  auto batch = turn.batch();
  ASSERT_EQ(batch.jobs.size(), 1u);
  EXPECT_EQ(batch.jobs[0].key().id(), id);
  ASSERT_EQ(batch.submissions.size(), 1u);
  EXPECT_EQ(batch.submissions[0].number, batch.jobs[0].submission());
  ASSERT_EQ(batch.events.size(), 1u);
  EXPECT_TRUE(batch.events[0].has_new_job());
  EXPECT_EQ(batch.tokens.size(), 1u) << "in the same commit as the job";
  EXPECT_EQ(batch.numbers[static_cast<std::size_t>(io::StoreNumber::next_job)], book->rows().next_job_id());
  const Done done = turn.committed(std::move(batch));
  ASSERT_EQ(done.replies.size(), 1u);
  EXPECT_EQ(done.replies[0].link, kLink);
  EXPECT_EQ(done.replies[0].reply.submitted().jobs(0).id(), id);
  EXPECT_EQ(done.events.size(), 1u);
  EXPECT_TRUE(turn.empty());
}

TEST_F(TransactionTest, SaysAtOnceWhatTheSnapshotMustHear) {
  wire::Submit request;
  *request.add_jobs() = sched::book::plain_job();
  auto applied = book->commands().submit(request, sched::book::kAnn, now);
  const JobKey key{applied.reply.submitted().jobs(0).id(), 0};
  const auto touched = turn.take(std::move(applied.effects));
  EXPECT_THAT(touched.jobs, ElementsAre(key));
  EXPECT_TRUE(touched.schedule);
}

TEST_F(TransactionTest, OrdersLeaveAfterTheCommitInTheirOrder) {
  const JobKey first{submit_one(), 0}, second{submit_one(), 0};
  commit();
  hello("hostA");
  turn.take(book->hosts().dispatch(first, sched::book::on_hosts({"hostA"}), now));
  turn.take(book->hosts().dispatch(second, sched::book::on_hosts({"hostA"}), now));
  EXPECT_TRUE(turn.urgent());
  const Done done = commit();
  ASSERT_EQ(done.orders.size(), 2u);
  EXPECT_EQ(std::get<effect::OrderStart>(done.orders[0]).key, first);
  EXPECT_EQ(std::get<effect::OrderStart>(done.orders[1]).key, second);
  EXPECT_TRUE(commit().orders.empty()) << "once";
}

TEST_F(TransactionTest, ARecordIsSavedAsItIsAtTheCommit) {
  const JobKey key{submit_one(), 0};
  commit();
  hello("hostA");
  turn.take(book->hosts().dispatch(key, sched::book::on_hosts({"hostA"}), now));
  kill(key, 8);
  const auto batch = turn.batch();
  ASSERT_EQ(batch.jobs.size(), 1u) << "one row, however often it changed";
  EXPECT_TRUE(batch.jobs[0].kill_asked());
}

TEST_F(TransactionTest, SubmissionThatCannotBeSavedLeavesNothing) {
  const auto id = submit_one();
  const auto out = turn.failed(turn.batch(), kFull);
  EXPECT_THAT(out.jobs, ElementsAre(JobKey{id, 0}));
  ASSERT_EQ(out.replies.size(), 1u);
  const auto& job = out.replies[0].reply.submitted().jobs(0);
  EXPECT_EQ(job.refusal().why(), wire::BatchReply::Refusal::DISK_FULL);
  EXPECT_EQ(job.id(), 0);
  EXPECT_EQ(book->jobs().find({id, 0}), nullptr);
  const auto batch = turn.batch();
  EXPECT_TRUE(batch.jobs.empty() && batch.submissions.empty() && batch.events.empty() &&
              batch.tokens.empty());
  // The same request again is a new one.
  EXPECT_NE(submit_one(), 0);
}

TEST_F(TransactionTest, RefusedSubmissionsUseUpNoIds) {
  const auto last = submit_one();
  commit();
  for (int attempt = 0; attempt < 3; ++attempt) {
    EXPECT_EQ(submit_one(), last + 1) << attempt;
    EXPECT_EQ(submit_one(), last + 2) << attempt;
    turn.failed(turn.batch(), kFull);
    EXPECT_EQ(turn.batch().numbers[static_cast<std::size_t>(io::StoreNumber::next_job)], last + 1);
  }
  EXPECT_EQ(submit_one(), last + 1);
}

// bmod of another job is stored later, and its condition must not mean the job of somebody else.
TEST_F(TransactionTest, AnIdThatAConditionNamesIsNotGivenAgain) {
  const auto waits = submit_one();
  commit();
  const auto refused = submit_one();
  wire::ModifyJobs request;
  request.mutable_filter()->add_keys()->set_id(waits);
  request.mutable_changed()->set_dependency("done(" + std::to_string(refused) + ")");
  request.add_fields(wire::Submission::kDependencyFieldNumber);
  auto applied = book->commands().modify_jobs(request, sched::book::kAnn, now);
  ASSERT_THAT(applied.reply.outcomes().outcomes(0).text(), HasSubstr("are being changed"));
  turn.take(std::move(applied.effects));
  turn.reply(kLink, std::move(applied.reply));
  turn.failed(turn.batch(), kFull);
  EXPECT_EQ(submit_one(), refused + 1);
}

TEST_F(TransactionTest, FailedCommitWithdrawsTheJobOfAClientThatHasGone) {
  const auto id = submit_one();
  ASSERT_NE(book->jobs().find({id, 0}), nullptr);
  turn.forget(kLink);
  const auto out = turn.failed(turn.batch(), kFull);
  ASSERT_EQ(out.replies.size(), 1u);
  EXPECT_EQ(out.replies[0].link, 0u) << "its link has gone: the reply is for no link";
  EXPECT_EQ(book->jobs().find({id, 0}), nullptr);
}

TEST_F(TransactionTest, WhatElseHasChangedWaitsAndWhoAskedIsTold) {
  const JobKey key{submit_one(), 0};
  commit();
  kill(key, 8);
  const auto out = turn.failed(turn.batch(), kFull);
  ASSERT_EQ(out.replies.size(), 1u);
  EXPECT_EQ(out.replies[0].link, 8u);
  EXPECT_TRUE(out.replies[0].reply.last());
  EXPECT_THAT(out.replies[0].reply.refusal().text(), HasSubstr("The disk of mbatchd is full"));
  EXPECT_THAT(out.jobs, IsEmpty());
  EXPECT_TRUE(turn.to_save());
  const auto batch = turn.batch();
  ASSERT_EQ(batch.jobs.size(), 1u);
  EXPECT_EQ(batch.jobs[0].status(), wire::STATUS_EXIT);
  EXPECT_FALSE(batch.events.empty()) << "events of the failed commit are in the next one";
  const Done done = turn.committed(batch);
  EXPECT_TRUE(done.replies.empty()) << "each client is told once";
  EXPECT_THAT(done.told, ElementsAre(key));
}

TEST_F(TransactionTest, WithdrawnJobGivesNoOrders) {
  const JobKey old{submit_one(), 0};
  commit();
  hello("hostA");
  const JobKey fresh{submit_one(), 0};
  turn.take(book->hosts().dispatch(old, sched::book::on_hosts({"hostA"}), now));
  turn.take(book->hosts().dispatch(fresh, sched::book::on_hosts({"hostA"}), now));
  turn.failed(turn.batch(), kFull);
  const Done done = commit();
  ASSERT_EQ(done.orders.size(), 1u);
  EXPECT_EQ(std::get<effect::OrderStart>(done.orders[0]).key, old);
}

TEST_F(TransactionTest, ABatchThatIsKeptHasItsEventsAgain) {
  submit_one();
  auto batch = turn.batch();
  EXPECT_TRUE(turn.batch().events.empty()) << "they are in the first one";
  turn.keep(std::move(batch));
  EXPECT_EQ(turn.batch().events.size(), 1u);
}

TEST_F(TransactionTest, AControlAsTheFilesSayHasNoRow) {
  wire::ControlState state;
  state.set_name("normal");
  EXPECT_EQ(row_of(state).value, "");
  state.set_closed(true);
  EXPECT_NE(row_of(state).value, "");
  EXPECT_EQ(row_of(state).kind, "queue");
}

}  // namespace
}  // namespace rollcall::mbatchd
