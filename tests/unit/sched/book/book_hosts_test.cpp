// The Book and the hosts: how they come to agree, and what a job's host is told.
#include "sched/policy/values/gpus.hpp"
#include "tests/unit/sched/book/book_fixture.hpp"

namespace rollcall::sched::book {
namespace {

using State = report::Held::State;

class BookHosts : public BookTest {
 protected:
  static report::Held held(JobKey key, std::uint64_t attempt, State state, bool first = true) {
    return {{key, attempt}, state, first};
  }
  // The Book of a mbatchd that was started again: from what was saved.
  void restart() {
    auto next = std::make_unique<Book>();
    next->configure(book->jobs().config(), now);
    next->set_term(book->term() + 1);
    next->rows().load_counters(book->rows().next_job_id(), book->rows().next_submission());
    for (const auto& [number, kept] : book->jobs().submissions())
      next->rows().load_submission(number, kept.asked);
    for (const auto& [number, kept] : book->jobs().submissions())
      for (std::int32_t id = 1; id < book->rows().next_job_id(); ++id)
        for (const JobKey key : book->jobs().elements(id))
          if (job(key).record.submission() == number) next->rows().load_job(job(key).record);
    book = std::move(next);
    effects = book->rows().loaded(now);
  }
};

TEST_F(BookHosts, AStartThatWasLostIsOrderedAgain) {
  submit(plain_job());
  dispatch({1, 0});
  EXPECT_THAT(orders(effects), ElementsAre("OrderStart 1 on hostA"));
  hello("hostA");
  EXPECT_THAT(orders(effects), ElementsAre("OrderStart 1 on hostA"));
  hello("hostA", {held({1, 0}, 1, State::starting)});
  EXPECT_THAT(orders(effects), IsEmpty());
}

TEST_F(BookHosts, ARunningJobIsAdoptedAfterARestart) {
  submit(plain_job());
  dispatch({1, 0});
  runs({1, 0});
  ask({1, 0}, Act::STOP);
  restart();
  hello("hostA", {held({1, 0}, 1, State::running)});
  EXPECT_THAT(orders(effects), ElementsAre("OrderSignal SUSPEND number 1 to 1 attempt 1 on hostA"));
  EXPECT_EQ(status({1, 0}), wire::STATUS_USUSP);
  ends({1, 0}, 0);
  EXPECT_EQ(status({1, 0}), wire::STATUS_DONE);
}

TEST_F(BookHosts, TheTimeThatAJobWasPreemptedCountsOnOverARestart) {
  submit(plain_job());
  dispatch({1, 0});
  runs({1, 0});
  book->hosts().suspend({1, 0}, {wire::SUSPEND_PREEMPT, "preempted", {9, 0}}, now);
  now.us += 40'000'000;
  restart();
  hello("hostA", {held({1, 0}, 1, State::running)});
  now.us += 20'000'000;
  book->hosts().resume({1, 0}, {wire::SUSPEND_PREEMPT}, now);
  EXPECT_EQ(job({1, 0}).record.preempted_for_us(), 60'000'000);
  restart();
  EXPECT_EQ(job({1, 0}).record.preempted_for_us(), 60'000'000);
}

TEST_F(BookHosts, APreemptedJobIsNotPreemptedAgain) {
  submit(plain_job());
  dispatch({1, 0});
  runs({1, 0});
  book->hosts().suspend({1, 0}, {wire::SUSPEND_PREEMPT, "preempted", {9, 0}}, now);
  book->hosts().suspend({1, 0}, {wire::SUSPEND_PREEMPT | wire::SUSPEND_LOAD, "busy", {8, 0}}, now);
  EXPECT_EQ(job({1, 0}).record.preempted_by().id(), 9);
  EXPECT_EQ(job({1, 0}).record.preemptions(), 1);
  EXPECT_FALSE(job({1, 0}).record.slots_lent());
  EXPECT_EQ(book->broken_invariant(), "");
}

// The clock of the mbatchd that tried the job was one hour ahead.
TEST_F(BookHosts, AHostIsNotAvoidedForLongerBecauseTheClockIsPutBackBetweenTwoRuns) {
  submit(plain_job());
  dispatch({1, 0});
  report::Over failed;
  failed.attempt = {{1, 0}, 1};
  failed.how = How::not_started;
  tells("hostA", failed);
  ASSERT_EQ(job({1, 0}).record.avoided_size(), 1);
  const auto seconds = job({1, 0}).record.avoided(0).until_us() / 1'000'000 - now.seconds();
  now = wall_seconds(now.seconds() - 3600);
  restart();
  ASSERT_TRUE(book->next_deadline());
  EXPECT_EQ(book->next_deadline()->seconds(), now.seconds() + seconds);
}

TEST_F(BookHosts, AttemptsThatTheBookDoesNotKnowAreEnded) {
  submit(plain_job());
  dispatch({1, 0});
  runs({1, 0});
  ends({1, 0}, 77 << 8);
  dispatch({1, 0}, {"hostB"});
  hello("hostA", {held({1, 0}, 1, State::running), held({50, 0}, 3, State::over),
                  held({51, 0}, 1, State::expected, false)});
  EXPECT_THAT(orders(effects),
              ElementsAre(HasSubstr("SEND 9 number 4611686018427387904 to 1 attempt 1 on hostA"),
                          "OrderRelease 51 attempt 1 on hostA"));
  EXPECT_EQ(status({1, 0}), wire::STATUS_RUN);
  // Reports of such attempts are acknowledged and change nothing.
  auto end = end_of({1, 0}, 0);
  end.attempt.number = 1;
  tells("hostA", end);
  EXPECT_THAT(lines(effects), ElementsAre("OrderAcknowledge 1 attempt 1 to hostA"));
  EXPECT_EQ(status({1, 0}), wire::STATUS_RUN);
}

TEST_F(BookHosts, ReportsOfAnotherHostDoNotCountAsTheFirstHosts) {
  submit(plain_job());
  dispatch({1, 0}, {"hostA", "hostB"});
  runs({1, 0});
  tells("hostB", end_of({1, 0}, 0, How::never_seen));
  EXPECT_THAT(lines(effects), IsEmpty());
  tells("hostB", end_of({1, 0}, 0, How::not_started));
  EXPECT_THAT(lines(effects), ElementsAre("OrderAcknowledge 1 attempt 1 to hostB"));
  tells("hostC", end_of({1, 0}, 0));
  EXPECT_EQ(status({1, 0}), wire::STATUS_RUN);
  ask({1, 0}, Act::SEND, kAnn, 12);
  hello("hostB");
  EXPECT_THAT(orders(effects),
              ElementsAre("OrderExpect 1 on hostB", "OrderSignal SEND 12 number 1 to 1 attempt 1 on hostB"));
  hello("hostB", {held({1, 0}, 1, State::expected, false)});
  EXPECT_THAT(orders(effects), ElementsAre(HasSubstr("SEND 12")));
}

TEST_F(BookHosts, ASilentHostsJobsAreUnknownAfterThePatience) {
  submit(plain_job());
  hello("hostA");
  dispatch({1, 0});
  runs({1, 0});
  effects = book->hosts().host_gone("hostA", now);
  EXPECT_EQ(book->next_deadline()->seconds(), 1'000'090);
  hello("hostA", {held({1, 0}, 1, State::running)});
  EXPECT_EQ(book->next_deadline(), std::nullopt);
  book->hosts().host_gone("hostA", now);
  now = *book->next_deadline();
  effects = book->tick(now);
  EXPECT_EQ(status({1, 0}), wire::STATUS_UNKWN);
  EXPECT_THAT(ask({1, 0}, Act::KILL), ElementsAre("Job <1> is being terminated"));
  EXPECT_EQ(status({1, 0}), wire::STATUS_ZOMBI);
  hello("hostA", {held({1, 0}, 1, State::running)});
  EXPECT_EQ(status({1, 0}), wire::STATUS_RUN);
  EXPECT_THAT(orders(effects), ElementsAre(HasSubstr("TERMINATE number 1")));
  ends({1, 0}, 143 << 8);
  EXPECT_EQ(job({1, 0}).record.term_reason(), TERM_OWNER);
}

TEST_F(BookHosts, AJobIsLostWithItsFirstHostOnly) {
  submit(plain_job());
  hello("hostA");
  hello("hostB");
  dispatch({1, 0}, {"hostA", "hostB"});
  runs({1, 0});
  book->hosts().host_gone("hostB", now);
  now = *book->next_deadline();
  book->tick(now);
  EXPECT_EQ(status({1, 0}), wire::STATUS_RUN);
  book->configure(book->jobs().config(), now);
  EXPECT_EQ(book->next_deadline(), std::nullopt) << "a host is lost once";
}

// It was stopped when the host left; bresume came meanwhile and is told again.
TEST_F(BookHosts, StopThatWasTakenBackIsResumedOnTheHost) {
  submit(plain_job());
  dispatch({1, 0});
  runs({1, 0});
  ask({1, 0}, Act::STOP);
  book->hosts().host_gone("hostA", now);
  ask({1, 0}, Act::RESUME);
  hello("hostA", {held({1, 0}, 1, State::stopped)});
  EXPECT_EQ(status({1, 0}), wire::STATUS_RUN);
  EXPECT_THAT(orders(effects), ElementsAre(HasSubstr("RESUME")));
}

TEST_F(BookHosts, AfterARestartEveryHostHasThePatienceAnew) {
  submit(plain_job());
  hello("hostA");
  dispatch({1, 0});
  runs({1, 0});
  now = wall_seconds(2'000'000);
  restart();
  EXPECT_EQ(book->next_deadline()->seconds(), 2'000'090);
  book->tick(*book->next_deadline());
  EXPECT_EQ(status({1, 0}), wire::STATUS_UNKWN);
  now = wall_seconds(2'000'100);
  hello("hostA");
  EXPECT_EQ(status({1, 0}), wire::STATUS_EXIT) << "the host has no trace of it";
  EXPECT_TRUE(job({1, 0}).record.lost());
}

TEST_F(BookHosts, RemovedWhileTheHostWasAway) {
  submit(plain_job());
  dispatch({1, 0});
  runs({1, 0});
  now = *book->next_deadline();
  book->tick(now);
  ask({1, 0}, Act::REMOVE);
  EXPECT_EQ(job({1, 0}).record.term_reason(), TERM_FORCE_OWNER);
  hello("hostA", {held({1, 0}, 1, State::running)});
  EXPECT_THAT(orders(effects), ElementsAre(HasSubstr("SEND 9 ")));
}

TEST_F(BookHosts, UsageOfSeveralHostsIsAdded) {
  submit(plain_job());
  dispatch({1, 0}, {"hostB", "hostA"});
  runs({1, 0});
  int pid = 5;
  for (const char* host : {"hostA", "hostB", "hostB"}) {
    report::Used told{attempt({1, 0}), {}};
    told.usage.set_memory_kb(100);
    told.usage.add_pids(pid++);
    told.usage.add_pid_pgids(pid);
    tells(host, told);
  }
  EXPECT_EQ(job({1, 0}).record.usage().memory_kb(), 200);
  EXPECT_THAT(job({1, 0}).record.usage().pids(), ElementsAre(7, 5)) << "those of the first host first";
  EXPECT_THAT(job({1, 0}).record.usage().pid_pgids(), ElementsAre(8, 6));
  EXPECT_EQ(job({1, 0}).record.usage().hosts(1).host(), "hostA");
  EXPECT_EQ(job({1, 0}).record.usage().hosts(1).pids(), 1U);
}

TEST_F(BookHosts, WaitingClientIsToldWhereItsInteractiveJobRuns) {
  auto asked = plain_job();
  asked.add_queues("talk");
  asked.set_interactive(wire::Submission::TERMINAL);
  submit(asked);
  dispatch({1, 0});
  EXPECT_EQ(book->jobs().stream({1, 0}), nullptr);
  report::Ready ready{attempt({1, 0}), {}};
  ready.stream.set_port(5);
  tells("hostA", ready);
  EXPECT_EQ(text(effects.at(0)), "TellWaiters 1");
  EXPECT_EQ(book->jobs().stream({1, 0})->port(), 5U);
  ends({1, 0}, 0);
  EXPECT_EQ(book->jobs().stream({1, 0}), nullptr);
}

TEST_F(BookHosts, FirstHostIsToldAllOfTheJob) {
  auto asked = array_job(6);
  asked.mutable_indices(0)->set_step(2);
  asked.set_resreq("rusage[mem=20]");
  asked.add_environment("LSB_JOB_REPORT_MAIL=N");
  submit(asked);
  event::Dispatched plan = on_hosts({"hostA", "hostB"});
  plan.placement.hosts[0].slots = 2;
  wire::JobRecord devices;  // as an older store has it
  devices.set_gpus("hostA 0,1;hostB 3");
  plan.placement.devices = placement_of(devices).devices;
  book->hosts().dispatch({1, 3}, plan, now);
  const auto start = book->hosts().start_order({{1, 3}, "hostA", 1}).value();
  EXPECT_EQ(start.queue, "normal");
  EXPECT_EQ(start.limits.run_s(), 600);
  EXPECT_EQ(start.limits.memory_kb(), 5000);
  EXPECT_EQ(start.requested_memory_kb, 20U * 1024);
  EXPECT_EQ(start.gpus, "0,1");
  EXPECT_EQ(start.cluster, "lab");
  const auto& words = start.environment;
  for (const char* word :
       {"LSB_JOBID=1", "LSB_BATCH_JID=1[3]", "LSB_JOBINDEX=3", "LSB_JOBINDEX_STEP=2", "LSB_JOBINDEX_END=6",
        "LSB_JOBNAME=arr[3]", "LSB_QUEUE=normal", "LSB_SUB_HOST=hostA", "LS_SUBCWD=/home",
        "LSB_HOSTS=hostA hostA hostB", "LSB_MCPU_HOSTS=hostA 2 hostB 1 ", "LSB_DJOB_NUMPROC=3",
        "LSB_MAX_NUM_PROCESSORS=1", "LSB_EXEC_CLUSTER=lab", "LSFUSER=ann"})
    EXPECT_THAT(words, Contains(word));
  EXPECT_THAT(words, Not(Contains(HasSubstr("EGO_"))));
  const auto expect = book->hosts().expect_order({{1, 3}, "hostB", 1}).value();
  EXPECT_EQ(expect.gpus, "3");
  EXPECT_EQ(expect.uid, 1001U);
  // Orders that leave too late: the attempt is another one by then.
  EXPECT_FALSE(book->hosts().start_order({{1, 3}, "hostB", 1}));
  EXPECT_FALSE(book->hosts().start_order({{1, 3}, "hostA", 2}));
  EXPECT_FALSE(book->hosts().expect_order({{1, 3}, "hostB", 2}));
  EXPECT_FALSE(book->hosts().start_order({{1, 4}, "hostA", 1}));
}

TEST_F(BookHosts, HostIsToldTheProgramsOfTheQueue) {
  auto asked = plain_job();
  asked.add_queues("talk");
  asked.set_interactive(wire::Submission::PLAIN);
  submit(asked);
  dispatch({1, 0});
  const auto start = book->hosts().start_order({{1, 0}, "hostA", 1}).value();
  EXPECT_EQ(start.job_starter, "nice");
  EXPECT_EQ(start.queue_pre_exec, "/bin/true");
}

TEST_F(BookHosts, JobsKnowHowLongTheirLinksWait) {
  const auto words_with = [this](const std::string& params) {
    start(params);
    submit(plain_job());
    dispatch({1, 0});
    return book->hosts().start_order({{1, 0}, "hostA", 1}).value();
  };
  const auto standard = words_with("SBD_SLEEP_TIME = 7\n");
  for (const char* word : {"LSB_DJOB_HB_INTERVAL=7", "LSB_DJOB_RU_INTERVAL=7", "LSF_RES_ALIVE_TIMEOUT=60"})
    EXPECT_THAT(standard.environment, Contains(word));
  EXPECT_THAT(standard.environment, Not(Contains(HasSubstr("COMMFAIL"))));
  EXPECT_EQ(standard.usage_interval, Duration{0}) << "its host knows SBD_SLEEP_TIME";
  const auto chosen =
      words_with("DJOB_HB_INTERVAL = 40\nDJOB_RU_INTERVAL = 20\nDJOB_COMMFAIL_ACTION = \"KILL_TASKS\"\n");
  for (const char* word : {"LSB_DJOB_HB_INTERVAL=41", "LSB_DJOB_RU_INTERVAL=21", "LSF_RES_ALIVE_TIMEOUT=120",
                           "LSB_DJOB_COMMFAIL_ACTION=KILL_TASKS"})
    EXPECT_THAT(chosen.environment, Contains(word));
  EXPECT_EQ(chosen.usage_interval, std::chrono::milliseconds(20'010)) << "20 s, and 10 ms for its host";
}

TEST_F(BookHosts, BrunIsForAdministratorsAndReachableHosts) {
  auto wide = plain_job();
  wide.set_min_slots(3);
  wide.set_max_slots(3);
  submit(wide);
  wire::SignalJobs force;
  set_key(*force.mutable_filter()->add_keys(), {1, 0});
  force.set_action(Act::FORCE);
  force.add_hosts("big");
  EXPECT_THAT(signal(force), ElementsAre("! Job <1>: User permission denied"));
  EXPECT_THAT(signal(force, kRoot), ElementsAre("! Job <1>: No host that is named can be reached"));
  hello("hostB");
  hello("hostC");
  EXPECT_THAT(signal(force, kRoot), ElementsAre("Job <1> is being forced to run"));
  EXPECT_EQ(job({1, 0}).record.hosts(0).slots(), 2U);
  EXPECT_EQ(job({1, 0}).record.hosts(1).slots(), 1U);
}

TEST_F(BookHosts, PostExecutionOfAJobIsReportedByItsFirstHostAlone) {
  submit(plain_job());
  dispatch({1, 0}, {"hostA", "hostB"});
  runs({1, 0});
  auto end = end_of({1, 0}, 0);
  end.post_follows = true;
  tells("hostA", end);
  ASSERT_EQ(job({1, 0}).record.post_status(), wire::POST_RUNNING);
  const report::PostOver failed{attempt({1, 0}), true};
  for (const char* const other : {"hostB", "hostC"}) {
    tells(other, failed);
    EXPECT_EQ(job({1, 0}).record.post_status(), wire::POST_RUNNING) << other;
    EXPECT_THAT(orders(effects), ElementsAre(HasSubstr(other))) << "it is acknowledged, and not sent again";
  }
  tells("hostA", failed);
  EXPECT_EQ(job({1, 0}).record.post_status(), wire::POST_ERR);
}

}  // namespace
}  // namespace rollcall::sched::book
