// Jobs that end at once and are sent back: the pauses between their starts, and what ends one.
#include "sched/policy/jobs/requeue_pause.hpp"

#include "sched/policy/answers/snapshot_keeper.hpp"
#include "tests/unit/sched/book/book_fixture.hpp"

namespace rollcall::sched::jobs {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr std::int64_t kSecond = 1'000'000;

TEST(RequeuePause, DoublesUpToTheLongest) {
  std::vector<std::int64_t> pauses;
  std::int32_t short_runs = 0;
  for (int run = 0; run < 9; ++run) {
    const RequeuePause next = requeue_pause(short_runs, 0, 60);
    short_runs = next.short_runs;
    pauses.push_back(next.pause_s);
  }
  EXPECT_THAT(pauses, ElementsAre(0, 1, 2, 4, 8, 16, 32, 60, 60));
  EXPECT_EQ(short_runs, 9);
  EXPECT_EQ(requeue_pause(2'000'000'000, 0, 1'000'000'000).pause_s, 1'000'000'000) << "no overflow";
  EXPECT_EQ(requeue_pause(-5, 0, 60).pause_s, 0) << "a value that no store has";
}

TEST(RequeuePause, IsNotAfterLongerRunsOrWhereItIsTurnedOff) {
  EXPECT_EQ(requeue_pause(7, kShortRunUs, 60).short_runs, 0);
  EXPECT_EQ(requeue_pause(7, kShortRunUs, 60).pause_s, 0);
  EXPECT_EQ(requeue_pause(7, kShortRunUs - 1, 60).pause_s, 60);
  EXPECT_EQ(requeue_pause(7, -1, 60).pause_s, 60) << "a clock that was set back";
  EXPECT_EQ(requeue_pause(7, 0, 0).pause_s, 0);
}

class RequeuedJobs : public book::BookTest {
 protected:
  RequeuedJobs() { hello("hostA"); }
  void start_with(const std::string& params) {
    start(params);
    hello("hostA");
  }
  // Of a job in queue normal, whose REQUEUE_EXIT_VALUES has 77: it runs for so long and ends with that.
  void runs_for(JobKey key, std::int64_t seconds, int code = 77) {
    dispatch(key);
    runs(key);
    now.us += seconds * kSecond;
    ends(key, code << 8);
  }
  std::int64_t pause(JobKey key) const {
    const auto until = job(key).record.paused_until_us();
    return until == 0 ? 0 : (until - now.us) / kSecond;
  }
  void pass(std::int64_t seconds) {
    now.us += seconds * kSecond;
    effects = book->tick(now);
  }
  // Sent back so often that the next start waits for 4 s.
  JobKey paused_job() {
    const JobKey key{submit(book::plain_job()), 0};
    for (int run = 0; run < 4; ++run) runs_for(key, 0);
    EXPECT_EQ(pause(key), 4);
    return key;
  }
};

TEST_F(RequeuedJobs, PauseForTheTimeThatIsToldAndOthersDoNot) {
  const JobKey key{submit(book::plain_job()), 0}, other{submit(book::plain_job()), 0};
  runs_for(key, 0);
  EXPECT_EQ(pause(key), 0) << "the first requeue is at once";
  for (const std::int64_t expected : {1, 2, 4, 8, 16, 32, 60, 60}) {
    runs_for(key, 0);
    EXPECT_EQ(pause(key), expected);
    EXPECT_EQ(book->next_deadline()->us, now.us + expected * kSecond);
    pass(expected - 1);
    EXPECT_NE(job(key).record.paused_until_us(), 0);
    pass(1);
    EXPECT_EQ(job(key).record.paused_until_us(), 0);
    EXPECT_TRUE(book::schedules(effects));
  }
  EXPECT_EQ(job(other).record.paused_until_us(), 0);
}

TEST_F(RequeuedJobs, BeginAnewAfterALongerRun) {
  const JobKey key = paused_job();
  runs_for(key, 10);
  EXPECT_EQ(pause(key), 0);
  runs_for(key, 9);
  EXPECT_EQ(pause(key), 0) << "the first short run since";
  runs_for(key, 9);
  EXPECT_EQ(pause(key), 1);
}

TEST_F(RequeuedJobs, PauseAsLongAsTheParameterSays) {
  start_with("MAX_REQUEUE_PAUSE = 0\n");
  const JobKey key{submit(book::plain_job()), 0};
  for (int run = 0; run < 20; ++run) runs_for(key, 0);
  EXPECT_EQ(job(key).record.paused_until_us(), 0);
  start_with("MAX_REQUEUE_PAUSE = 3\n");
  const JobKey again{submit(book::plain_job()), 0};
  for (int run = 0; run < 20; ++run) runs_for(again, 0);
  EXPECT_EQ(pause(again), 3);
  start_with("MBD_SLEEP_TIME = 5\n");
  const JobKey third{submit(book::plain_job()), 0};
  for (int run = 0; run < 20; ++run) runs_for(third, 0);
  EXPECT_EQ(pause(third), 5) << "the default is MBD_SLEEP_TIME";
}

TEST_F(RequeuedJobs, PauseEndsByBrun) {
  const JobKey key = paused_job();
  wire::SignalJobs force;
  set_key(*force.mutable_filter()->add_keys(), key);
  force.set_action(wire::SignalJobs::FORCE);
  force.add_hosts("hostA");
  signal(force, book::kRoot);
  EXPECT_TRUE(placed(status(key)));
  EXPECT_EQ(job(key).record.paused_until_us(), 0);
  EXPECT_EQ(job(key).record.short_runs(), 0);
}

TEST_F(RequeuedJobs, PauseEndsByBmod) {
  const JobKey key = paused_job();
  wire::ModifyJobs change;
  set_key(*change.mutable_filter()->add_keys(), key);
  change.mutable_changed()->set_description("new");
  change.add_fields(wire::Submission::kDescriptionFieldNumber);
  answer(book->commands().modify_jobs(change, book::kAnn, now));
  EXPECT_EQ(job(key).record.paused_until_us(), 0);
  EXPECT_EQ(job(key).record.short_runs(), 0);
  EXPECT_TRUE(book::schedules(effects));
  EXPECT_FALSE(book->next_deadline() && book->next_deadline()->us <= now.us + 4 * kSecond);
}

TEST_F(RequeuedJobs, PauseEndsByBrequeueAndBkill) {
  const JobKey key = paused_job();
  dispatch(key);
  runs(key);
  ask(key, wire::SignalJobs::REQUEUE);
  ends(key, 9);
  EXPECT_EQ(job(key).record.paused_until_us(), 0) << "a person asked for it";
  const JobKey other = paused_job();
  ask(other, wire::SignalJobs::KILL);
  EXPECT_EQ(job(other).record.paused_until_us(), 0);
  EXPECT_EQ(status(other), wire::STATUS_EXIT);
}

TEST_F(RequeuedJobs, PauseIsKeptOverARestart) {
  const JobKey key = paused_job();
  const Job kept = job(key);
  book::Book again;
  again.configure(book::site_files(), now);
  again.set_term(2);
  wire::JobRecord stored;
  ASSERT_TRUE(stored.ParseFromString(kept.record.SerializeAsString()));
  again.rows().load_counters(book->rows().next_job_id(), book->rows().next_submission());
  again.rows().load_submission(stored.submission(), kept.asked);
  again.rows().load_job(stored);
  now.us += kSecond;
  again.rows().loaded(now);
  EXPECT_EQ(again.jobs().find(key)->record.paused_until_us() - now.us, 3 * kSecond);
  EXPECT_EQ(again.jobs().find(key)->record.short_runs(), 4);
  EXPECT_EQ(again.next_deadline()->us, now.us + 3 * kSecond);
  EXPECT_EQ(again.broken_invariant(), "");
}

TEST_F(RequeuedJobs, PauseIsNoLongerThanTheLongestWhenTheClockWasSetBack) {
  const JobKey key = paused_job();
  pass(1);
  now.us -= 3600 * kSecond;
  pass(0);
  EXPECT_LE(book->next_deadline()->us, now.us + 60 * kSecond);
  pass(60);
  EXPECT_EQ(job(key).record.paused_until_us(), 0);
}

TEST_F(RequeuedJobs, AreToldOfInTheirHistoryAndAsAPendingReason) {
  const JobKey key = paused_job();
  std::string told;
  for (const Effect& effect : effects)
    if (const auto* recorded = std::get_if<effect::RecordEvent>(&effect))
      if (recorded->event.has_status()) told = recorded->event.status().why();
  EXPECT_EQ(told, "exit code 77 after a short run; it starts again after 4 s");
  answers::SnapshotKeeper keeper(book->jobs(), book->hosts());
  keeper.configure(cycle::placement_rules(book->jobs().config().cluster, book->jobs().config().lsb));
  cycle::PendingReasons reasons(keeper.snapshot(), now);
  ASSERT_EQ(reasons.of(key).size(), 1U);
  EXPECT_EQ(reasons.of(key)[0].text, "Job was requeued and waits for its next start");
  EXPECT_THAT(reasons.of(key)[0].why, HasSubstr("it may start in 4 s"));
  EXPECT_TRUE(cycle::schedule(keeper.snapshot(), now).dispatches.empty());
}

}  // namespace
}  // namespace rollcall::sched::jobs
