// Which jobs the submission side offers, to how many queues, and how many in a session.
#include "sched/mbatchd/forward_out.hpp"

#include "tests/unit/sched/mbatchd/forward_fixture.hpp"

namespace rollcall::mbatchd {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class ForwardOutTest : public ForwardShellTest {
 protected:
  template <class Change>
  void begins(const std::string& queue, const std::string& params, const Change& change) {
    const auto files = sched::book::site_files(params, queue);
    book = std::make_unique<sched::book::Book>();
    book->configure(files, now);
    book->set_term(1);
    book->rows().loaded(now);
    configuration = configuration_of(files, change);
    snapshot.emplace(configuration->rules);
    starts();
  }
  // mbatchd is started again: what is in the Book is all that it knows.
  void starts() {
    out = std::make_unique<ForwardOut>(
        book->jobs(), log, 100,
        ForwardOut::Handler{
            [this](const std::string&, wire::PeerMessage message) {
              said.push_back(std::move(message));
              return true;
            },
            [this](const std::string& host, const sched::HostReport& report) { tells(host, report); },
            [](const std::string&) {},
            [this](sched::JobKey key, const sched::event::Dispatched& event) {
              offered.push_back(sched::text(key) + " " + event.forwarded->queue() + "@" +
                                event.forwarded->cluster());
              snapshot->forget(key);
              effects = book->hosts().dispatch(key, event, now);
              return true;
            },
            [this](const std::string& host, wire::PeerMessage::WhatCase kind) {
              unknown.push_back(host + " " + std::to_string(kind));
            },
            [] {}, [](const std::string&) { return std::string(); }, [this] { return lim_answers; }});
    out->configure(configuration);
    offered.clear();
    connects("east");
  }
  void begins(const std::string& queue, const std::string& params = "") {
    begins(queue, params, [](auto&) {});
  }
  void connects(const std::string& cluster) {
    out->serves(cluster);
    wire::PeerMessage held;
    held.mutable_held()->set_last(true);
    ASSERT_TRUE(out->heard(cluster, held, at(0)));
  }
  sched::JobKey waits(sched::JobKey key) { return waits(key, sched::cycle::demand_of(job(key), "")); }
  sched::JobKey waits(sched::JobKey key, const sched::cycle::Demand& demand) {
    snapshot->wait({.key = key, .demand = snapshot->demand(demand), .order = double(key.id)});
    return key;
  }
  sched::JobKey job_waits() { return waits({submit(sched::book::plain_job()), 0}); }
  void refused(sched::JobKey key, wire::ForwardOver::Scope scope = wire::ForwardOver::OF_THE_JOB) {
    wire::PeerMessage over;
    over.mutable_over()->mutable_attempt()->mutable_key()->set_id(key.id);
    over.mutable_over()->mutable_attempt()->set_attempt(job(key).record.attempt());
    over.mutable_over()->set_how(wire::ForwardOver::REFUSED);
    over.mutable_over()->set_refused_for(scope);
    over.mutable_over()->set_why("not known here");
    ASSERT_TRUE(out->heard("east", over, at(1)));
    waits(key);
  }
  // It is withdrawn there, and pends here again.
  void comes_back(sched::JobKey key) {
    wire::PeerMessage over;
    over.mutable_over()->mutable_attempt()->mutable_key()->set_id(key.id);
    over.mutable_over()->mutable_attempt()->set_attempt(job(key).record.attempt());
    over.mutable_over()->set_how(wire::ForwardOver::WITHDRAWN);
    ASSERT_TRUE(out->heard("east", over, at(2)));
    ASSERT_EQ(status(key), wire::STATUS_PEND);
    waits(key);
  }
  std::string verdicts(sched::JobKey key) const { return out->verdicts_of(*snapshot, key, now, at(3)).table; }
  // Of a queue with one slot.
  void figures(int pending, std::uint64_t accounts_for, bool closed = false) {
    wire::PeerMessage message;
    auto& queue = *message.mutable_figures()->add_queues();
    queue.set_name("receive");
    queue.set_total(1);
    queue.set_available(1);
    queue.set_pending(pending);
    queue.set_accounts_for(accounts_for);
    queue.set_job_room(50 - pending);
    queue.set_closed(closed);
    ASSERT_TRUE(out->heard("east", message, at(1)));
  }
  // Behind their commit.
  void leave(const sched::Effects& orders) {
    for (const auto& order : orders)
      book->hosts().carry_out(order, *out, [](const auto& asked) { return asked; });
  }
  std::vector<std::string> offers(WallTime when) {
    out->offer(*snapshot, when, at(1));
    return std::exchange(offered, {});
  }

  std::shared_ptr<const Configuration> configuration;
  std::optional<sched::cycle::Snapshot> snapshot;
  std::unique_ptr<ForwardOut> out;
  std::vector<std::string> offered, unknown;
  bool lim_answers = true;
};

TEST_F(ForwardOutTest, OffersAtMostLsbMaxForwardPerSessionInMbdSleepTime) {
  begins("SNDJOBS_TO = receive@east\n", "MBD_SLEEP_TIME = 20\n",
         [](auto& mbatchd) { mbatchd.most_forwards = 2; });
  for (int i = 0; i < 5; ++i) job_waits();
  EXPECT_EQ(offers(now).size(), 2U);
  EXPECT_THAT(offers(WallTime{now.us + 19'000'000}), IsEmpty());
  ASSERT_TRUE(out->next_session());
  EXPECT_EQ(out->next_session()->us, now.us + 20'000'000);
  EXPECT_EQ(offers(WallTime{now.us + 20'000'000}).size(), 2U);
  EXPECT_EQ(offers(WallTime{now.us + 40'000'000}).size(), 1U);
  EXPECT_FALSE(out->next_session());
}

TEST_F(ForwardOutTest, TellsWhatAnOlderClusterDoesNotKnow) {
  begins("SNDJOBS_TO = receive@east\n");
  const auto key = job_waits();
  offers(now);
  wire::ForwardAttempt attempt;
  attempt.mutable_key()->set_id(key.id);
  attempt.set_attempt(job(key).record.attempt());
  out->untaken({"east", wire::PeerMessage::kRecall, attempt});
  out->untaken({"east", wire::PeerMessage::kSignal, attempt});
  EXPECT_THAT(unknown, ElementsAre("@east " + std::to_string(wire::PeerMessage::kRecall),
                                   "@east " + std::to_string(wire::PeerMessage::kSignal)));
  EXPECT_TRUE(sched::is_elsewhere(job(key).record)) << "the job stays there";
  out->untaken({"east", wire::PeerMessage::kOffer, attempt});
  EXPECT_EQ(status(key), wire::STATUS_PEND) << "an offer is refused by it";
}

TEST_F(ForwardOutTest, OffersAJobToThreeQueuesInTurnInASession) {
  begins("SNDJOBS_TO = a@east b@east c@east d@east\n", "MBD_SLEEP_TIME = 20\n");
  const auto key = job_waits();
  const std::string name = sched::text(key);
  EXPECT_THAT(offers(now), ElementsAre(name + " a@east"));
  EXPECT_THAT(offers(now), IsEmpty()) << "never to two at once";
  refused(key);
  EXPECT_THAT(offers(now), ElementsAre(name + " b@east"));
  refused(key);
  EXPECT_THAT(offers(now), ElementsAre(name + " c@east"));
  refused(key);
  EXPECT_THAT(offers(now), IsEmpty());
  EXPECT_THAT(offers(WallTime{now.us + 20'000'000}), ElementsAre(name + " a@east"));
}

TEST_F(ForwardOutTest, AsksTheFourthQueueWhereThreeRefuseTheUser) {
  begins("SNDJOBS_TO = a@east b@east c@east d@east\n", "MBD_SLEEP_TIME = 20\n");
  const auto key = job_waits();
  for (int i = 0; i < 3; ++i) {
    ASSERT_EQ(offers(now).size(), 1U);
    refused(key, wire::ForwardOver::OF_ITS_USER);
  }
  const auto other = job_waits();
  EXPECT_THAT(offers(now), ElementsAre(sched::text(other) + " d@east")) << "the first had its three queues";
  EXPECT_THAT(verdicts(key),
              HasSubstr("it has refused jobs of user ann in this MBD_SLEEP_TIME: not known here"));
}

class ManyForwardsTest : public ForwardOutTest {
 protected:
  static constexpr int kMany = 1200;  // more than a pass chooses queues for
  // Each asks for something else.
  void many_wait(const sched::Identity& who = sched::book::kAnn) {
    for (int i = 0; i < kMany; ++i) {
      auto asked = sched::book::plain_job();
      asked.set_project("p" + std::to_string(i));
      many.push_back(waits({submit(asked, who), 0}));
    }
  }
  std::vector<sched::JobKey> many;
};

TEST_F(ManyForwardsTest, OfAUserWhoIsRefusedHoldUpNobody) {
  begins("SNDJOBS_TO = receive@east\n", "MBD_SLEEP_TIME = 20\n",
         [](auto& mbatchd) { mbatchd.most_forwards = 1; });
  many_wait();
  ASSERT_EQ(offers(now).size(), 1U);
  refused(many[0], wire::ForwardOver::OF_ITS_USER);
  const auto other = waits({submit(sched::book::plain_job(), sched::book::kBob), 0});
  EXPECT_THAT(offers(now), ElementsAre(sched::text(other) + " receive@east"));
}

TEST_F(ManyForwardsTest, ThatNoQueueCanTakeHoldUpNobodyForLong) {
  begins("SNDJOBS_TO = receive@east\n", "MC_PLUGIN_SCHEDULE_ENHANCE = RESOURCE_ONLY\nMBD_SLEEP_TIME = 20\n");
  figures(0, 0);
  for (int i = 0; i < kMany; ++i) {
    auto asked = sched::book::plain_job();
    asked.set_min_slots(2);
    asked.set_max_slots(2);
    asked.set_project("p" + std::to_string(i));
    waits({submit(asked), 0});
  }
  const auto other = waits({submit(sched::book::plain_job(), sched::book::kBob), 0});
  EXPECT_THAT(offers(now), IsEmpty());
  ASSERT_TRUE(out->next_session());
  EXPECT_THAT(offers(now), ElementsAre(sched::text(other) + " receive@east"));
}

// -m and FWD_USERS speak for all jobs of a demand.
TEST_F(ManyForwardsTest, ThatStayHomeAreLookedAtOnce) {
  begins("SNDJOBS_TO = receive@east\nFWD_USERS = bob\n");
  const sched::JobKey first{submit(sched::book::plain_job()), 0};
  waits(first);
  for (int i = 1; i < 20'001; ++i) {
    const sched::JobKey next{first.id, i};
    snapshot->wait({.key = next, .demand = snapshot->pending(first)->demand, .order = double(first.id)});
  }
  const auto other = waits({submit(sched::book::plain_job(), sched::book::kBob), 0});
  EXPECT_THAT(offers(now), ElementsAre(sched::text(other) + " receive@east"));
}

TEST_F(ForwardOutTest, OffersToAllClustersInTheOrderOfLsfShared) {
  begins("SNDJOBS_TO = receive@allclusters\n");
  const auto key = job_waits();
  EXPECT_THAT(verdicts(key), HasSubstr("receive@east"));
  EXPECT_THAT(verdicts(key), HasSubstr("receive@north"));
  EXPECT_THAT(offers(now), ElementsAre(sched::text(key) + " receive@east")) << "north is not connected";
}

TEST_F(ForwardOutTest, KeepsJobsOfUsersThatFwdUsersLeavesOut) {
  begins("SNDJOBS_TO = receive@east\nFWD_USERS = all ~ann\n");
  const auto key = job_waits();
  EXPECT_THAT(offers(now), IsEmpty());
  EXPECT_THAT(verdicts(key), HasSubstr("FWD_USERS of queue normal"));
  const auto other = waits({submit(sched::book::plain_job(), sched::book::kBob), 0});
  EXPECT_THAT(offers(now), ElementsAre(sched::text(other) + " receive@east"));
}

// The executing cluster may refuse the first of two offers and accept the second one.
TEST_F(ForwardOutTest, OffersAnAttemptOnceInAConnectionWhereTheFirstOfferWaitedForItsCommit) {
  begins("SNDJOBS_TO = receive@east\n");
  job_waits();
  ASSERT_EQ(offers(now).size(), 1U);
  const auto waiting = effects;
  connects("east");
  leave(waiting);
  leave(effects);
  EXPECT_EQ(count(What::kOffer), 1);
  connects("east");
  leave(effects);
  EXPECT_EQ(count(What::kOffer), 2) << "another connection";
}

// A job that the cluster does not hold counts as not offered, so no offer of it may be on its way.
TEST_F(ForwardOutTest, DropsOrdersUntilTheClusterHasSaidWhatItHolds) {
  begins("SNDJOBS_TO = receive@east\n");
  const auto key = job_waits();
  ASSERT_EQ(offers(now).size(), 1U);
  out->serves("east");
  leave(effects);
  sched::Effects others;
  others.push_back(sched::effect::OrderRelease{"@east", attempt(key)});
  others.push_back(sched::effect::OrderAcknowledge{"@east", attempt(key)});
  leave(others);
  EXPECT_THAT(said, IsEmpty());
  connects("east");
  leave(effects);
  leave(others);
  EXPECT_EQ(said.size(), 3U);
}

// A master that has just started has not heard its LIM; elsewhere no host would ever be of an unknown type.
TEST_F(ForwardOutTest, WaitsForTheTypeOfTheSubmissionHost) {
  begins("SNDJOBS_TO = receive@east\n");
  const sched::JobKey key{submit(sched::book::plain_job()), 0};
  auto demand = sched::cycle::demand_of(job(key), "select[type==local]");
  demand.from_type.clear();
  waits(key, demand);
  EXPECT_THAT(offers(now), IsEmpty());
  EXPECT_THAT(verdicts(key), HasSubstr("Not forwarded: the type of its submission host"));
  demand.from_type = "X86_64";
  waits(key, demand);
  EXPECT_THAT(offers(now), ElementsAre(sched::text(key) + " receive@east"));
}

// MAX_RSCHED_TIME, in MBD_SLEEP_TIME.
TEST_F(ForwardOutTest, AsksAWaitingJobBackAfterMaxRschedTime) {
  const auto asked_back = [&](const std::string& queue, std::int64_t seconds) {
    begins("SNDJOBS_TO = receive@east\n" + queue, "MBD_SLEEP_TIME = 20\n");
    job_waits();
    EXPECT_EQ(offers(now).size(), 1U);
    const auto orders = sched::book::orders(book->tick(WallTime{now.us + seconds * 1'000'000}));
    return std::any_of(orders.begin(), orders.end(),
                       [](const auto& one) { return one.starts_with("OrderRelease"); });
  };
  EXPECT_FALSE(asked_back("MAX_RSCHED_TIME = 3\n", 59));
  EXPECT_TRUE(asked_back("MAX_RSCHED_TIME = 3\n", 60));
  EXPECT_FALSE(asked_back("", 399)) << "20 by default";
  EXPECT_TRUE(asked_back("", 400));
  EXPECT_FALSE(asked_back("MAX_RSCHED_TIME = infinit\n", 10'000'000));
}

// The pitfall of the documents: a job that came back is not taken for a change of the queue's answer.
TEST_F(ForwardOutTest, ReturnsAreComparedWithoutTheJobItself) {
  begins("SNDJOBS_TO = receive@east\n",
         "MC_PLUGIN_SCHEDULE_ENHANCE = RESOURCE_ONLY\nMC_PLUGIN_UPDATE_INTERVAL = 1\n");
  const auto key = job_waits();
  for (std::uint64_t number = 100; number < 103; ++number) {
    figures(0, number - 1);
    ASSERT_EQ(offers(now).size(), 1U);
    figures(1, number);  // the job waits there
    comes_back(key);
  }
  EXPECT_THAT(verdicts(key), HasSubstr("the job came back 3 times"));
  figures(0, 102);
  EXPECT_THAT(verdicts(key), HasSubstr("the job came back 3 times")) << "the queue is as it was";
  EXPECT_THAT(offers(now), IsEmpty());
  figures(1, 102);
  EXPECT_THAT(offers(now), ElementsAre(sched::text(key) + " receive@east"))
      << "no slot is free any longer, but there is room";
}

TEST_F(ForwardOutTest, ReturnsOfBeforeARestartBarTheQueueUntilItsFiguresDiffer) {
  begins("SNDJOBS_TO = receive@east\n",
         "MC_PLUGIN_SCHEDULE_ENHANCE = RESOURCE_ONLY\nMC_PLUGIN_UPDATE_INTERVAL = 1\n");
  const auto key = job_waits();
  for (int i = 0; i < 3; ++i) {
    figures(0, 0);
    ASSERT_EQ(offers(now).size(), 1U);
    comes_back(key);
  }
  starts();
  figures(0, 0);
  EXPECT_THAT(verdicts(key), HasSubstr("the job came back 3 times"));
  figures(1, 0);
  EXPECT_THAT(offers(now), ElementsAre(sched::text(key) + " receive@east"));
}

TEST_F(ForwardOutTest, RepeatsAnOfferAfterARestartOnceLimHasToldTheTypeOfItsHost) {
  begins("SNDJOBS_TO = receive@east\n");
  auto asked = sched::book::plain_job();
  asked.clear_from_type();
  const sched::JobKey key{submit(asked), 0};
  auto demand = sched::cycle::demand_of(job(key), "");
  demand.from_type = "X86_64";
  waits(key, demand);
  ASSERT_EQ(offers(now).size(), 1U);
  lim_answers = false;
  starts();
  leave(effects);
  EXPECT_EQ(count(What::kOffer), 0);
  EXPECT_THAT(offers(now), IsEmpty());
  EXPECT_EQ(count(What::kOffer), 0) << "its type would be unknown there";
  lim_answers = true;
  EXPECT_THAT(offers(now), IsEmpty()) << "it is the attempt of before";
  EXPECT_EQ(count(What::kOffer), 1);
  offers(now);
  EXPECT_EQ(count(What::kOffer), 1) << "once";
  EXPECT_EQ(job(key).record.attempt(), 1U);
}

TEST_F(ForwardOutTest, ForwardsOfBeforeARestartAreCountedUntilAnUpdateContainsThem) {
  begins("SNDJOBS_TO = receive@east\n");
  job_waits();
  job_waits();
  ASSERT_EQ(offers(now).size(), 2U);  // numbers 100 and 101
  starts();
  const auto key = job_waits();
  const auto pending_there = [&] {
    const auto rows = out->verdicts_of(*snapshot, key, now, at(3)).rows;
    return rows.size() == 1 ? rows[0].figures().pending() : -1;
  };
  figures(0, 99);
  EXPECT_EQ(pending_there(), 2);
  figures(1, 100);
  EXPECT_EQ(pending_there(), 2);
  figures(2, 101);
  EXPECT_EQ(pending_there(), 2);
}

// Each update of figures takes a refusal of the queue back, so a queue that is closed has to say so.
TEST_F(ForwardOutTest, OffersNothingToAClosedQueueUntilItOpens) {
  begins("SNDJOBS_TO = receive@east\n");
  const auto key = job_waits();
  const auto shown = [&] {
    const auto rows = out->rows([](const std::string&) { return std::pair("ok", ""); }, at(3)).rows();
    return rows.size() == 1 ? rows[0].status() + ": " + rows[0].why() : "";
  };
  figures(0, 0, true);
  EXPECT_THAT(offers(now), IsEmpty());
  EXPECT_EQ(shown(), "closed: it is closed in its cluster (badmin qopen there opens it)");
  EXPECT_THAT(verdicts(key), testing::HasSubstr("it is closed in its cluster (badmin qopen there opens it)"));
  figures(0, 0);
  EXPECT_EQ(shown(), "ok: ");
  EXPECT_EQ(offers(now).size(), 1U) << "in the same session";
}

TEST_F(ForwardOutTest, SaysThatAQueueOfItsOwnClusterIsNoOtherOne) {
  begins("SNDJOBS_TO = normal@lab\n");
  const std::string why = "it is a queue of this cluster: jobs are forwarded to other clusters alone";
  const auto rows =
      out->rows([](const std::string&) { return std::pair("reject", "it is not in lsf.shared"); }, at(3));
  ASSERT_EQ(rows.rows_size(), 1);
  EXPECT_EQ(rows.rows(0).status(), "reject");
  EXPECT_EQ(rows.rows(0).why(), why);
  EXPECT_THAT(verdicts(job_waits()), testing::HasSubstr(why));
}

TEST_F(ForwardOutTest, AcknowledgesTheEndOfAJobAndThatOfItsPostExecution) {
  begins("SNDJOBS_TO = receive@east\n");
  const auto key = job_waits();
  ASSERT_EQ(offers(now).size(), 1U);
  const auto over = [&](wire::PostStatus post) {
    wire::PeerMessage message;
    auto& told = *message.mutable_over();
    told.mutable_attempt()->mutable_key()->set_id(key.id);
    told.mutable_attempt()->set_attempt(1);
    told.mutable_job()->mutable_key()->set_id(70);
    told.mutable_job()->set_status(wire::STATUS_DONE);
    told.set_post(post);
    said.clear();
    ASSERT_TRUE(out->heard("east", message, at(1)));
    leave(effects);
    ASSERT_EQ(count(What::kAcknowledge), 1);
  };
  over(wire::POST_RUNNING);
  EXPECT_EQ(job(key).record.post_status(), wire::POST_RUNNING);
  EXPECT_TRUE(said.back().acknowledge().post_open());
  over(wire::POST_RUNNING);
  EXPECT_TRUE(said.back().acknowledge().post_open()) << "told again";
  over(wire::POST_ERR);
  EXPECT_EQ(job(key).record.post_status(), wire::POST_ERR);
  EXPECT_FALSE(said.back().acknowledge().post_open());
}

TEST_F(ForwardOutTest, ShowsAReceivingQueueThatIsClosedAsItsSendersSeeIt) {
  begins("RCVJOBS_FROM = east\n");
  const auto shown = [&](const char* status) {
    const auto rows = out->rows([&](const std::string&) { return std::pair(status, ""); }, at(3)).rows();
    return rows.size() == 1 ? rows[0].status() + ": " + rows[0].why() : "";
  };
  EXPECT_EQ(shown("ok"), "ok: ");
  wire::ControlBatch close;
  close.set_action(wire::ControlBatch::QUEUE_CLOSE);
  close.add_names("normal");
  answer(book->commands().control(close, sched::book::kRoot, now));
  EXPECT_EQ(shown("ok"), "closed: it is closed (badmin qopen opens it)");
  EXPECT_EQ(shown("disc"), "disc: ");
}

}  // namespace
}  // namespace rollcall::mbatchd
