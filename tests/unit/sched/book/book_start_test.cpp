// How an attempt starts on hosts that know go-aheads, and what is given up when hosts are silent.
#include "tests/unit/sched/book/book_fixture.hpp"

namespace rollcall::sched::book {
namespace {

using testing::UnorderedElementsAre;
using State = report::Held::State;

class BookStart : public BookTest {
 protected:
  void comes(const std::string& host, std::vector<report::Held> held = {}) {
    tells(host, report::HostCame{std::move(held), true});
  }
  void prepared(const std::string& host, std::uint64_t number = 1) {
    tells(host, report::Prepared{{{{1, 0}, number}}});
  }
  void begun(const std::string& host, std::uint64_t number = 1) {
    tells(host, report::Begun{{{{1, 0}, number}}});
  }
  void a_start_on(const std::vector<std::string>& hosts) {
    submit(plain_job());
    for (const auto& host : hosts) comes(host);
    dispatch({1, 0}, hosts);
  }
  bool waits_for_go(const std::string& host, std::uint64_t number = 1) const {
    const auto start = book->hosts().start_order({{1, 0}, host, number});
    return start && start->wait_for_go;
  }
};

TEST_F(BookStart, FilesAHostCouldNotRemoveAreRememberedUntilTheyAreGone) {
  comes("hostA");
  tells("hostA", report::LeftBehind{2, "/spool/hostA/gone.left.*", "gone.left.7.0.1 of user 5: a file"});
  EXPECT_EQ(book->hosts().left_behind("hostA"),
            "2 directories, /spool/hostA/gone.left.*; the last: gone.left.7.0.1 of user 5: a file");
  EXPECT_EQ(book->hosts().left_behind("hostB"), "");
  tells("hostA", report::LeftBehind{1, "/spool/hostA/gone.left.*", ""});
  EXPECT_EQ(book->hosts().left_behind("hostA"), "1 directory, /spool/hostA/gone.left.*");
  tells("hostA", report::LeftBehind{0, "/spool/hostA/gone.left.*", ""});
  EXPECT_EQ(book->hosts().left_behind("hostA"), "");
  tells("hostA", report::LeftBehind{1, "/spool/hostA/gone.left.*", ""});
  comes("hostA");
  EXPECT_EQ(book->hosts().left_behind("hostA"), "") << "RES tells it again where it is still so";
}

TEST_F(BookStart, ReasonAgainstAHostIsKnownUntilTheHostIsAccepted) {
  tells("hostA", report::NotOurs{"it has had orders of term 5"});
  EXPECT_EQ(book->hosts().not_ours("hostA"), "it has had orders of term 5");
  EXPECT_EQ(book->hosts().not_ours("hostB"), "");
  EXPECT_FALSE(book->hosts().connected("hostA"));
  comes("hostA");
  EXPECT_EQ(book->hosts().not_ours("hostA"), "");
}

TEST_F(BookStart, AHostThatIsOnlyRefusedIsNotWaitedForAfterNewFiles) {
  tells("hostA", report::NotOurs{"it has had orders of term 5"});
  ASSERT_EQ(book->next_deadline(), std::nullopt);
  book->configure(site_files(), now);
  EXPECT_EQ(book->next_deadline(), std::nullopt);
}

TEST_F(BookStart, JobRunsOnlyAfterEveryHostHasTheOrder) {
  a_start_on({"hostA", "hostB"});
  EXPECT_THAT(orders(effects), ElementsAre("OrderExpect 1 on hostB", "OrderStart 1 on hostA"));
  EXPECT_TRUE(waits_for_go("hostA"));
  prepared("hostA");
  EXPECT_THAT(orders(effects), IsEmpty());
  prepared("hostB");
  EXPECT_THAT(orders(effects), ElementsAre("OrderGo 1 on hostA"));
  prepared("hostB");
  EXPECT_THAT(orders(effects), IsEmpty()) << "once";
}

TEST_F(BookStart, AHostThatKnowsNoGoAheadIsOrderedAsBefore) {
  submit(plain_job());
  hello("hostA");
  comes("hostB");
  dispatch({1, 0}, {"hostA", "hostB"});
  EXPECT_FALSE(waits_for_go("hostA"));
  EXPECT_EQ(shown_status(job({1, 0}).record), wire::STATUS_RUN);
}

TEST_F(BookStart, AnotherHostThatKnowsNoGoAheadIsNotWaitedFor) {
  submit(plain_job());
  comes("hostA");
  hello("hostB");
  dispatch({1, 0}, {"hostA", "hostB"});
  prepared("hostA");
  EXPECT_THAT(orders(effects), ElementsAre("OrderGo 1 on hostA"));
}

TEST_F(BookStart, BrunWaitsForTheGoAhead) {
  submit(plain_job());
  for (const char* host : {"hostB", "hostC"}) comes(host);
  wire::SignalJobs force;
  set_key(*force.mutable_filter()->add_keys(), {1, 0});
  force.set_action(Act::FORCE);
  force.add_hosts("hostB");
  effects = book->commands().signal_jobs(force, kRoot, now).effects;
  ASSERT_EQ(job({1, 0}).record.hosts_size(), 1);
  EXPECT_TRUE(waits_for_go("hostB"));
  prepared("hostB");
  EXPECT_THAT(orders(effects), ElementsAre("OrderGo 1 on hostB"));
}

TEST_F(BookStart, BrunOfAParallelJobNamesEachHostOnce) {
  auto asked = plain_job();
  asked.set_min_slots(4);
  submit(asked);
  for (const char* host : {"hostB", "hostC"}) comes(host);
  wire::SignalJobs force;
  set_key(*force.mutable_filter()->add_keys(), {1, 0});
  force.set_action(Act::FORCE);
  for (const char* host : {"hostB", "big"}) force.add_hosts(host);  // big has both
  effects = book->commands().signal_jobs(force, kRoot, now).effects;
  ASSERT_EQ(job({1, 0}).record.hosts_size(), 2);
  prepared("hostB");
  prepared("hostC");
  EXPECT_THAT(orders(effects), ElementsAre("OrderGo 1 on hostB"));
}

TEST_F(BookStart, RunIsShownWhenTheHostHasSaidSo) {
  a_start_on({"hostA"});
  EXPECT_EQ(shown_status(job({1, 0}).record), wire::STATUS_PEND);
  wire::JobFilter running, waiting;
  running.add_statuses(wire::STATUS_RUN);
  waiting.add_statuses(wire::STATUS_PEND);
  EXPECT_THAT(book->jobs().select(running, kAnn).jobs, IsEmpty());
  EXPECT_THAT(book->jobs().select(waiting, kAnn).jobs, ElementsAre(JobKey{1, 0}));
  now = wall_seconds(now.seconds() + 7);
  prepared("hostA");
  begun("hostA");
  EXPECT_EQ(shown_status(job({1, 0}).record), wire::STATUS_RUN);
  EXPECT_EQ(job({1, 0}).record.pend_s(), 7);
  EXPECT_THAT(book->jobs().select(running, kAnn).jobs, ElementsAre(JobKey{1, 0}));
}

TEST_F(BookStart, AHostThatCannotTakeTheOrderIsAvoidedAndItsTroubleKept) {
  a_start_on({"hostA", "hostB"});
  prepared("hostA");
  tells("hostB", report::NotPrepared{{{1, 0}, 1}, "No space left on device"});
  EXPECT_THAT(orders(effects),
              ElementsAre("OrderRelease 1 attempt 1 on hostA", "OrderRelease 1 attempt 1 on hostB"));
  EXPECT_EQ(status({1, 0}), wire::STATUS_PEND);
  EXPECT_EQ(job({1, 0}).record.start_failure(), "hostB: No space left on device");
  EXPECT_THAT(job({1, 0}).record.excluded_hosts(), ElementsAre("hostB"));
  EXPECT_EQ(book->hosts().trouble("hostB"), "No space left on device");
  dispatch({1, 0}, {"hostA"});
  prepared("hostB", 2);
  EXPECT_EQ(book->hosts().trouble("hostB"), "");
}

TEST_F(BookStart, AStartIsTakenBackFromAHostThatGoes) {
  a_start_on({"hostA"});
  effects = book->hosts().host_gone("hostA", now);
  EXPECT_EQ(status({1, 0}), wire::STATUS_PEND);
  comes("hostB");
  dispatch({1, 0}, {"hostB"});
  // The host thaws: it prepares the orders that were in its socket, and no others.
  comes("hostA", {{{{1, 0}, 1}, State::prepared, true}});
  EXPECT_THAT(orders(effects), ElementsAre("OrderRelease 1 attempt 1 on hostA"));
  prepared("hostA", 1);
  EXPECT_THAT(orders(effects), ElementsAre("OrderRelease 1 attempt 1 on hostA"));
  prepared("hostB", 2);
  EXPECT_THAT(orders(effects), ElementsAre("OrderGo 1 on hostB"));
}

TEST_F(BookStart, AGoAheadThatWasGivenIsNotTakenBack) {
  a_start_on({"hostA"});
  prepared("hostA");
  effects = book->hosts().host_gone("hostA", now);
  EXPECT_EQ(status({1, 0}), wire::STATUS_RUN);
  now = *book->next_deadline();
  book->tick(now);
  EXPECT_EQ(status({1, 0}), wire::STATUS_UNKWN);
  // The order never arrived, so it is given again.
  comes("hostA", {{{{1, 0}, 1}, State::prepared, true}});
  EXPECT_THAT(orders(effects), ElementsAre("OrderGo 1 on hostA"));
}

// A replaced host turns a start in one step into one in two, or the other way round; a restart must know which it is.
TEST_F(BookStart, WhetherAStartWaitsForAGoAheadIsSaved) {
  submit(plain_job());
  dispatch({1, 0}, {"hostA"});
  EXPECT_FALSE(job({1, 0}).record.starting());
  comes("hostA");
  EXPECT_TRUE(job({1, 0}).record.starting());
  EXPECT_THAT(lines(effects), Contains("SaveJob 1"));
  comes("hostA");
  EXPECT_THAT(lines(effects), Not(Contains("SaveJob 1"))) << "it is known";
  tells("hostA", report::HostCame{});
  EXPECT_FALSE(job({1, 0}).record.starting());
  EXPECT_THAT(lines(effects), Contains("SaveJob 1"));
}

TEST_F(BookStart, AStartThatTurnsOutToWaitForItsGoAheadIsSaved) {
  submit(plain_job());
  dispatch({1, 0}, {"hostA"});
  comes("hostA", {{{{1, 0}, 1}, State::prepared, true}});
  EXPECT_THAT(lines(effects), Contains("SaveJob 1"));
  EXPECT_TRUE(job({1, 0}).record.starting());
  EXPECT_THAT(orders(effects), Contains("OrderGo 1 on hostA"));
}

TEST_F(BookStart, AHostThatAnswersAndDoesNotPrepareLosesTheStart) {
  a_start_on({"hostA", "hostB"});
  prepared("hostA");
  now = *book->next_deadline();
  EXPECT_EQ(now.seconds(), 1'000'090);
  effects = book->tick(now);
  EXPECT_EQ(status({1, 0}), wire::STATUS_PEND);
  EXPECT_THAT(job({1, 0}).record.excluded_hosts(), ElementsAre("hostB"));
}

// Orders of a job on hosts of several clusters are kept back until it is known where each host is reached.
TEST_F(BookStart, TheHostThatAKeptBackStartAwaitsIsToBlame) {
  for (const std::string awaited : {"n2@east", "@west"}) {
    start();
    submit(plain_job());
    comes("hostA");
    comes("n2@east");
    dispatch({1, 0}, {"hostA", "n2@east"});
    book->hosts().kept_back(attempt({1, 0}), awaited);
    now = *book->next_deadline();
    effects = book->tick(now);
    EXPECT_EQ(status({1, 0}), wire::STATUS_PEND);
    EXPECT_EQ(job({1, 0}).record.excluded_hosts_size(), awaited == "@west" ? 0 : 1);
    EXPECT_EQ(job({1, 0}).record.start_failure(),
              awaited == "@west" ? "cluster west did not tell in time where the job's hosts are reached"
                                 : "where n2@east is reached was not told in time");
  }
}

TEST_F(BookStart, AStartThatIsKeptBackNoLongerIsLateForItsOwnHost) {
  comes("n2@east");
  a_start_on({"hostA", "n2@east"});
  book->hosts().kept_back(attempt({1, 0}), "n2@east");
  book->hosts().kept_back(attempt({1, 0}), "");
  prepared("n2@east");
  now = *book->next_deadline();
  effects = book->tick(now);
  EXPECT_THAT(job({1, 0}).record.excluded_hosts(), ElementsAre("hostA"));
}

TEST_F(BookStart, AKillOfAJobWithoutGoAheadNeedsNoHost) {
  a_start_on({"hostA"});
  ask({1, 0}, Act::KILL);
  EXPECT_EQ(status({1, 0}), wire::STATUS_EXIT);
  EXPECT_THAT(orders(effects), ElementsAre("OrderRelease 1 attempt 1 on hostA"));
}

TEST_F(BookStart, AGoAheadOfAJobThatHasEndedMeanwhileIsARelease) {
  a_start_on({"hostA"});
  prepared("hostA");
  ASSERT_TRUE(book->hosts().has_go({{1, 0}, "hostA", 1}));
  ask({1, 0}, Act::REMOVE);
  EXPECT_FALSE(book->hosts().has_go({{1, 0}, "hostA", 1}));
}

TEST_F(BookStart, AStopBeforeTheGoAheadHoldsTheJob) {
  a_start_on({"hostA"});
  ask({1, 0}, Act::STOP);
  EXPECT_EQ(status({1, 0}), wire::STATUS_PSUSP);
  EXPECT_THAT(orders(effects), Contains("OrderRelease 1 attempt 1 on hostA"));
}

TEST_F(BookStart, AnInteractiveJobWhoseHostCannotTakeTheOrderPendsAgain) {
  auto job_asked = plain_job();
  job_asked.set_interactive(wire::Submission::PLAIN);
  submit(job_asked);
  comes("hostA");
  dispatch({1, 0}, {"hostA"});
  tells("hostA", report::NotPrepared{{{1, 0}, 1}, "No space left on device"});
  EXPECT_EQ(status({1, 0}), wire::STATUS_PEND);
  EXPECT_EQ(job({1, 0}).record.start_failure(), "hostA: No space left on device");
}

TEST_F(BookStart, AStartWithoutGoAheadGivesWayToBmod) {
  a_start_on({"hostA"});
  wire::ModifyJobs change;
  change.mutable_filter()->add_keys()->set_id(1);
  change.add_fields(wire::Submission::kAskedHostsFieldNumber);
  change.mutable_changed()->add_asked_hosts()->set_name("hostB");
  EXPECT_THAT(answer(book->commands().modify_jobs(change, kAnn, now)),
              ElementsAre(Not(HasSubstr("started"))));
  EXPECT_EQ(status({1, 0}), wire::STATUS_PEND);
  EXPECT_THAT(orders(effects), ElementsAre("OrderRelease 1 attempt 1 on hostA"));
  EXPECT_EQ(job({1, 0}).asked->asked_hosts(0).name(), "hostB");
}

TEST_F(BookStart, AStartWithoutGoAheadGivesWayToBtopAndBrun) {
  a_start_on({"hostA", "hostB"});
  wire::MoveJob move;
  set_key(*move.mutable_key(), {1, 0});
  EXPECT_THAT(answer(book->commands().move_job(move, kAnn, now)), ElementsAre(Not(HasSubstr("started"))));
  EXPECT_EQ(status({1, 0}), wire::STATUS_PEND);
  dispatch({1, 0}, {"hostA"});
  Act run;
  set_key(*run.mutable_filter()->add_keys(), {1, 0});
  run.set_action(Act::FORCE);
  run.add_hosts("hostB");
  EXPECT_THAT(signal(run, kRoot), ElementsAre(Not(HasSubstr("started"))));
  EXPECT_THAT(orders(effects), ElementsAre("OrderRelease 1 attempt 2 on hostA", "OrderStart 1 on hostB"));
}

TEST_F(BookStart, AStartWithItsGoAheadStaysAgainstBmodAndBtop) {
  a_start_on({"hostA"});
  prepared("hostA");
  wire::MoveJob move;
  set_key(*move.mutable_key(), {1, 0});
  EXPECT_THAT(answer(book->commands().move_job(move, kAnn, now)), ElementsAre(HasSubstr("already started")));
  wire::ModifyJobs change;
  change.mutable_filter()->add_keys()->set_id(1);
  change.add_fields(wire::Submission::kAskedHostsFieldNumber);
  EXPECT_THAT(answer(book->commands().modify_jobs(change, kAnn, now)),
              ElementsAre(HasSubstr("already started")));
  EXPECT_THAT(orders(effects), IsEmpty());
}

TEST_F(BookStart, AJobWithItsGoAheadIsLostWhereTheHostComesBackWithANewDisk) {
  a_start_on({"hostA"});
  prepared("hostA");
  tells("hostA", report::HostCame{{}, true, true});
  EXPECT_EQ(status({1, 0}), wire::STATUS_EXIT);
  EXPECT_TRUE(job({1, 0}).record.lost());
  EXPECT_THAT(orders(effects), Not(Contains(HasSubstr("OrderStart"))));
  EXPECT_THAT(job({1, 0}).record.start_failure(), HasSubstr("its disk is new, or badmin hforget was used"));
}

TEST_F(BookStart, AJobWithoutGoAheadStartsOnAHostThatComesBackWithANewDisk) {
  a_start_on({"hostA"});
  tells("hostA", report::HostCame{{}, true, true});
  EXPECT_THAT(orders(effects), ElementsAre("OrderStart 1 on hostA"));
}

// ---- silence

TEST_F(BookStart, ShortConnectionsDoNotResetThePatience) {
  submit(plain_job());
  comes("hostA");
  dispatch({1, 0});
  runs({1, 0});
  now = wall_seconds(now.seconds() + 1000);
  book->hosts().host_gone("hostA", now);
  for (int flap = 0; flap < 2; ++flap) {
    now = wall_seconds(now.seconds() + 40);
    comes("hostA", {{{{1, 0}, 1}, State::running, true}});
    now = wall_seconds(now.seconds() + 5);
    book->hosts().host_gone("hostA", now);
  }
  EXPECT_EQ(book->next_deadline()->seconds(), now.seconds() + 10);
  comes("hostA", {{{{1, 0}, 1}, State::running, true}});
  now = wall_seconds(now.seconds() + 31);
  book->hosts().host_gone("hostA", now);
  EXPECT_EQ(book->next_deadline()->seconds(), now.seconds() + 90) << "a connection that lasted ends it";
}

TEST_F(BookStart, SilenceCountsFromTheLastWord) {
  submit(plain_job());
  comes("hostA");
  dispatch({1, 0});
  runs({1, 0});
  now = wall_seconds(now.seconds() + 1000);
  book->hosts().host_gone("hostA", now, std::chrono::seconds(30));
  EXPECT_EQ(book->next_deadline()->seconds(), now.seconds() + 60);
}

class BookRerun : public BookStart {
 protected:
  void rerunnable_on(const std::string& host) {
    auto asked = plain_job();
    asked.set_rerunnable(true);
    submit(asked);
    for (const char* name : {"hostA", "hostB", "hostC"}) comes(name);
    dispatch({1, 0}, {host});
    runs({1, 0});
  }
  void pass_patience() {
    now = wall_seconds(now.seconds() + 91);
    effects = book->tick(now);
  }
};

TEST_F(BookRerun, ALostHostsRerunnableJobPendsAgain) {
  rerunnable_on("hostA");
  book->hosts().host_gone("hostA", now);
  pass_patience();
  EXPECT_EQ(status({1, 0}), wire::STATUS_PEND);
  EXPECT_FALSE(book->hosts().suspects_itself());
}

TEST_F(BookRerun, JobsAreKeptWhenAllHostsAreLostAtOnce) {
  rerunnable_on("hostA");
  for (const char* name : {"hostA", "hostB", "hostC"}) book->hosts().host_gone(name, now);
  pass_patience();
  EXPECT_EQ(status({1, 0}), wire::STATUS_UNKWN);
  EXPECT_TRUE(book->hosts().suspects_itself());
  // One host returns: the others get the whole patience again, and are then lost by themselves.
  comes("hostB");
  EXPECT_FALSE(book->hosts().suspects_itself());
  EXPECT_EQ(status({1, 0}), wire::STATUS_UNKWN);
  pass_patience();
  EXPECT_EQ(status({1, 0}), wire::STATUS_PEND);
}

TEST_F(BookRerun, OwnHostDoesNotCount) {
  book->hosts().set_own_host("hostC");
  rerunnable_on("hostA");
  for (const char* name : {"hostA", "hostB"}) book->hosts().host_gone(name, now);
  pass_patience();
  EXPECT_EQ(status({1, 0}), wire::STATUS_UNKWN);
}

TEST_F(BookRerun, ALateSuccessIsTheEndWhileTheRerunPends) {
  rerunnable_on("hostA");
  const auto end = end_of({1, 0}, 0);
  book->hosts().host_gone("hostA", now);
  pass_patience();
  tells("hostA", end);
  EXPECT_EQ(status({1, 0}), wire::STATUS_DONE);
  EXPECT_EQ(job({1, 0}).record.hosts(0).name(), "hostA");
  EXPECT_THAT(orders(effects), ElementsAre("OrderAcknowledge 1 attempt 1 to hostA"));
}

TEST_F(BookRerun, ALateFailureOrALateSuccessAfterTheRerunBeganIsNot) {
  rerunnable_on("hostA");
  const auto good = end_of({1, 0}, 0), bad = end_of({1, 0}, 1 << 8);
  book->hosts().host_gone("hostA", now);
  pass_patience();
  tells("hostA", bad);
  EXPECT_EQ(status({1, 0}), wire::STATUS_PEND);
  dispatch({1, 0}, {"hostB"});
  tells("hostA", good);
  EXPECT_TRUE(placed(status({1, 0})));
  EXPECT_THAT(orders(effects), ElementsAre("OrderAcknowledge 1 attempt 1 to hostA"));
}

}  // namespace
}  // namespace rollcall::sched::book
