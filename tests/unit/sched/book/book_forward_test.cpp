// Attempts of other clusters, by the table of forwarded_jobs.hpp.
#include <functional>

#include "sched/policy/book/forwarded_jobs.hpp"
#include "sched/policy/book/present_events.hpp"
#include "tests/unit/sched/book/book_fixture.hpp"

namespace rollcall::sched::book {
namespace {

class Foreign : public BookTest {
 protected:
  Foreign() { receives(""); }
  void receives(const std::string& more) {
    book = std::make_unique<Book>();
    book->configure(site_files("", "RCVJOBS_FROM = east\n" + more), now);
    book->set_term(1);
    book->rows().loaded(now);
    hello("hostA");
  }
  static wire::ForwardAttempt attempt_of(int id, std::uint64_t number = 1) {
    wire::ForwardAttempt attempt;
    attempt.mutable_key()->set_id(id);
    attempt.set_attempt(number);
    return attempt;
  }
  ForwardedJobs::Answered offer(int id, const std::string& queue = "normal",
                                const std::string& cluster = "east", const Identity& who = kAnn) {
    wire::ForwardOffer offer;
    *offer.mutable_attempt() = attempt_of(id);
    offer.set_queue(queue);
    auto answered = book->forwards().offer(cluster, offer, plain_job(), who, now);
    return answered;
  }
  std::string why(const ForwardedJobs::Answered& answered) const {
    return answered.said.over ? answered.said.over->why() : "accepted";
  }
  JobKey here(const ForwardedJobs::Answered& answered) const {
    return key_of(answered.said.state->job().key());
  }
  wire::ForwardSignal signal(int id, std::uint64_t number, wire::SentSignal::Action action) const {
    wire::ForwardSignal signal;
    *signal.mutable_attempt() = attempt_of(id);
    signal.mutable_sent()->set_number(number);
    signal.mutable_sent()->set_action(action);
    return signal;
  }
  SaidOfAttempt recall(int id) {
    wire::ForwardRecall recall;
    *recall.mutable_attempt() = attempt_of(id);
    return book->forwards().recall("east", recall, now).said;
  }
};

TEST_F(Foreign, IsAcceptedOnceHoweverOftenItIsOffered) {
  const JobKey first = here(offer(7));
  const auto again = offer(7);
  EXPECT_EQ(here(again), first);
  EXPECT_THAT(again.effects, IsEmpty());
  EXPECT_EQ(job(first).record.from().cluster(), "east");
  EXPECT_NE(here(offer(8)), first);
}

// A store of that cluster that was put back, or begins empty, gives numbers of jobs again.
TEST_F(Foreign, OfANumberThatIsGivenAgainIsAnotherOne) {
  const auto offered = [&](std::uint64_t made) {
    wire::ForwardOffer offer;
    *offer.mutable_attempt() = attempt_of(7);
    offer.mutable_attempt()->set_made(made);
    offer.set_queue("normal");
    return book->forwards().offer("east", offer, plain_job(), kAnn, now);
  };
  const JobKey old = here(offered(100));
  EXPECT_EQ(here(offered(100)), old);
  const auto answered = offered(200);
  const JobKey fresh = here(answered);
  EXPECT_NE(fresh, old);
  EXPECT_EQ(answered.said.state->attempt().made(), 200U) << "its cluster tells them apart";
  EXPECT_EQ(book->forwards().said_of(old, now)->state->attempt().made(), 100U);
  EXPECT_EQ(book->forwards().job_of("east", attempt_of(7)), fresh) << "other orders are for the last one";
  wire::ForwardRecall recall;
  *recall.mutable_attempt() = attempt_of(7);
  recall.mutable_attempt()->set_made(100);
  book->forwards().recall("east", recall, now);
  EXPECT_TRUE(finished(status(old)));
  EXPECT_EQ(status(fresh), wire::STATUS_PEND);
  EXPECT_EQ(book->broken_invariant(), "");
}

TEST_F(Foreign, IsRefusedWithTheReason) {
  EXPECT_THAT(why(offer(1, "special")),
              HasSubstr("queue special does not receive jobs of cluster east (RCVJOBS_FROM)"));
  EXPECT_THAT(why(offer(1, "nosuch")), HasSubstr("RCVJOBS_FROM"));
  EXPECT_THAT(why(offer(1, "normal", "west")), HasSubstr("cluster west"));
  EXPECT_THAT(why(offer(1, "normal", "east", kRoot)), HasSubstr("as root or as an administrator"));
  EXPECT_EQ(offer(1, "special").said.over->how(), wire::ForwardOver::REFUSED);
  EXPECT_THAT(book->forwards().held_for("east"), IsEmpty());
}

// A master that never acknowledges takes no room of the others.
TEST_F(Foreign, IsBoundedForEachClusterAlone) {
  receives("");
  book->configure(site_files("", "RCVJOBS_FROM = east west\n"), now);
  book->forwards().keep_at_most(2);
  offer(1);
  offer(2);
  EXPECT_EQ(why(offer(3)), "this cluster has 2 jobs of cluster east, expected fewer than 2");
  EXPECT_EQ(why(offer(2)), "accepted") << "it is known";
  EXPECT_EQ(why(offer(1, "normal", "west")), "accepted");
  recall(1);
  EXPECT_EQ(why(offer(3)), "this cluster has 2 jobs of cluster east, expected fewer than 2")
      << "its end is not acknowledged";
  wire::ForwardAcknowledge acknowledge;
  *acknowledge.mutable_attempt() = attempt_of(1);
  book->forwards().acknowledge("east", acknowledge, now);
  now.us += 10LL * 86'400 * 1'000'000;
  book->tick(now);
  EXPECT_EQ(why(offer(3)), "accepted");
  EXPECT_EQ(book->broken_invariant(), "");
}

TEST_F(Foreign, WaitsWithinTheRoomOfTheQueue) {
  receives("IMPT_JOBBKLG = 2\n");
  const JobKey first = here(offer(1));
  offer(2);
  EXPECT_EQ(why(offer(3)), "queue normal has 2 pending jobs of other clusters (IMPT_JOBBKLG)");
  EXPECT_EQ(book->forwards().waiting_in("normal").jobs, 2U);
  dispatch(first);
  EXPECT_EQ(why(offer(3)), "accepted") << "what has hosts no longer waits";
  receives("IMPT_SLOTBKLG = 1\n");
  offer(1);
  EXPECT_EQ(why(offer(2)), "pending jobs of other clusters ask for 1 slots of queue normal (IMPT_SLOTBKLG)");
}

// So that its cluster need not offer each of its jobs to learn the same.
TEST_F(Foreign, IsRefusedForAllThatWouldBeRefusedLikeIt) {
  const auto scope = [](const ForwardedJobs::Answered& answered) {
    return wire::ForwardOver::Scope_Name(answered.said.over.value().refused_for());
  };
  EXPECT_EQ(scope(offer(1, "special")), "OF_THE_QUEUE");
  EXPECT_EQ(scope(offer(1, "normal", "east", kRoot)), "OF_ITS_USER");
  receives("IMPT_JOBBKLG = 1\n");
  offer(1);
  EXPECT_EQ(scope(offer(2)), "OF_THE_QUEUE");
  receives("IMPT_SLOTBKLG = 1\n");
  offer(1);
  EXPECT_EQ(scope(offer(2)), "OF_THE_QUEUE");
  receives("");
  book->forwards().keep_at_most(1);
  offer(1);
  EXPECT_EQ(scope(offer(2)), "OF_THE_CLUSTER");
}

TEST_F(Foreign, WaitsWithFortyNineOthersUnlessImptJobbklgSaysMore) {
  for (int id = 1; id <= 50; ++id) ASSERT_EQ(why(offer(id)), "accepted") << id;
  EXPECT_EQ(why(offer(51)), "queue normal has 50 pending jobs of other clusters (IMPT_JOBBKLG)");
  receives("IMPT_JOBBKLG = infinit\n");
  for (int id = 1; id <= 60; ++id) ASSERT_EQ(why(offer(id)), "accepted") << id;
}

TEST(RcvjobsFrom, NamesClustersOrAllOfThem) {
  const auto receives_from = [](const std::string& names, const std::string& cluster) {
    return receives(site_files("", "RCVJOBS_FROM = " + names + "\n").lsb->queues[0], cluster);
  };
  EXPECT_TRUE(receives_from("east north", "north"));
  EXPECT_FALSE(receives_from("east north", "west"));
  EXPECT_TRUE(receives_from("allclusters", "west"));
  EXPECT_FALSE(receives(site_files().lsb->queues[0], "west")) << "without RCVJOBS_FROM";
}

TEST_F(Foreign, ObeysEachOrderOnce) {
  const JobKey key = here(offer(7));
  book->forwards().signal("east", signal(7, 1, wire::SentSignal::SUSPEND), now);
  EXPECT_EQ(job(key).status(), wire::STATUS_PSUSP);
  book->forwards().signal("east", signal(7, 2, wire::SentSignal::RESUME), now);
  EXPECT_EQ(job(key).status(), wire::STATUS_PEND);
  const auto repeated = book->forwards().signal("east", signal(7, 1, wire::SentSignal::SUSPEND), now);
  EXPECT_EQ(job(key).status(), wire::STATUS_PEND);
  EXPECT_EQ(repeated.said.state->job().signal_number(), 2U);
  const auto stranger = book->forwards().signal("west", signal(7, 3, wire::SentSignal::TERMINATE), now);
  EXPECT_EQ(stranger.said.over->how(), wire::ForwardOver::UNKNOWN)
      << "another cluster's number means nothing";
  EXPECT_EQ(job(key).status(), wire::STATUS_PEND);
}

TEST_F(Foreign, HasItsLimitsChangedWithinThoseOfTheQueue) {
  receives("RUNLIMIT = 60\n");
  const JobKey key = here(offer(7));
  dispatch(key);
  auto order = signal(7, 1, wire::SentSignal::LIMITS);
  order.mutable_sent()->mutable_limits()->set_run_s(600);
  const auto limits = [&](std::int64_t run_s) {
    order.mutable_sent()->mutable_limits()->set_run_s(run_s);
    book->forwards().signal("east", order, now);
    order.mutable_sent()->set_number(order.sent().number() + 1);
    const auto& sent = job(key).record.signals();
    return sent.empty() ? 0 : sent.rbegin()->limits().run_s();
  };
  EXPECT_EQ(limits(600), 600);
  EXPECT_EQ(limits(1'000'000), 3600) << "the queue's limit";
  order.mutable_sent()->set_number(2);
  EXPECT_EQ(limits(5), 3600) << "a repeated order";
}

TEST_F(Foreign, IsGivenBackOnlyBeforeItHasHosts) {
  const JobKey waits = here(offer(7)), placed = here(offer(8));
  dispatch(placed);
  EXPECT_TRUE(recall(8).state) << "it has hosts: it stays";
  EXPECT_EQ(recall(7).over->how(), wire::ForwardOver::WITHDRAWN);
  EXPECT_EQ(recall(7).over->how(), wire::ForwardOver::WITHDRAWN) << "told again until it is acknowledged";
  EXPECT_EQ(job(waits).status(), wire::STATUS_EXIT);
  EXPECT_EQ(recall(99).over->how(), wire::ForwardOver::UNKNOWN);
}

TEST_F(Foreign, IsHeldUntilItsEndIsAcknowledged) {
  const JobKey key = here(offer(7));
  wire::ForwardAcknowledge acknowledge;
  *acknowledge.mutable_attempt() = attempt_of(7);
  EXPECT_THAT(book->forwards().acknowledge("east", acknowledge, now), IsEmpty()) << "it is not over";
  recall(7);
  EXPECT_THAT(book->forwards().held_for("east"), ElementsAre(key));
  EXPECT_FALSE(book->forwards().acknowledge("east", acknowledge, now).empty());
  EXPECT_THAT(book->forwards().held_for("east"), IsEmpty());
  EXPECT_FALSE(book->forwards().said_of(key, now));
}

// Only a cluster whose store was put back to an older state asks so.
TEST_F(Foreign, TellsAnAcknowledgedEndAgainWhereItIsAskedFor) {
  const JobKey key = here(offer(7));
  wire::ForwardAcknowledge acknowledge;
  *acknowledge.mutable_attempt() = attempt_of(7);
  recall(7);
  for (const auto& ask : std::vector<std::function<SaidOfAttempt()>>{
           [&] { return offer(7).said; }, [&] { return recall(7); },
           [&] {
             return book->forwards().signal("east", signal(7, 1, wire::SentSignal::TERMINATE), now).said;
           }}) {
    book->forwards().acknowledge("east", acknowledge, now);
    ASSERT_THAT(book->forwards().held_for("east"), IsEmpty());
    EXPECT_EQ(ask().over->how(), wire::ForwardOver::WITHDRAWN);
    EXPECT_THAT(book->forwards().held_for("east"), ElementsAre(key)) << "until it is acknowledged again";
    EXPECT_TRUE(book->forwards().said_of(key, now));
  }
}

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
  programs.add_links("LSB_DJOB_COMMFAIL_ACTION=KILL_TASKS");
  const JobKey key = here(book->forwards().start_on_lent_slots("east", offer, plain_job(), kAnn, now));
  const auto order = book->hosts().start_order({key, "hostA", job(key).record.attempt()}).value();
  EXPECT_EQ(order.job_starter, "starter");
  EXPECT_EQ(order.queue_pre_exec, "pre");
  EXPECT_EQ(order.queue_post_exec, "post");
  EXPECT_EQ(order.controls.suspend, "SIGTSTP");
  EXPECT_THAT(order.environment, Contains("LSB_DJOB_COMMFAIL_ACTION=KILL_TASKS"));
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
    const auto effects = book->forwards().recall_lent(key, "no longer exported", now, how);
    return std::any_of(effects.begin(), effects.end(),
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
TEST_F(OnLentSlots, IsGivenBackWhenTheHostGoesBeforeItHasTheOrder) {
  tells("hostA", report::HostCame{{}, true});
  const JobKey key = here(start(7));
  effects = book->hosts().host_gone("hostA", now);
  EXPECT_EQ(over(key).how(), wire::ForwardOver::WITHDRAWN);
  EXPECT_EQ(job(key).status(), wire::STATUS_EXIT);
}

TEST_F(Foreign, KnowsWhoSubmittedIt) {
  wire::ForwardOffer offer;
  *offer.mutable_attempt() = attempt_of(7);
  offer.set_queue("normal");
  wire::Submission asked = plain_job();
  asked.set_user("ann_there");
  const JobKey key = here(book->forwards().offer("east", offer, asked, kAnn, now));
  EXPECT_EQ(job(key).record.from().user(), "ann_there");
  EXPECT_EQ(job(key).asked->user(), "ann") << "whose job it is here";
  dispatch(key);
  const auto start = book->hosts().start_order({key, "hostA", job(key).record.attempt()});
  ASSERT_TRUE(start);
  EXPECT_THAT(start->environment, testing::Contains("LSB_SUB_USER=ann_there")) << "for the job's report";
  EXPECT_EQ(book->forwards().said_of(key, now)->state->job().exec_user(), "ann");
}

TEST_F(Foreign, TellsThatItsHostAwaitsTheClient) {
  const JobKey key = here(offer(7));
  dispatch(key);
  EXPECT_FALSE(book->forwards().said_of(key, now)->state->terminal());
  report::Ready ready{{key, job(key).record.attempt()}, {}};
  ready.stream.set_port(4000);
  ready.stream.set_key("a secret of this cluster");
  book->hosts().host_told(job(key).record.hosts(0).name(), ready, now);
  const auto said = book->forwards().said_of(key, now);
  EXPECT_TRUE(said->state->terminal());
  EXPECT_THAT(said->state->SerializeAsString(), testing::Not(HasSubstr("secret")));
}

TEST_F(Foreign, IsRefusedWhileTenThousandEndsAreNotAcknowledged) {
  receives("IMPT_JOBBKLG = 20000\n");
  constexpr int kMost = ForwardedJobs::kMostUnacknowledged;
  for (int id = 1; id <= kMost; ++id) {
    ASSERT_EQ(why(offer(id)), "accepted") << id;
    recall(id);
  }
  const std::string full = "cluster east has not acknowledged the ends of 10000 of its jobs here";
  EXPECT_EQ(why(offer(kMost + 1)), full);
  EXPECT_EQ(book->forwards().takes_no_more("east"), full);
  EXPECT_EQ(book->forwards().takes_no_more("west"), "") << "another cluster's jobs go on";
  EXPECT_EQ(offer(1).said.over->how(), wire::ForwardOver::WITHDRAWN) << "an end is told however many wait";
  wire::ForwardAcknowledge acknowledge;
  *acknowledge.mutable_attempt() = attempt_of(1);
  book->forwards().acknowledge("east", acknowledge, now);
  book->forwards().acknowledge("east", acknowledge, now);
  EXPECT_EQ(why(offer(kMost + 1)), "accepted");
  recall(kMost + 1);
  EXPECT_EQ(why(offer(kMost + 2)), full);
  book->forwards().write_off("east", kRoot, false, now);
  EXPECT_EQ(book->forwards().takes_no_more("east"), "");
  book->forwards().is_back("east");
  EXPECT_EQ(book->forwards().takes_no_more("east"), full);
}

TEST_F(Foreign, LosesItsScriptWhenItsEndIsNotAcknowledgedInTime) {
  PayloadRows rows;
  const auto offer_script = [&](int id) {
    wire::ForwardOffer offer;
    *offer.mutable_attempt() = attempt_of(id);
    offer.set_queue("normal");
    auto asked = plain_job();
    asked.set_script("#!/bin/sh\n" + std::string(100'000, '#'));
    asked.add_environment("A=" + std::string(1000, 'x'));
    auto answered = book->forwards().offer("east", offer, asked, kAnn, now);
    rows.take(answered.effects);
    return here(answered);
  };
  const auto later = [&](int days) {
    now.us += days * 86'400LL * 1'000'000;
    rows.take(book->tick(now));
  };
  const JobKey waits = offer_script(6), key = offer_script(7);
  const auto stored = book->jobs().stored_bytes("ann");
  recall(7);
  EXPECT_EQ(rows.bodies.size(), 4U) << "for as long as other jobs keep theirs";
  later(10);
  EXPECT_EQ(rows.bodies.size(), 2U) << "of the one that waits";
  EXPECT_LT(book->jobs().stored_bytes("ann"), stored / 2 + 10'000);
  EXPECT_NE(rows.whole(job(waits).asked), nullptr);
  ASSERT_NE(book->jobs().find(key), nullptr) << "its result waits without a limit";
  EXPECT_EQ(book->forwards().said_of(key, now)->over->how(), wire::ForwardOver::WITHDRAWN);
  EXPECT_EQ(job(key).asked->command(), plain_job().command());
  later(10);
  wire::ForwardAcknowledge acknowledge;
  *acknowledge.mutable_attempt() = attempt_of(7);
  book->forwards().acknowledge("east", acknowledge, now);
  later(1);
  EXPECT_EQ(book->jobs().find(key), nullptr);
}

// As an own user, who cannot continue what the scheduler has stopped.
TEST_F(Foreign, IsNotContinuedByASignalOfItsCluster) {
  const JobKey key = here(offer(7));
  dispatch(key);
  runs(key);
  auto order = signal(7, 1, wire::SentSignal::SEND);
  const auto sent = [&](int number) {
    order.mutable_sent()->set_signal(number);
    auto told = orders(book->forwards().signal("east", order, now).effects);
    order.mutable_sent()->set_number(order.sent().number() + 1);
    return told;
  };
  effects = book->hosts().suspend(key, event::SuspendPlanned{wire::SUSPEND_PREEMPT}, now);
  ASSERT_EQ(job(key).status(), wire::STATUS_SSUSP);
  EXPECT_THAT(sent(18), IsEmpty());
  EXPECT_EQ(job(key).status(), wire::STATUS_SSUSP);
  EXPECT_THAT(sent(19), Not(Contains(HasSubstr("signal 19")))) << "a stop is a stop, with its reason";
  EXPECT_EQ(job(key).status(), wire::STATUS_USUSP);
  EXPECT_THAT(sent(18), IsEmpty());
  EXPECT_EQ(job(key).status(), wire::STATUS_SSUSP) << "the scheduler's reason holds";
  for (const int number : {0, -1, 65, 1'000'000}) EXPECT_THAT(sent(number), IsEmpty()) << number;
  EXPECT_EQ(sent(10).size(), 1U);
}

TEST_F(Foreign, KeepsItsLimitsWhereThoseToldCannotBe) {
  const JobKey key = here(offer(7));
  dispatch(key);
  auto order = signal(7, 1, wire::SentSignal::LIMITS);
  for (const std::int64_t absurd : {std::int64_t{-5}, std::int64_t{1} << 60}) {
    order.mutable_sent()->set_number(order.sent().number() + 1);
    order.mutable_sent()->mutable_limits()->set_memory_kb(absurd);
    EXPECT_THAT(orders(book->forwards().signal("east", order, now).effects), IsEmpty()) << absurd;
  }
}

TEST_F(Foreign, IsRefusedInShortWordsWhateverItsQueueIsCalled) {
  EXPECT_LT(why(offer(1, std::string(100'000, 'q'))).size(), 400U);
}

class WriteOff : public Foreign {
 protected:
  // A job of ours that was forwarded to east, and has begun there as job 70.
  JobKey sent(bool begun, bool rerunnable = false) {
    wire::Submission asked = plain_job();
    asked.set_rerunnable(rerunnable);
    wire::Submit submit;
    *submit.add_jobs() = asked;
    const JobKey key{book->commands().submit(submit, kAnn, now).reply.submitted().jobs(0).id(), 0};
    event::Dispatched event;
    event.placement.hosts.push_back({HostId::whole_cluster("east"), 1});
    event.forwarded.emplace().set_cluster("east");
    event.forwarded->set_queue("guests");
    book->hosts().dispatch(key, event, now);
    if (begun) tell(key, wire::STATUS_RUN);
    return key;
  }
  Effects tell(JobKey key, wire::JobStatus status) {
    report::Elsewhere told{{key, 1}, {}};
    told.job.mutable_key()->set_id(70);
    told.job.set_status(status);
    return book->hosts().host_told("@east", told, now);
  }
  ForwardedJobs::Done write_off(bool only_say = false) {
    return book->forwards().write_off("east", kRoot, only_say, now);
  }
};

TEST_F(WriteOff, SaysOfEachJobWhatBecomesOfIt) {
  const JobKey waits = sent(false), runs = sent(true), again = sent(true, true);
  const JobKey theirs_waits = here(offer(7)), theirs_runs = here(offer(8)), theirs_over = here(offer(9));
  dispatch(theirs_runs);
  recall(9);
  const auto id = [](JobKey key) { return "Job <" + text(key) + ">"; };
  const std::vector<std::string> lines{
      id(waits) + " waits in cluster <east>: it pends here again",
      id(runs) + " runs in cluster <east> as job <70>: its result is lost, it ends as EXIT",
      id(again) + " runs in cluster <east> as job <70>: its result is lost, it pends here again",
      id(theirs_waits) + ", which is job <7> of cluster <east>, has not started: it is withdrawn",
      id(theirs_runs) + ", which is job <8> of cluster <east>, runs on: its result will be dropped",
      id(theirs_over) + ", which is job <9> of cluster <east>, has ended: its result is dropped"};
  const auto said = write_off(true);
  EXPECT_EQ(said.lines, lines);
  EXPECT_THAT(said.effects, IsEmpty());
  EXPECT_EQ(job(runs).status(), wire::STATUS_RUN) << "it was only said";
  const auto done = write_off();
  EXPECT_EQ(done.lines, lines);
  EXPECT_EQ(job(waits).status(), wire::STATUS_PEND);
  EXPECT_EQ(job(runs).status(), wire::STATUS_EXIT);
  EXPECT_EQ(job(again).status(), wire::STATUS_PEND);
  EXPECT_EQ(job(theirs_waits).status(), wire::STATUS_EXIT);
  EXPECT_EQ(job(theirs_runs).status(), wire::STATUS_RUN);
  EXPECT_THAT(write_off().lines, IsEmpty()) << "once";
}

// Its hosts will never say how the job ended.
TEST_F(WriteOff, EndsJobsOnHostsThatTheClusterLends) {
  wire::Submission rerunnable = plain_job();
  rerunnable.set_rerunnable(true);
  const JobKey lost{submit(plain_job()), 0}, again{submit(rerunnable), 0}, starts{submit(plain_job()), 0},
      part{submit(plain_job()), 0}, ours{submit(plain_job()), 0};
  for (const char* host : {"e1@east", "hostA"}) hello(host);
  for (const JobKey key : {lost, again, starts}) dispatch(key, {"e1@east"});
  dispatch(part, {"hostA", "e1@east"});
  dispatch(ours);
  for (const JobKey key : {lost, again, part, ours}) runs(key);
  EXPECT_EQ(book->forwards().shared_with("east").first, 4U);
  EXPECT_THAT(book->forwards().clusters(), ElementsAre("east"));
  const auto id = [](JobKey key) { return "Job <" + text(key) + ">"; };
  const std::vector<std::string> lines{
      id(lost) + " runs on a host of cluster <east>: its result is lost, it ends as EXIT",
      id(again) + " runs on a host of cluster <east>: its result is lost, it pends here again",
      id(starts) + " is being started on a host of cluster <east>: it pends here again",
      id(part) + " has a part in cluster <east>: it is ended"};
  EXPECT_EQ(write_off(true).lines, lines);
  EXPECT_EQ(status(lost), wire::STATUS_RUN) << "it was only said";
  EXPECT_EQ(write_off().lines, lines);
  EXPECT_EQ(status(lost), wire::STATUS_EXIT);
  EXPECT_EQ(job(lost).record.start_failure(), "cluster east was written off by an administrator");
  EXPECT_EQ(status(again), wire::STATUS_PEND);
  EXPECT_EQ(status(starts), wire::STATUS_PEND);
  EXPECT_TRUE(job(part).record.kill_asked());
  EXPECT_EQ(status(ours), wire::STATUS_RUN);
}

// post_done() and post_err() would wait for ever.
TEST_F(WriteOff, EndsAPostExecutionThatIsOpen) {
  const JobKey key = sent(true);
  auto end = end_of(key, 0);
  end.post_follows = true;
  tells("@east", end);
  ASSERT_EQ(job(key).record.post_status(), wire::POST_RUNNING);
  EXPECT_THAT(write_off(true).lines, ElementsAre("Job <" + text(key) +
                                                 "> has ended in cluster <east>: the result of its "
                                                 "post-execution is lost, it counts as failed"));
  EXPECT_EQ(job(key).record.post_status(), wire::POST_RUNNING) << "it was only said";
  write_off();
  EXPECT_EQ(job(key).record.post_status(), wire::POST_ERR);
}

TEST_F(WriteOff, IsRecordedInTheEvents) {
  sent(true);
  int records = 0;
  for (const auto& effect : write_off().effects)
    if (const auto* recorded = std::get_if<effect::RecordEvent>(&effect);
        recorded && recorded->event.has_host_control()) {
      ++records;
      EXPECT_EQ(recorded->event.host_control().host(), "@east");
      EXPECT_EQ(recorded->event.host_control().operation(), wire::ControlBatch::WRITE_OFF_CLUSTERS);
    }
  EXPECT_EQ(records, 1);
  for (const auto& effect : write_off().effects)
    EXPECT_FALSE(std::holds_alternative<effect::RecordEvent>(effect));
}

// A cluster that comes back after all has its attempts ended: no second run counts.
TEST_F(WriteOff, EndsTheAttemptsOfAClusterThatComesBack) {
  const JobKey again = sent(true, true);
  write_off();
  report::HostCame came;
  came.jobs.push_back({{again, 1}, report::Held::State::starting, true});
  EXPECT_THAT(orders(book->hosts().host_told("@east", came, now)),
              testing::Contains(HasSubstr("OrderSignal")));
  EXPECT_THAT(orders(tell(again, wire::STATUS_RUN)), IsEmpty());
  EXPECT_EQ(job(again).status(), wire::STATUS_PEND);
  report::Over over;
  over.attempt = {again, 1};
  over.end_us = now.us;
  EXPECT_THAT(orders(book->hosts().host_told("@east", over, now)),
              testing::Contains(HasSubstr("OrderAcknowledge")));
  EXPECT_EQ(job(again).status(), wire::STATUS_PEND) << "only the next attempt counts";
}

TEST_F(WriteOff, KeepsTheClustersJobsNoLongerThanOthersUntilItIsBack) {
  const JobKey key = here(offer(7));
  recall(7);
  const auto clean = [&] {
    now.us += 10LL * 86'400 * 1'000'000;
    book->tick(now);
  };
  clean();
  ASSERT_NE(book->jobs().find(key), nullptr) << "it waits for its acknowledgement";
  write_off();
  EXPECT_THAT(book->forwards().is_back("west"), IsEmpty());
  EXPECT_FALSE(book->forwards().is_back("east").empty());
  clean();
  ASSERT_NE(book->jobs().find(key), nullptr) << "the cluster is back";
  EXPECT_THAT(book->forwards().held_for("east"), ElementsAre(key)) << "and is told";
  write_off();
  clean();
  EXPECT_EQ(book->jobs().find(key), nullptr);
}

// Its end is told at once, and the end of its post-execution when it comes.
class PostExecution : public Foreign {
 protected:
  PostExecution() {
    key = here(offer(7));
    dispatch(key);
    runs(key);
    auto end = end_of(key, 0);
    end.post_follows = true;
    tells("hostA", end);
  }
  Effects acknowledged(bool post_open) {
    wire::ForwardAcknowledge acknowledge;
    *acknowledge.mutable_attempt() = attempt_of(7);
    acknowledge.set_post_open(post_open);
    return book->forwards().acknowledge("east", acknowledge, now);
  }
  std::optional<wire::ForwardOver> said() const {
    const auto said = book->forwards().said_of(key, now);
    return said ? said->over : std::nullopt;
  }
  JobKey key;
};

TEST_F(PostExecution, OfAForwardedJobIsToldWhenItEnds) {
  ASSERT_TRUE(said());
  EXPECT_EQ(said()->post(), wire::POST_RUNNING);
  EXPECT_THAT(acknowledged(true), IsEmpty());
  tells("hostA", report::PostOver{attempt(key), true});
  ASSERT_TRUE(said());
  EXPECT_EQ(said()->post(), wire::POST_ERR);
  EXPECT_THAT(acknowledged(true), IsEmpty()) << "of the job's end: it came late";
  ASSERT_TRUE(said()) << "it is told again when the clusters connect";
  acknowledged(false);
  EXPECT_FALSE(said());
}

TEST_F(PostExecution, IsNotToldToAnOlderRelease) {
  EXPECT_FALSE(acknowledged(false).empty());
  tells("hostA", report::PostOver{attempt(key), false});
  EXPECT_FALSE(said());
}

TEST_F(PostExecution, IsKilledFromWhereTheJobWasSubmitted) {
  const auto killed = book->forwards().signal("east", signal(7, 1, wire::SentSignal::TERMINATE), now);
  EXPECT_THAT(orders(killed.effects), ElementsAre(HasSubstr("OrderSignal")));
  tells("hostA", report::PostOver{attempt(key), true});
  const auto late = book->forwards().signal("east", signal(7, 2, wire::SentSignal::TERMINATE), now);
  EXPECT_THAT(orders(late.effects), IsEmpty());
}

// JOB_NEW names the source cluster and its job, JOB_ACCEPT too.
TEST_F(Foreign, IsRecordedWithTheClusterAndTheJobItCameFrom) {
  const auto answered = offer(7);
  std::vector<wire::JobEvent> events;
  for (const auto& effect : answered.effects)
    if (const auto* recorded = std::get_if<effect::RecordEvent>(&effect)) events.push_back(recorded->event);
  ASSERT_EQ(events.size(), 2U);
  EXPECT_EQ(events[0].new_job().record().from().cluster(), "east");
  ASSERT_TRUE(events[1].has_accept());
  EXPECT_TRUE(events[1].accept().came());
  EXPECT_EQ(events[1].accept().cluster(), "east");
  EXPECT_EQ(events[1].accept().there().id(), 7);
  EXPECT_EQ(events[1].accept().queue(), "normal");
  EXPECT_EQ(key_of(events[1].key()), here(answered));
  std::vector<wire::JobEvent::WhatCase> present;
  tell_of_job(book->jobs(), here(answered),
              [&](const wire::JobEvent& event) { present.push_back(event.what_case()); });
  EXPECT_THAT(present, ElementsAre(wire::JobEvent::kNewJob, wire::JobEvent::kAccept)) << "of a new file";
}

// bjobs 7@east
class FoundByItsIdThere : public Foreign {
 protected:
  JobKey element(int id, int index, std::uint64_t number = 1) {
    wire::ForwardOffer offer;
    *offer.mutable_attempt() = attempt_of(id, number);
    offer.mutable_attempt()->mutable_key()->set_index(index);
    offer.set_queue("normal");
    return here(book->forwards().offer("east", offer, plain_job(), kAnn, now));
  }
  static wire::IndexList list(int id, const std::string& cluster, std::vector<int> indices = {}) {
    wire::IndexList list;
    list.set_id(id);
    list.set_cluster(cluster);
    for (const int index : indices) {
      auto& range = *list.add_indices();
      range.set_first(index);
      range.set_last(index);
      range.set_step(1);
    }
    return list;
  }
  Selection find(std::vector<wire::IndexList> lists) {
    wire::JobFilter filter;
    filter.add_keys()->set_id(-1);
    for (auto& one : lists) *filter.add_of_clusters() = std::move(one);
    return book->jobs().select(filter, kBob);
  }
};

TEST_F(FoundByItsIdThere, AsAJobAnArrayOrAnElement) {
  const JobKey job = here(offer(7));
  const JobKey first = element(9, 1), second = element(9, 2);
  element(10, 1);
  EXPECT_THAT(find({list(7, "east")}).jobs, ElementsAre(job));
  EXPECT_THAT(find({list(9, "east")}).jobs, ElementsAre(first, second));
  EXPECT_THAT(find({list(9, "east", {2})}).jobs, ElementsAre(second));
  const auto none = find({list(7, "west"), list(8, "east"), list(9, "east", {3})});
  EXPECT_THAT(none.jobs, IsEmpty());
  EXPECT_THAT(none.unknown, ElementsAre("7@west", "8@east", "9[3]@east"));
}

TEST_F(FoundByItsIdThere, AsItsLastAttempt) {
  const JobKey returned = element(9, 1);
  const JobKey again = element(9, 1, 2);
  ASSERT_NE(returned, again);
  EXPECT_THAT(find({list(9, "east")}).jobs, ElementsAre(again));
}

TEST_F(FoundByItsIdThere, OrAsAJobOfThisClusterByThatName) {
  const JobKey ours{submit(plain_job()), 0};
  EXPECT_THAT(find({list(ours.id, "lab")}).jobs, ElementsAre(ours));
  EXPECT_THAT(find({list(99, "lab")}).unknown, ElementsAre("99@lab"));
  wire::JobFilter old;
  old.add_keys()->set_id(-1);
  EXPECT_THAT(book->jobs().select(old, kBob).unknown, ElementsAre("-1"))
      << "what an older release answers, which knows no other ids";
}

}  // namespace
}  // namespace rollcall::sched::book
