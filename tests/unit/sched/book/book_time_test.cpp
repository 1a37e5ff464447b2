// The Book: what waits for other jobs or for its time, and how jobs are counted.
#include "sched/policy/book/book.hpp"
#include "tests/unit/sched/book/book_fixture.hpp"

namespace rollcall::sched::book {
namespace {

// ---------------------------------------------------------------- dependencies

TEST_F(BookTest, DependenciesAreLookedAtWhenWhatTheyNameChanges) {
  submit(plain_job());
  auto after = plain_job();
  after.set_dependency("done(1)");
  submit(after);
  EXPECT_EQ(book->jobs().dependency_state(job({2, 0})), jobs::DependencyState::not_yet);
  dispatch({1, 0});
  runs({1, 0});
  ends({1, 0}, 0);
  EXPECT_TRUE(schedules(effects));
  EXPECT_EQ(book->jobs().dependency_state(job({2, 0})), jobs::DependencyState::satisfied);
}

TEST_F(BookTest, NamesMeanTheNewestOfTheirUser) {
  auto named = plain_job();
  named.set_job_name("sim");
  submit(named);
  submit(named);
  submit(named, kBob);
  auto after = plain_job();
  after.set_dependency("ended(\"sim\")");
  submit(after);
  EXPECT_EQ(job({4, 0}).asked->bound_dependency(), "ended(2)");
  after.set_dependency("ended(\"si*\")");
  submit(after);
  EXPECT_EQ(job({5, 0}).asked->bound_dependency(), "ended(2) && ended(1)");
  submit(named);
  ask({2, 0}, Act::KILL);
  EXPECT_EQ(book->jobs().dependency_state(job({4, 0})), jobs::DependencyState::satisfied);
}

TEST_F(BookTest, ElementsWaitForElements) {
  submit(array_job(3));
  auto after = array_job(3);
  after.set_dependency("done(1[*])");
  submit(after);
  dispatch({1, 2});
  runs({1, 2});
  ends({1, 2}, 0);
  EXPECT_EQ(book->jobs().dependency_state(job({2, 1})), jobs::DependencyState::not_yet);
  EXPECT_EQ(book->jobs().dependency_state(job({2, 2})), jobs::DependencyState::satisfied);
  ask({1, 3}, Act::KILL);
  EXPECT_EQ(book->jobs().dependency_state(job({2, 3})), jobs::DependencyState::never);
}

TEST_F(BookTest, JobsThatOthersWaitForStayInMemory) {
  submit(plain_job());
  submit(plain_job());
  auto after = plain_job();
  after.set_dependency("ended(1) && ended(2)");
  submit(after);
  ask({1, 0}, Act::KILL);
  now = wall_seconds(1'010'000);
  effects = book->tick(now);
  EXPECT_NE(book->jobs().find({1, 0}), nullptr);
  ask({2, 0}, Act::KILL);
  dispatch({3, 0});
  effects = book->tick(now);
  EXPECT_EQ(book->jobs().find({1, 0}), nullptr);
  EXPECT_NE(book->jobs().find({2, 0}), nullptr);
  ends({3, 0}, 77 << 8);
  EXPECT_EQ(book->jobs().dependency_state(job({3, 0})), jobs::DependencyState::satisfied) << "once is enough";
}

TEST_F(BookTest, BwaitConditionsAreCheckedAndEvaluated) {
  submit(plain_job());
  EXPECT_EQ(book->jobs().state_of(*book->jobs().condition("ended(1)", kAnn)), jobs::DependencyState::not_yet);
  ask({1, 0}, Act::KILL);
  EXPECT_EQ(book->jobs().state_of(*book->jobs().condition("ended(1)", kAnn)),
            jobs::DependencyState::satisfied);
  EXPECT_EQ(book->jobs().state_of(*book->jobs().condition("done(1)", kAnn)), jobs::DependencyState::never);
  EXPECT_EQ(book->jobs().condition("done(5)", kAnn).error().text, "Job <5> is not found");
}

// ---------------------------------------------------------------- time

TEST_F(BookTest, FinishedJobsLeaveAfterCleanPeriodArraysAsAWhole) {
  submit(array_job(2));
  ask({1, 1}, Act::KILL);
  EXPECT_EQ(book->next_deadline(), std::nullopt);
  now = wall_seconds(1'001'000);
  ask({1, 2}, Act::KILL);
  ASSERT_TRUE(book->next_deadline());
  EXPECT_EQ(book->next_deadline()->seconds(), 1'004'600);
  effects = book->tick(wall_seconds(1'004'599));
  EXPECT_THAT(effects, IsEmpty());
  effects = book->tick(wall_seconds(1'004'600));
  EXPECT_THAT(lines(effects), ElementsAre("RemoveJob 1[2]", "RecordEvent clean of 1[2]", "RemoveJob 1[1]",
                                          "RecordEvent clean of 1[1]"));
  EXPECT_EQ(book->jobs().size(), 0U);
  EXPECT_EQ(book->next_deadline(), std::nullopt);
}

// ---------------------------------------------------------------- a calendar that is set

TEST_F(BookTest, AHostIsAvoidedForItsSecondsAlsoWhenTheClockIsPutBack) {
  submit(plain_job());
  dispatch({1, 0});
  report::Over failed;
  failed.attempt = {{1, 0}, 1};
  failed.how = How::not_started;
  tells("hostA", failed);
  ASSERT_EQ(job({1, 0}).record.avoided_size(), 1);
  const auto seconds = job({1, 0}).record.avoided(0).until_us() / 1'000'000 - now.seconds();
  ASSERT_GT(seconds, 0);
  const WallTime back = wall_seconds(now.seconds() - 3600);
  book->tick(back);
  ASSERT_TRUE(book->next_deadline());
  EXPECT_EQ(book->next_deadline()->seconds(), back.seconds() + seconds);
  effects = book->tick(wall_seconds(back.seconds() + seconds));
  EXPECT_TRUE(schedules(effects));
  EXPECT_EQ(job({1, 0}).record.avoided_size(), 0);
}

TEST_F(BookTest, AHostIsLostAfterItsSilenceHoweverTheClockIsSet) {
  hello("hostA");
  submit(plain_job());
  dispatch({1, 0});
  runs({1, 0});
  book->hosts().host_gone("hostA", now);
  ASSERT_TRUE(book->next_deadline());
  const auto patience = book->next_deadline()->seconds() - now.seconds();
  const WallTime back = wall_seconds(now.seconds() - 3600);
  book->tick(back);
  EXPECT_EQ(book->next_deadline()->seconds(), back.seconds() + patience);
  // The clock was put forward or mbatchd stood still: mbatchd could not hear any host meanwhile.
  const WallTime on = wall_seconds(now.seconds() + 3600);
  effects = book->tick(on);
  EXPECT_EQ(status({1, 0}), wire::STATUS_RUN);
  EXPECT_EQ(book->next_deadline()->seconds(), on.seconds() + patience);
  effects = book->tick(wall_seconds(on.seconds() + patience));
  EXPECT_EQ(status({1, 0}), wire::STATUS_UNKWN);
}

TEST_F(BookTest, JobStartsAtItsBeginTimeAndEndsAtItsTerminateTime) {
  auto asked = plain_job();
  asked.set_begin_us(wall_seconds(1'000'100).us);
  asked.set_terminate_us(wall_seconds(1'000'200).us);
  submit(asked);
  EXPECT_EQ(book->next_deadline()->seconds(), 1'000'100);
  effects = book->tick(wall_seconds(1'000'100));
  EXPECT_TRUE(schedules(effects));
  now = wall_seconds(1'000'150);
  dispatch({1, 0});
  runs({1, 0});
  effects = book->tick(wall_seconds(1'000'200));
  EXPECT_THAT(orders(effects), ElementsAre(HasSubstr("TERMINATE")));
  auto end = end_of({1, 0}, 143 << 8);
  end.term_reason = TERM_DEADLINE;
  tells("hostA", end);
  EXPECT_EQ(job({1, 0}).record.term_reason(), TERM_DEADLINE);
}

TEST_F(BookTest, AQueueMayEndWhatItWouldSuspend) {
  ConfigView files = site_files();
  auto lsb = std::make_shared<conf::LsbFiles>(*files.lsb);
  for (auto& queue : lsb->queues)
    if (queue.name == "normal") queue.jobs.terminate_when = {"WINDOW", "PREEMPT"};
  files.lsb = lsb;
  book->configure(files, now);
  submit(plain_job());
  dispatch({1, 0});
  runs({1, 0});
  effects = book->hosts().suspend({1, 0}, {wire::SUSPEND_LOAD, "busy", {}}, now);
  EXPECT_THAT(orders(effects), ElementsAre(HasSubstr("OrderSignal SUSPEND")));
  effects = book->hosts().suspend({1, 0}, {wire::SUSPEND_WINDOW, "closed", {}}, now);
  EXPECT_THAT(orders(effects), ElementsAre(HasSubstr("OrderSignal TERMINATE")));
}

TEST_F(BookTest, APreemptedJobKnowsWhoHasItsSlotsUntilItGoesOn) {
  submit(plain_job());
  dispatch({1, 0});
  runs({1, 0});
  effects = book->hosts().suspend({1, 0}, {wire::SUSPEND_PREEMPT, "preempted", {9, 2}}, now);
  EXPECT_EQ(status({1, 0}), wire::STATUS_SSUSP);
  EXPECT_THAT(orders(effects), ElementsAre(HasSubstr("OrderSignal SUSPEND")));
  EXPECT_EQ(key_of(job({1, 0}).record.preempted_by()), (JobKey{9, 2}));
  effects = book->hosts().suspend({1, 0}, {wire::SUSPEND_WINDOW, "closed", {}}, now);
  effects = book->hosts().resume({1, 0}, {wire::SUSPEND_WINDOW}, now);
  EXPECT_EQ(status({1, 0}), wire::STATUS_SSUSP) << "its slots are not free";
  EXPECT_THAT(orders(effects), IsEmpty());
  effects = book->hosts().resume({1, 0}, {wire::SUSPEND_PREEMPT}, now);
  EXPECT_EQ(status({1, 0}), wire::STATUS_RUN);
  EXPECT_THAT(orders(effects), ElementsAre(HasSubstr("OrderSignal RESUME")));
  EXPECT_FALSE(job({1, 0}).record.has_preempted_by());
  EXPECT_EQ(job({1, 0}).record.preemptions(), 1);
}

TEST_F(BookTest, TheTimesThatAJobWasPreemptedAddUpInItsRecord) {
  submit(plain_job());
  dispatch({1, 0});
  runs({1, 0});
  const auto preempted_for = [&](std::int64_t seconds) {
    book->hosts().suspend({1, 0}, {wire::SUSPEND_PREEMPT, "preempted", {9, 0}}, now);
    now.us += seconds * 1'000'000;
    book->hosts().resume({1, 0}, {wire::SUSPEND_PREEMPT}, now);
    now.us += 5'000'000;
  };
  preempted_for(40);
  preempted_for(30);
  EXPECT_EQ(job({1, 0}).record.preempted_for_us(), 70'000'000);
  EXPECT_EQ(job({1, 0}).record.preempted_since_us(), 0);
  ask({1, 0}, Act::STOP);
  now.us += 60'000'000;
  ask({1, 0}, Act::RESUME);
  EXPECT_EQ(job({1, 0}).record.preempted_for_us(), 70'000'000) << "its user's time does not count";
}

TEST_F(BookTest, AStoppedJobThatLendsItsSlotsIsNotPreempted) {
  ConfigView files = site_files();
  auto lsb = std::make_shared<conf::LsbFiles>(*files.lsb);
  for (auto& queue : lsb->queues)
    if (queue.name == "normal") queue.jobs.terminate_when = {"PREEMPT"};
  files.lsb = lsb;
  book->configure(files, now);
  submit(plain_job());
  dispatch({1, 0});
  runs({1, 0});
  ask({1, 0}, Act::STOP);
  effects = book->hosts().suspend({1, 0}, {wire::SUSPEND_PREEMPT, "lent", {9, 0}}, now);
  EXPECT_THAT(orders(effects), IsEmpty())
      << "it is suspended already, and TERMINATE_WHEN is for preempted jobs";
  EXPECT_TRUE(job({1, 0}).record.slots_lent());
  EXPECT_EQ(job({1, 0}).record.preemptions(), 0);
  ask({1, 0}, Act::RESUME);
  EXPECT_EQ(status({1, 0}), wire::STATUS_SSUSP) << "another job has its slots";
  effects = book->hosts().resume({1, 0}, {wire::SUSPEND_PREEMPT}, now);
  EXPECT_EQ(status({1, 0}), wire::STATUS_RUN);
  EXPECT_FALSE(job({1, 0}).record.slots_lent());
  EXPECT_EQ(job({1, 0}).record.preempted_for_us(), 0);
}

TEST_F(BookTest, APreemptedJobThatItsUserStopsTooGoesOnWhenBothAreOver) {
  submit(plain_job());
  dispatch({1, 0});
  runs({1, 0});
  effects = book->hosts().suspend({1, 0}, {wire::SUSPEND_PREEMPT, "preempted", {9, 0}}, now);
  ask({1, 0}, Act::STOP);
  EXPECT_EQ(status({1, 0}), wire::STATUS_USUSP);
  ask({1, 0}, Act::RESUME);
  EXPECT_EQ(status({1, 0}), wire::STATUS_SSUSP);
  effects = book->hosts().resume({1, 0}, {wire::SUSPEND_PREEMPT}, now);
  EXPECT_EQ(status({1, 0}), wire::STATUS_RUN);
}

TEST_F(BookTest, AQueueMayEndWhatWouldBePreempted) {
  ConfigView files = site_files();
  auto lsb = std::make_shared<conf::LsbFiles>(*files.lsb);
  for (auto& queue : lsb->queues)
    if (queue.name == "normal") queue.jobs.terminate_when = {"PREEMPT"};
  files.lsb = lsb;
  book->configure(files, now);
  submit(plain_job());
  dispatch({1, 0});
  runs({1, 0});
  effects = book->hosts().suspend({1, 0}, {wire::SUSPEND_PREEMPT, "preempted", {9, 0}}, now);
  EXPECT_THAT(orders(effects), ElementsAre(HasSubstr("OrderSignal TERMINATE")));
  ASSERT_EQ(job({1, 0}).record.signals_size(), 1);
  EXPECT_EQ(job({1, 0}).record.signals(0).term_reason(), TERM_PREEMPT);
}

// ---------------------------------------------------------------- counts

TEST_F(BookTest, JobsAreCountedByQueueHostAndUser) {
  auto wide = plain_job();
  wide.set_min_slots(3);
  wide.set_max_slots(3);
  submit(wide);
  submit(plain_job());
  EXPECT_EQ(book->jobs().queue_counts("normal"), (StatusCounts{4, 4, 0, 0, 0, 2}));
  dispatch({1, 0}, {"hostA", "hostB", "hostB"});
  EXPECT_EQ(book->jobs().user_counts("ann"), (StatusCounts{4, 1, 3, 0, 0, 1}));
  ask({1, 0}, Act::STOP);
  EXPECT_EQ(book->jobs().user_counts("ann"), (StatusCounts{4, 1, 0, 0, 3, 1}));
  EXPECT_EQ(book->jobs().host_counts("hostA").ususp, 1U);
  ends({1, 0}, 0);
  EXPECT_EQ(book->jobs().user_counts("ann"), (StatusCounts{1, 1, 0, 0, 0, 1}));
  EXPECT_EQ(book->jobs().host_counts("hostB"), StatusCounts{});
}

}  // namespace
}  // namespace rollcall::sched::book
