// Jobs that other clusters have placed on slots that we lend them.
#include "common/base/term_reason.hpp"
#include "tests/unit/sched/book/book_forward_fixture.hpp"

namespace rollcall::sched::book {
namespace {

// On slots of a lease: the other cluster has chosen the host.
class OnLentSlots : public Foreign {
 protected:
  ForwardedJobs::Answered start(int id, const Identity& who = kAnn) {
    wire::ForwardOffer offer;
    *offer.mutable_attempt() = attempt_of(id);
    offer.mutable_attempt()->set_lent_host("hostA");
    auto& lent = *offer.mutable_lent();
    lent.set_lease(5);
    lent.set_host("hostA");
    lent.set_slots(1);
    lent.set_queue("night");
    auto asked = plain_job();
    asked.set_rerunnable(true);
    return book->forwards().start_on_lent_slots("east", offer, asked, who, now);
  }
  wire::ForwardOver over(JobKey key) {
    const auto said = book->forwards().said_of(key, now);
    return said && said->over ? *said->over : wire::ForwardOver();
  }
};

TEST_F(OnLentSlots, BeginsAtOnceAndOnce) {
  const auto answered = start(7);
  const JobKey key = here(answered);
  EXPECT_EQ(job(key).status(), wire::STATUS_RUN);
  EXPECT_EQ(job(key).record.queue(), "night@east");
  EXPECT_EQ(job(key).record.hosts(0).name(), "hostA");
  EXPECT_EQ(answered.said.state->attempt().lent_host(), "hostA");
  EXPECT_TRUE(std::any_of(answered.effects.begin(), answered.effects.end(),
                          [](const Effect& one) { return std::holds_alternative<effect::OrderStart>(one); }));
  const auto again = start(7);
  EXPECT_EQ(here(again), key);
  EXPECT_THAT(again.effects, IsEmpty());
}

// Both clusters can stop it, and each lets go what it has stopped.
class StoppedOnLentSlots : public OnLentSlots {
 protected:
  StoppedOnLentSlots() {
    key = here(start(7));
    runs(key);
  }
  // Its own cluster's; term_reason: of its cycle.
  void east(wire::SentSignal::Action action, std::int32_t term_reason = 0) {
    auto sent = signal(7, ++number, action);
    sent.mutable_sent()->set_term_reason(term_reason);
    effects = book->forwards().signal("east", sent, now).effects;
  }
  wire::JobStatus status() const { return book->jobs().find(key)->status(); }
  std::string refused(const std::string& why) const { return "! Job <" + text(key) + ">: " + why; }

  static constexpr auto kSuspend = wire::SentSignal::SUSPEND;
  static constexpr auto kResume = wire::SentSignal::RESUME;
  JobKey key;
  std::uint64_t number = 0;
};

TEST_F(StoppedOnLentSlots, IsSuspendedByTheSystemWhereTheCycleOfItsClusterSuspendsIt) {
  east(kSuspend, TERM_LOAD);
  EXPECT_EQ(status(), wire::STATUS_SSUSP);
  EXPECT_THAT(orders(effects), ElementsAre(HasSubstr("OrderSignal SUSPEND")));
  EXPECT_THAT(ask(key, Act::RESUME, kRoot),
              ElementsAre(refused("Job was suspended by its cluster east, and is resumed there")));
  EXPECT_EQ(status(), wire::STATUS_SSUSP);
  east(kResume);
  EXPECT_EQ(status(), wire::STATUS_RUN);
  EXPECT_THAT(orders(effects), ElementsAre(HasSubstr("OrderSignal RESUME")));
}
TEST_F(StoppedOnLentSlots, IsNotResumedHereWhenItsUserHasStoppedItThere) {
  east(kSuspend);
  EXPECT_EQ(status(), wire::STATUS_USUSP);
  EXPECT_THAT(ask(key, Act::RESUME, kRoot),
              ElementsAre(refused("Job was suspended by its cluster east, and is resumed there")));
  EXPECT_EQ(status(), wire::STATUS_USUSP);
  east(kResume);
  EXPECT_EQ(status(), wire::STATUS_RUN);
}
TEST_F(StoppedOnLentSlots, IsNotResumedThereWhenAnAdministratorHasStoppedItHere) {
  EXPECT_THAT(ask(key, Act::STOP, kRoot), ElementsAre("Job <" + text(key) + "> is being stopped"));
  ASSERT_EQ(status(), wire::STATUS_USUSP);
  EXPECT_NE(book->forwards().said_of(key, now)->state->job().suspend_reasons() & wire::SUSPEND_ADMIN, 0U);
  east(kResume);
  EXPECT_EQ(status(), wire::STATUS_USUSP);
  EXPECT_THAT(ask(key, Act::RESUME, kRoot), ElementsAre("Job <" + text(key) + "> is being resumed"));
  EXPECT_EQ(status(), wire::STATUS_RUN);
}
TEST_F(StoppedOnLentSlots, GoesOnWhenNoSideHasItStopped) {
  east(kSuspend);
  ask(key, Act::STOP, kRoot);
  ask(key, Act::RESUME, kRoot);
  EXPECT_EQ(status(), wire::STATUS_USUSP) << "its user has stopped it there";
  ask(key, Act::STOP, kRoot);
  east(kResume);
  EXPECT_EQ(status(), wire::STATUS_USUSP);
  EXPECT_THAT(orders(effects), IsEmpty());
  ask(key, Act::RESUME, kRoot);
  EXPECT_EQ(status(), wire::STATUS_RUN);
  east(kSuspend, TERM_WINDOW);
  ask(key, Act::STOP, kRoot);
  ask(key, Act::RESUME, kRoot);
  EXPECT_EQ(status(), wire::STATUS_SSUSP) << "its window is closed there";
}
TEST_F(StoppedOnLentSlots, ItIsOrderedWhileItsHostIsNotHeard) {
  const auto lose = [this] {
    book->hosts().host_gone("hostA", now);
    for (int minute = 0; minute < 60 && status() != wire::STATUS_UNKWN; ++minute) {
      now.us += 60'000'000;
      book->tick(now);
    }
    ASSERT_EQ(status(), wire::STATUS_UNKWN);
  };
  const auto find = [this](report::Held::State state) { hello("hostA", {{attempt(key), state, true}}); };
  east(kSuspend, TERM_LOAD);
  lose();
  east(kResume);
  find(report::Held::State::stopped);
  EXPECT_EQ(status(), wire::STATUS_RUN);
  EXPECT_THAT(orders(effects), testing::Contains(testing::HasSubstr("OrderSignal RESUME")));
  lose();
  east(kSuspend, TERM_WINDOW);
  find(report::Held::State::running);
  EXPECT_EQ(status(), wire::STATUS_USUSP);
  EXPECT_THAT(orders(effects), testing::Contains(testing::HasSubstr("OrderSignal SUSPEND")));
  east(kResume);
  EXPECT_EQ(status(), wire::STATUS_RUN);
}
TEST_F(StoppedOnLentSlots, ItsUserStopsItInItsOwnCluster) {
  const auto there = refused("Job is of cluster east, where its user stops and resumes it");
  EXPECT_THAT(ask(key, Act::STOP, kAnn), ElementsAre(there));
  EXPECT_EQ(status(), wire::STATUS_RUN);
  east(kSuspend);
  EXPECT_THAT(ask(key, Act::RESUME, kAnn), ElementsAre(there));
  EXPECT_EQ(status(), wire::STATUS_USUSP);
}

// Else its user could leave the limits of the queue that it was submitted to.
TEST_F(OnLentSlots, ItsOwnClusterAloneChangesIt) {
  const JobKey key = here(start(7));
  const std::string theirs = "! Job <" + text(key) + ">: Job is of cluster east, which alone changes it";
  for (const Identity& who : {kAnn, kRoot}) {
    wire::SwitchJobs to;
    to.set_queue("normal");
    set_key(*to.mutable_filter()->add_keys(), key);
    EXPECT_THAT(answer(book->commands().switch_jobs(to, who, now)), ElementsAre(theirs));
    wire::ModifyJobs change;
    set_key(*change.mutable_filter()->add_keys(), key);
    change.add_fields(1000 + wire::Limits::kRunSFieldNumber);
    change.mutable_changed()->mutable_limits()->set_run_s(6000);
    EXPECT_THAT(answer(book->commands().modify_jobs(change, who, now)), ElementsAre(theirs));
  }
  EXPECT_EQ(job(key).record.queue(), "night@east");
}

TEST_F(OnLentSlots, StartsAsTheQueueOfItsOwnClusterSays) {
  wire::ForwardOffer offer;
  *offer.mutable_attempt() = attempt_of(7);
  auto& lent = *offer.mutable_lent();
  lent.set_lease(5);
  lent.set_host("hostA");
  lent.set_slots(1);
  lent.set_queue("night");
  auto& programs = *offer.mutable_programs();
  programs.set_job_starter("starter");
  programs.set_queue_pre_exec("pre");
  programs.set_queue_post_exec("post");
  programs.set_suspend("SIGTSTP");
  programs.set_nice(7);
  programs.add_links("LSB_DJOB_COMMFAIL_ACTION=KILL_TASKS");
  const JobKey key = here(book->forwards().start_on_lent_slots("east", offer, plain_job(), kAnn, now));
  const auto order = book->hosts().start_order({key, "hostA", job(key).record.attempt()}).value();
  EXPECT_EQ(order.job_starter, "starter");
  EXPECT_EQ(order.queue_pre_exec, "pre");
  EXPECT_EQ(order.queue_post_exec, "post");
  EXPECT_EQ(order.controls.suspend, "SIGTSTP");
  EXPECT_EQ(order.nice, 7);
  EXPECT_THAT(order.environment, Contains("LSB_DJOB_COMMFAIL_ACTION=KILL_TASKS"));
}

// A consumer that sends much with each start fills neither memory nor the store: what ends has none of it.
TEST_F(OnLentSlots, KeepsProgramsOfItsQueueWhileItIsNotOver) {
  const auto start_with = [this](int id, std::size_t bytes) {
    wire::ForwardOffer offer;
    *offer.mutable_attempt() = attempt_of(id);
    offer.mutable_attempt()->set_lent_host("hostA");
    auto& lent = *offer.mutable_lent();
    lent.set_lease(5);
    lent.set_host("hostA");
    lent.set_slots(1);
    lent.set_queue("night");
    offer.mutable_programs()->set_queue_post_exec(std::string(bytes, 'x'));
    return book->forwards().start_on_lent_slots("east", offer, plain_job(), kAnn, now);
  };
  EXPECT_EQ(why(start_with(7, 33'000)),
            "the programs and job controls of its queue have 33004 bytes, expected at most 32768");
  const JobKey key = here(start_with(8, 32'000));
  runs(key);
  EXPECT_EQ(job(key).record.from().programs().queue_post_exec().size(), 32'000U);
  tells("hostA", end_of(key, 0));
  ASSERT_EQ(job(key).status(), wire::STATUS_DONE);
  EXPECT_FALSE(job(key).record.from().has_programs());
}

TEST_F(OnLentSlots, IsBoundedForEachCluster) {
  book->forwards().keep_at_most(1);
  offer(1);
  const auto second = start(2);
  EXPECT_EQ(second.said.over->how(), wire::ForwardOver::NOT_STARTED);
  EXPECT_EQ(why(second), "this cluster has 1 jobs of cluster east, expected fewer than 1");
}

TEST_F(OnLentSlots, HasAllHostsThatTheConsumerPlacedItOn) {
  wire::ForwardOffer offer;
  *offer.mutable_attempt() = attempt_of(7);
  for (auto* lent : {offer.mutable_lent(), offer.add_more_lent()}) {
    lent->set_lease(5);
    lent->set_host(lent == &offer.lent() ? "hostA" : "hostB");
    lent->set_slots(2);
    lent->set_queue("night");
  }
  const JobKey key = here(book->forwards().start_on_lent_slots("east", offer, plain_job(), kAnn, now));
  ASSERT_EQ(job(key).record.hosts_size(), 2);
  EXPECT_EQ(job(key).record.hosts(1).name(), "hostB");
  EXPECT_EQ(job(key).record.hosts(1).slots(), 2U);
}

TEST_F(OnLentSlots, TellsWhichHostDidNotTakeIt) {
  for (const char* host : {"hostA", "hostB"}) tells(host, report::HostCame{{}, true});
  wire::ForwardOffer offer;
  *offer.mutable_attempt() = attempt_of(7);
  for (const char* host : {"hostA", "hostB"}) {
    auto& lent = offer.has_lent() ? *offer.add_more_lent() : *offer.mutable_lent();
    lent.set_lease(5);
    lent.set_host(host);
    lent.set_slots(1);
    lent.set_queue("night");
  }
  const JobKey key = here(book->forwards().start_on_lent_slots("east", offer, plain_job(), kAnn, now));
  tells("hostB", report::NotPrepared{{key, job(key).record.attempt()}, "its disk is full"});
  EXPECT_EQ(over(key).how(), wire::ForwardOver::WITHDRAWN);
  EXPECT_EQ(over(key).due_to_host(), "hostB");
  EXPECT_EQ(over(key).why(), "hostB: its disk is full");
}

TEST_F(OnLentSlots, KnowsTheLeaseOfEachOfItsHosts) {
  wire::ForwardOffer offer;
  *offer.mutable_attempt() = attempt_of(7);
  for (const char* host : {"hostA", "hostB"}) {
    auto& lent = offer.has_lent() ? *offer.add_more_lent() : *offer.mutable_lent();
    lent.set_lease(host == std::string("hostA") ? 5 : 6);
    lent.set_host(host);
    lent.set_slots(1);
    lent.set_queue("night");
  }
  const JobKey several = here(book->forwards().start_on_lent_slots("east", offer, plain_job(), kAnn, now));
  EXPECT_THAT(job(several).record.from().leases(), ElementsAre(5U, 6U));
  *offer.mutable_attempt() = attempt_of(8);
  offer.mutable_more_lent(0)->set_lease(5);
  const JobKey one = here(book->forwards().start_on_lent_slots("east", offer, plain_job(), kAnn, now));
  EXPECT_THAT(job(one).record.from().leases(), IsEmpty());
  EXPECT_EQ(job(one).record.from().lease(), 5U);
}

TEST_F(OnLentSlots, APartIsOverForItsClusterWhenNothingOfItIsLeft) {
  tells("hostA", report::HostCame{{}, true});
  tells("hostB", report::HostCame{{}, true});
  wire::ForwardOffer offer;
  *offer.mutable_attempt() = attempt_of(7);
  offer.mutable_attempt()->set_lent_host("hostA");
  offer.mutable_attempt()->set_part(true);
  for (const char* host : {"hostA", "hostB"}) {
    auto& slots = *offer.add_part();
    slots.set_lease(5);
    slots.set_host(host);
    slots.set_slots(2);
    slots.set_queue("night");
  }
  const JobKey key = here(book->forwards().start_on_lent_slots("east", offer, plain_job(), kAnn, now));
  const Attempt attempt{key, job(key).record.attempt()};
  const auto state = [&] { return *book->forwards().said_of(key, now)->state; };
  EXPECT_TRUE(state().attempt().part());
  EXPECT_FALSE(state().prepared());
  tells("hostA", report::Prepared{{attempt}});
  EXPECT_FALSE(state().prepared());
  tells("hostB", report::Prepared{{attempt}});
  EXPECT_TRUE(state().prepared());
  wire::ForwardSignal kill;
  *kill.mutable_attempt() = offer.attempt();
  kill.mutable_sent()->set_action(wire::SentSignal::TERMINATE);
  kill.mutable_sent()->set_number(1);
  book->forwards().signal("east", kill, now);
  EXPECT_TRUE(state().prepared()) << "the job's end is its first host's";
  EXPECT_THAT(ask(key, wire::SignalJobs::STOP, kRoot),
              testing::ElementsAre(
                  testing::HasSubstr("Job is a part of a job of cluster east, which alone stops it")));
  wire::ForwardRecall recall;
  *recall.mutable_attempt() = offer.attempt();
  const auto released = book->forwards().recall("east", recall, now);
  EXPECT_TRUE(released.said.state);
  EXPECT_FALSE(state().prepared());
  tells("hostA", report::Gone{{attempt}});
  EXPECT_TRUE(state().has_job());
  book->jobs().pack();  // at the end of the turn
  // mbatchd was away when the other host told it: what the host holds says so.
  tells("hostB", report::HostCame{{{attempt, report::Held::State::expected, false}}, true});
  EXPECT_TRUE(std::any_of(effects.begin(), effects.end(), [](const Effect& one) {
    return std::holds_alternative<effect::OrderRelease>(one);
  })) << "released again";
  EXPECT_TRUE(state().has_job());
  tells("hostB", report::HostCame{{}, true});
  EXPECT_EQ(over(key).how(), wire::ForwardOver::ENDED);
}

TEST_F(OnLentSlots, RefusesRoot) {
  EXPECT_EQ(start(7, kRoot).said.over->how(), wire::ForwardOver::NOT_STARTED);
  EXPECT_THAT(book->forwards().held_for("east"), IsEmpty());
}

TEST_F(OnLentSlots, IsOverWhereAJobOfOursWouldPendAgain) {
  const JobKey fails = here(start(1)), lost = here(start(2)), recalled = here(start(3)),
               faster = here(start(4));
  ends(fails, 1 << 8, report::Over::How::pre_exec_failed);
  EXPECT_EQ(over(fails).how(), wire::ForwardOver::PRE_EXEC_FAILED);
  EXPECT_EQ(job(fails).status(), wire::STATUS_EXIT);
  ends(lost, 0, report::Over::How::host_restarted);
  EXPECT_EQ(over(lost).how(), wire::ForwardOver::LOST)
      << "also a rerunnable job: its cluster starts it again";
  EXPECT_FALSE(book->forwards().recall_lent(recalled, "no longer exported", now).empty());
  EXPECT_THAT(book->forwards().recall_lent(recalled, "no longer exported", now), IsEmpty()) << "once";
  ends(recalled, 9, report::Over::How::ended);
  EXPECT_EQ(over(recalled).how(), wire::ForwardOver::WITHDRAWN);
  EXPECT_EQ(over(recalled).why(), "no longer exported");
  book->forwards().recall_lent(faster, "no longer exported", now);
  ends(faster, 0, report::Over::How::ended);
  EXPECT_EQ(over(faster).how(), wire::ForwardOver::ENDED) << "it was faster than the recall";
}

TEST_F(OnLentSlots, ARecallOfAPartAsksItsClusterFirst) {
  tells("hostA", report::HostCame{{}, true});
  wire::ForwardOffer offer;
  *offer.mutable_attempt() = attempt_of(7);
  offer.mutable_attempt()->set_lent_host("hostA");
  offer.mutable_attempt()->set_part(true);
  auto& slots = *offer.add_part();
  slots.set_lease(5);
  slots.set_host("hostA");
  slots.set_slots(1);
  slots.set_queue("night");
  const JobKey key = here(book->forwards().start_on_lent_slots("east", offer, plain_job(), kAnn, now));
  tells("hostA", report::Prepared{{{key, job(key).record.attempt()}}});
  using Recall = ForwardedJobs::Recall;
  const auto releases = [&](Recall how) {
    const auto ordered = book->forwards().recall_lent(key, "no longer exported", now, how);
    return std::any_of(ordered.begin(), ordered.end(),
                       [](const Effect& one) { return std::holds_alternative<effect::OrderRelease>(one); });
  };
  EXPECT_FALSE(releases(Recall::asks));
  const auto said = *book->forwards().said_of(key, now)->state;
  EXPECT_FALSE(said.prepared());
  EXPECT_EQ(said.job().why(), "its slots are taken back from the lease");
  EXPECT_FALSE(releases(Recall::asks));
  EXPECT_TRUE(releases(Recall::ends)) << "its cluster has not released it";
  EXPECT_EQ(book->forwards().said_of(key, now)->state->job().why(), said.job().why())
      << "its cluster may not have heard it";
  EXPECT_FALSE(releases(Recall::ends)) << "once";
}

TEST_F(OnLentSlots, ARecallHasAReasonOfItsOwnWhereTheSiteWantsIt) {
  const auto end_of_a_recall = [this](bool tells) {
    auto files = site_files();
    auto cluster = std::make_shared<conf::ClusterFiles>(*files.cluster);
    cluster->programs.mbatchd.tells_recalls = tells;
    files.cluster = cluster;
    book->configure(files, now);
    const JobKey key = here(start(tells ? 1 : 2));
    book->forwards().recall_lent(key, "no longer exported", now);
    ends(key, 137 << 8, report::Over::How::ended);
    return job(key).record.term_reason();
  };
  EXPECT_EQ(end_of_a_recall(true), TERM_MC_RECALL);
  EXPECT_EQ(end_of_a_recall(false), TERM_ADMIN);
}

// Durations cross, clocks do not.
TEST_F(OnLentSlots, TellsHowLongItTookAndHowLongAgoThatWas) {
  const JobKey key = here(start(7)), never = here(start(8));
  runs(key);
  now.us += 10'000'000;
  ask(key, Act::STOP, kRoot);
  now.us += 20'000'000;
  ask(key, Act::RESUME, kRoot);
  now.us += 5'000'000;
  ends(key, 0);
  ends(never, 0, report::Over::How::not_started);
  now.us += 60'000'000;
  EXPECT_EQ(over(key).run_s(), 15);
  EXPECT_EQ(over(key).took_s(), 35);
  EXPECT_EQ(over(key).ended_s_ago(), 60);
  EXPECT_FALSE(over(never).has_took_s()) << "it did not begin";
}

TEST_F(OnLentSlots, ARecallLeavesTheReasonOfAKillThatCameFirst) {
  const JobKey key = here(start(7));
  wire::ForwardSignal kill;
  *kill.mutable_attempt() = attempt_of(7);
  kill.mutable_sent()->set_number(1);
  kill.mutable_sent()->set_action(wire::SentSignal::TERMINATE);
  kill.mutable_sent()->set_term_reason(TERM_OWNER);
  book->forwards().signal("east", kill, now);
  book->forwards().recall_lent(key, "no longer exported", now);
  ends(key, 137 << 8);
  EXPECT_EQ(job(key).record.term_reason(), TERM_OWNER);
}

TEST_F(OnLentSlots, IsGivenBackWhenTheHostGoesBeforeItHasTheOrder) {
  tells("hostA", report::HostCame{{}, true});
  const JobKey key = here(start(7));
  effects = book->hosts().host_gone("hostA", now);
  EXPECT_EQ(over(key).how(), wire::ForwardOver::WITHDRAWN);
  EXPECT_EQ(job(key).status(), wire::STATUS_EXIT);
}

}  // namespace
}  // namespace rollcall::sched::book
