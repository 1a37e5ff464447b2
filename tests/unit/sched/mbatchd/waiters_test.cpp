// Waiters: a client that waits for a job or a condition is told when it has happened, and of no other.
#include "sched/mbatchd/waiters.hpp"

#include "tests/unit/sched/book/book_fixture.hpp"

namespace rollcall::mbatchd {
namespace {

using sched::JobKey;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr io::LinkId kLink = 7, kOther = 8;

class WaitersTest : public sched::book::BookTest {
 protected:
  void await(const std::string& condition, io::LinkId link = kLink, std::int64_t timeout_s = 0) {
    wire::AwaitCondition asked;
    asked.set_condition(condition);
    asked.set_timeout_s(timeout_s);
    waiters.await(link, asked, sched::book::kAnn, now);
  }
  // "7 over", "8 refused: ..."
  std::vector<std::string> told() { return std::exchange(told_, {}); }
  void run_to_the_end(JobKey key, int status) {
    hello("hostA");
    dispatch(key);
    runs(key);
    ends(key, status);
  }

  std::vector<std::string> told_;
  Waiters waiters{book->jobs(),
                  {[this](io::LinkId link, const wire::BatchReply& reply) {
                     told_.push_back(std::to_string(link) +
                                     (reply.has_refusal() ? " refused: " + reply.refusal().text()
                                      : reply.last()      ? " over"
                                                          : " " + wire::JobStatus_Name(
                                                                      reply.awaited().job().record().status())));
                   },
                   [](JobKey) { return std::vector<wire::BatchReply::Reason>(); }}};
};

// bsub -K tells the whole course of the job from this one answer.
TEST_F(WaitersTest, AwaitAnswersWithTheHostsOfAJobThatIsAlreadyOver) {
  submit(sched::book::plain_job());
  run_to_the_end({1, 0}, 0);
  wire::AwaitJob asked;
  asked.mutable_key()->set_id(1);
  std::vector<wire::BatchReply> replies;
  Waiters asked_late{book->jobs(),
                     {[&](io::LinkId, const wire::BatchReply& reply) { replies.push_back(reply); },
                      [](JobKey) { return std::vector<wire::BatchReply::Reason>(); }}};
  asked_late.await(kLink, asked, sched::book::kAnn);
  ASSERT_EQ(replies.size(), 1u);
  EXPECT_TRUE(replies[0].last());
  EXPECT_EQ(replies[0].awaited().job().record().hosts(0).name(), "hostA");
}

TEST_F(WaitersTest, AnInteractiveJobThatPendsIsAbandonedWhenItsBsubIsKilled) {
  auto job = sched::book::plain_job();
  job.set_interactive(wire::Submission::PLAIN);
  submit(job);
  wire::AwaitJob asked;
  asked.mutable_key()->set_id(1);
  std::vector<JobKey> abandoned;
  Waiters some{book->jobs(),
               {[](io::LinkId, const wire::BatchReply&) {},
                [](JobKey) { return std::vector<wire::BatchReply::Reason>(); },
                [&](const sched::Job& gone) { abandoned.push_back(gone.key()); }}};
  some.await(kLink, asked, sched::book::kAnn);
  ASSERT_TRUE(some.left(kLink, now));
  some.ended(kLink);
  some.await(kOther, asked, sched::book::kAnn);  // it has come again
  EXPECT_FALSE(some.next_deadline());
  ASSERT_TRUE(some.left(kOther, now));
  some.ended(kOther);
  some.tick(now);
  EXPECT_THAT(abandoned, IsEmpty());
  some.tick(*some.next_deadline());
  EXPECT_THAT(abandoned, ElementsAre(JobKey{1, 0}));
  submit(sched::book::plain_job());
  asked.mutable_key()->set_id(2);
  some.await(kLink, asked, sched::book::kAnn);  // bsub -K: the job goes on
  EXPECT_FALSE(some.left(kLink, now));
}

// It can be killed between its submission and its question. Where it was told of the stream it hangs up to go there.
TEST_F(WaitersTest, AnInteractiveJobIsNotAbandonedOnceItRunsOrItsBsubKnowsItsStream) {
  auto job = sched::book::plain_job();
  job.set_interactive(wire::Submission::PLAIN);
  std::vector<JobKey> abandoned;
  Waiters some{book->jobs(),
               {[](io::LinkId, const wire::BatchReply&) {},
                [](JobKey) { return std::vector<wire::BatchReply::Reason>(); },
                [&](const sched::Job& gone) { abandoned.push_back(gone.key()); }}};
  const JobKey pends{submit(job), 0}, ready{submit(job), 0}, running{submit(job), 0};
  some.submitted(kLink, pends);
  some.submitted(kOther, pends);  // it has sent the submission again
  ASSERT_TRUE(some.left(kOther, now));
  some.ended(kOther);
  some.tick(*some.next_deadline());
  EXPECT_THAT(abandoned, ElementsAre(pends));
  hello("hostA");
  dispatch(ready);
  sched::report::Ready told{{ready, 1}, {}};
  told.stream.set_port(1234);
  tells("hostA", told);
  ASSERT_NE(book->jobs().stream(ready), nullptr);
  wire::AwaitJob asked;
  asked.mutable_key()->set_id(ready.id);
  some.await(kLink, asked, sched::book::kAnn);
  EXPECT_FALSE(some.left(kLink, now)) << "its host waits for it";
  some.ended(kLink);
  EXPECT_FALSE(some.next_deadline());
  some.submitted(kLink, running);
  ASSERT_TRUE(some.left(kLink, now));
  some.ended(kLink);
  dispatch(running);
  runs(running);
  some.tick(*some.next_deadline());
  EXPECT_THAT(abandoned, ElementsAre(pends))
      << "its process runs, and its shepherd sees that the terminal is gone";
}

TEST_F(WaitersTest, AConditionThatHoldsIsAnsweredAtOnce) {
  submit(sched::book::plain_job());
  run_to_the_end({1, 0}, 0);
  await("done(1)");
  EXPECT_THAT(told(), ElementsAre("7 over"));
  await("exit(1)");
  EXPECT_THAT(told(), ElementsAre(HasSubstr("7 refused: Wait condition <exit(1)> can never be satisfied")));
}

TEST_F(WaitersTest, ConditionIsEvaluatedWhenAJobThatItNamesChanges) {
  submit(sched::book::plain_job());
  submit(sched::book::plain_job());
  submit(sched::book::plain_job());
  await("done(1) || done(2)");
  await("ended(3)", kOther);
  run_to_the_end({2, 0}, 0);
  run_to_the_end({3, 0}, 1 << 8);
  waiters.changed({{1, 0}});
  EXPECT_THAT(told(), ElementsAre("7 over"))
      << "the second job has ended, and the first one's change is a look at it";
  waiters.changed({{1, 0}, {2, 0}});
  EXPECT_THAT(told(), IsEmpty()) << "no client waits for these any more; the third is not evaluated";
  waiters.changed({{3, 0}});
  EXPECT_THAT(told(), ElementsAre("8 over"));
}

TEST_F(WaitersTest, NamesMeanTheJobsThatHaveThemNow) {
  auto named = sched::book::plain_job();
  named.set_job_name("first");
  submit(named);
  await("ended(first)");
  const auto later = submit(named);
  run_to_the_end({later, 0}, 0);
  waiters.changed({{later, 0}});
  EXPECT_THAT(told(), IsEmpty()) << "a later job of that name is another one";
  run_to_the_end({1, 0}, 0);
  waiters.changed({{1, 0}});
  EXPECT_THAT(told(), ElementsAre("7 over"));
}

TEST_F(WaitersTest, AnElementIsTheArraysToo) {
  const auto id = submit(sched::book::array_job(2));
  await("numdone(" + std::to_string(id) + ", *)");
  run_to_the_end({id, 1}, 0);
  waiters.changed({{id, 1}});
  EXPECT_THAT(told(), IsEmpty());
  run_to_the_end({id, 2}, 0);
  waiters.changed({{id, 2}});
  EXPECT_THAT(told(), ElementsAre("7 over"));
}

TEST_F(WaitersTest, TimeEndsTheWaiting) {
  submit(sched::book::plain_job());
  EXPECT_FALSE(waiters.next_deadline());
  await("done(1)", kLink, 5);
  await("done(1)", kOther);
  EXPECT_EQ(waiters.next_deadline()->us, now.us + 5'000'000);
  waiters.tick({now.us + 4'999'999});
  EXPECT_THAT(told(), IsEmpty());
  waiters.tick({now.us + 5'000'000});
  EXPECT_THAT(told(), ElementsAre("7 refused: Wait condition <done(1)>: timeout"));
  EXPECT_FALSE(waiters.next_deadline());
  run_to_the_end({1, 0}, 0);
  waiters.changed({{1, 0}});
  EXPECT_THAT(told(), ElementsAre("8 over"));
}

TEST_F(WaitersTest, ClientThatHasGoneIsToldNothing) {
  submit(sched::book::plain_job());
  await("done(1)");
  waiters.ended(kLink);
  run_to_the_end({1, 0}, 0);
  waiters.changed({{1, 0}});
  EXPECT_THAT(told(), IsEmpty());
}

TEST_F(WaitersTest, InvalidRequestIsRefused) {
  await("done(5)");
  EXPECT_THAT(told(), ElementsAre("7 refused: Job <5> is not found"));
  await("done(");
  EXPECT_THAT(told(), ElementsAre(HasSubstr("7 refused: ")));
}

TEST_F(WaitersTest, AJobThatIsAwaitedIsToldOfUntilItIsOver) {
  submit(sched::book::plain_job());
  submit(sched::book::plain_job());
  wire::AwaitJob asked;
  asked.mutable_key()->set_id(1);
  waiters.await(kLink, asked, sched::book::kAnn);
  EXPECT_THAT(told(), ElementsAre("7 STATUS_PEND"));
  waiters.changed({{2, 0}});
  waiters.changed({{1, 0}});
  EXPECT_THAT(told(), IsEmpty()) << "another job changed, not this one";
  run_to_the_end({1, 0}, 0);
  waiters.changed({{1, 0}});
  EXPECT_THAT(told(), ElementsAre("7 over"));
  waiters.await(kOther, asked, sched::book::kBob);
  EXPECT_THAT(told(), ElementsAre(HasSubstr("8 refused: Job <1>: User permission denied")));
}

}  // namespace
}  // namespace rollcall::mbatchd
