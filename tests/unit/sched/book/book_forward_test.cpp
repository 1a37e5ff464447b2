// Attempts of other clusters, by the table of forwarded_jobs.hpp.
#include "tests/unit/sched/book/book_forward_fixture.hpp"

namespace rollcall::sched::book {
namespace {

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

// Where the begin was not told, from an end that came with it, this alone says where the job ran.
TEST_F(PostExecution, TheEndBeforeItSaysOnWhichHostsTheJobRan) {
  ASSERT_TRUE(said());
  ASSERT_EQ(said()->job().hosts_size(), 1);
  EXPECT_EQ(said()->job().hosts(0).name(), "hostA");
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
