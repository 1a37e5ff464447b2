// When the executing side tells other clusters of its queues and of their jobs.
#include "sched/mbatchd/forward_in.hpp"

#include <boost/asio/io_context.hpp>

#include "tests/unit/sched/mbatchd/forward_fixture.hpp"

namespace rollcall::mbatchd {
namespace {

class ForwardInTest : public ForwardShellTest {
 protected:
  // A cluster whose queue takes jobs of `east`, which is connected and has a running job here.
  void begins(const std::string& params) {
    const auto files = sched::book::site_files(params, "RCVJOBS_FROM = east\n");
    book = std::make_unique<sched::book::Book>();
    book->configure(files, now);
    book->set_term(1);
    book->rows().loaded(now);
    hello("hostA");
    const auto key = waiting(7);
    dispatch(key);
    runs(key);
    configuration = configuration_of(files);
    snapshot.emplace(configuration->rules);
    in = std::make_unique<ForwardIn>(
        loop, book->jobs(), book->forwards(), log,
        ForwardIn::Handler{[this](const std::string&, wire::PeerMessage message) {
                             said.push_back(std::move(message));
                             return true;
                           },
                           [](sched::Effects) {}, [] {}, [this](sched::JobKey) { return why; }});
    in->configure(configuration);
    in->serves("east");
    in->flush(now);
    said.clear();
  }
  void reads(const std::string& params, const std::string& receives = "RCVJOBS_FROM = east\n") {
    configuration = configuration_of(sched::book::site_files(params, receives));
    const auto queue = *configuration->rules->queue("normal");
    const bool open = snapshot->queue(queue).open;
    snapshot.emplace(configuration->rules);
    snapshot->queue(queue).open = open;
    in->configure(configuration);
  }
  void opens(bool open) { snapshot->queue(*configuration->rules->queue("normal")).open = open; }
  // A job of `east`, by its id there.
  sched::JobKey waiting(int id) {
    wire::ForwardOffer offer;
    offer.mutable_attempt()->mutable_key()->set_id(id);
    offer.mutable_attempt()->set_attempt(1);
    offer.set_queue("normal");
    const auto answered =
        book->forwards().offer("east", offer, sched::book::plain_job(), sched::book::kAnn, now);
    return sched::key_of(answered.said.state->job().key());
  }
  // How many such messages leave from second 0 to `last`.
  int told(wire::PeerMessage::WhatCase what, int last) {
    said.clear();
    for (int second = 0; second <= last; ++second) {
      in->tick(*snapshot, now, at(second));
      in->flush(now);
    }
    return count(what);
  }

  std::string why = "why";  // of all that pend
  boost::asio::io_context loop;
  std::shared_ptr<const Configuration> configuration;
  std::optional<sched::cycle::Snapshot> snapshot;
  std::unique_ptr<ForwardIn> in;
};

TEST_F(ForwardInTest, SendsFiguresAtMcPluginUpdateInterval) {
  begins("MC_PLUGIN_UPDATE_INTERVAL = 30\n");
  EXPECT_EQ(told(What::kFigures, 89), 3);
  ASSERT_FALSE(said.empty());
  const auto& figures = said[0].figures();
  ASSERT_EQ(figures.queues_size(), 1) << "queues that receive";
  EXPECT_EQ(figures.queues(0).name(), "normal");
  EXPECT_EQ(figures.queues(0).priority(), 30);
  EXPECT_EQ(figures.queues(0).job_room(), 50) << "IMPT_JOBBKLG";
  EXPECT_FALSE(figures.queues(0).has_slot_room());
}

TEST_F(ForwardInTest, SendsFiguresAtOnceWhenAQueueClosesAndWhenItOpens) {
  begins("MC_PLUGIN_UPDATE_INTERVAL = 30\n");
  EXPECT_EQ(told(What::kFigures, 0), 1);
  EXPECT_FALSE(said[0].figures().queues(0).closed());
  for (const bool open : {false, true}) {
    opens(open);
    EXPECT_EQ(told(What::kFigures, 5), 1);
    ASSERT_FALSE(said.empty());
    EXPECT_EQ(said[0].figures().queues(0).closed(), !open);
  }
}

TEST_F(ForwardInTest, SendsNoFiguresWithoutMcPluginUpdateInterval) {
  for (const char* params : {"", "MC_PLUGIN_UPDATE_INTERVAL = 0\n"}) {
    begins(params);
    EXPECT_EQ(told(What::kFigures, 1000), 0) << params;
  }
}

TEST_F(ForwardInTest, SendsFiguresOnceMoreWhenAQueueThatWasToldClosedOpensWithoutAnInterval) {
  begins("MC_PLUGIN_UPDATE_INTERVAL = 30\n");
  opens(false);
  EXPECT_EQ(told(What::kFigures, 0), 1);
  reads("MC_PLUGIN_UPDATE_INTERVAL = 0\n");
  EXPECT_EQ(told(What::kFigures, 100), 0) << "it is closed";
  opens(true);
  EXPECT_EQ(told(What::kFigures, 100), 1);
  ASSERT_FALSE(said.empty());
  EXPECT_FALSE(said[0].figures().queues(0).closed());
  opens(false);
  EXPECT_EQ(told(What::kFigures, 100), 0);
  opens(true);
  EXPECT_EQ(told(What::kFigures, 100), 0) << "nobody believes it closed";
}

TEST_F(ForwardInTest, AQueueThatReceivesAgainIsToldOpenToWhoBelievesItClosed) {
  begins("MC_PLUGIN_UPDATE_INTERVAL = 30\n");
  opens(false);
  EXPECT_EQ(told(What::kFigures, 0), 1);
  reads("MC_PLUGIN_UPDATE_INTERVAL = 0\n", "RCVJOBS_FROM = west\n");
  opens(true);
  EXPECT_EQ(told(What::kFigures, 100), 0) << "east may send it nothing";
  reads("MC_PLUGIN_UPDATE_INTERVAL = 0\n");
  EXPECT_EQ(told(What::kFigures, 100), 1);
  ASSERT_FALSE(said.empty());
  EXPECT_FALSE(said[0].figures().queues(0).closed());
}

TEST_F(ForwardInTest, SendsFiguresToAClusterAsSoonAsItHasBeenGreeted) {
  begins("MC_PLUGIN_UPDATE_INTERVAL = 30\n");
  EXPECT_EQ(told(What::kFigures, 0), 1);
  in->lost("east");
  opens(false);
  in->serves("east");
  said.clear();
  in->tick(*snapshot, now, at(1));  // its greeting has not left
  EXPECT_EQ(count(What::kFigures), 0);
  in->flush(now);
  in->tick(*snapshot, now, at(1));
  ASSERT_EQ(count(What::kFigures), 1);
  EXPECT_TRUE(said.back().figures().queues(0).closed());
}

TEST_F(ForwardInTest, RepeatsStatesAtMcRusageUpdateInterval) {
  begins("MC_RUSAGE_UPDATE_INTERVAL = 10\nMC_PENDING_REASON_UPDATE_INTERVAL = 40\n");
  EXPECT_EQ(told(What::kState, 35), 3);
}

TEST_F(ForwardInTest, RepeatsStatesAtMcPendingReasonUpdateIntervalUnlessMcRusageUpdateIntervalIsSet) {
  begins("MC_PENDING_REASON_UPDATE_INTERVAL = 40\n");
  EXPECT_EQ(told(What::kState, 85), 2);
  begins("");
  EXPECT_EQ(told(What::kState, 601), 2) << "every 300 seconds";
  begins("MC_PENDING_REASON_UPDATE_INTERVAL = 0\n");
  EXPECT_EQ(told(What::kState, 601), 2) << "usage goes on";
}

// Each has its interval, and its own 0.
TEST_F(ForwardInTest, RepeatsPendingReasonsAtTheirIntervalAndUsageAtIts) {
  const auto usage_and_reasons = [&](const std::string& params, int last) {
    begins(params);
    const auto waits = waiting(8);
    told(What::kState, last);
    int reasons = 0;
    for (const auto& message : said)
      if (message.state().job().key().id() == waits.id) ++reasons;
    return std::pair(count(What::kState) - reasons, reasons);
  };
  EXPECT_EQ(usage_and_reasons("MC_RUSAGE_UPDATE_INTERVAL = 10\nMC_PENDING_REASON_UPDATE_INTERVAL = 40\n", 85),
            std::pair(8, 2));
  EXPECT_EQ(usage_and_reasons("MC_RUSAGE_UPDATE_INTERVAL = 10\nMC_PENDING_REASON_UPDATE_INTERVAL = 0\n", 85),
            std::pair(8, 0));
  EXPECT_EQ(usage_and_reasons("MC_RUSAGE_UPDATE_INTERVAL = 0\nMC_PENDING_REASON_UPDATE_INTERVAL = 40\n", 85),
            std::pair(0, 2));
  EXPECT_EQ(usage_and_reasons("MC_RUSAGE_UPDATE_INTERVAL = 0\nMC_PENDING_REASON_UPDATE_INTERVAL = 0\n", 85),
            std::pair(0, 0));
  EXPECT_EQ(in->next_tick(), std::nullopt);
}

TEST_F(ForwardInTest, SendsNoMoreReasonsAtOnceThanMcPendingReasonPkgSize) {
  why = std::string(600, 'r');
  const auto reasons_in_one_update = [&](const std::string& kilobytes) {
    begins(
        "MC_RUSAGE_UPDATE_INTERVAL = 0\nMC_PENDING_REASON_UPDATE_INTERVAL = 40\nMC_PENDING_REASON_PKG_SIZE "
        "= " +
        kilobytes + "\n");
    for (int id = 8; id < 13; ++id) waiting(id);
    return told(What::kState, 40);
  };
  EXPECT_EQ(reasons_in_one_update("1"), 1) << "two reasons have 1200 bytes";
  EXPECT_EQ(reasons_in_one_update("2"), 3);
  EXPECT_EQ(reasons_in_one_update("0"), 5) << "no bound";
}

// In the next connection the attempt is offered again, and may be accepted.
TEST_F(ForwardInTest, DropsRefusalsThatWaitForACommitWhenTheConnectionEnds) {
  begins("");
  wire::PeerMessage offer;
  offer.mutable_offer()->mutable_attempt()->mutable_key()->set_id(8);
  offer.mutable_offer()->mutable_attempt()->set_attempt(1);
  offer.mutable_offer()->set_queue("normal");  // for no user
  const auto is_offered = [&] { ASSERT_TRUE(in->heard("east", offer, now)); };
  is_offered();
  in->flush(now);
  EXPECT_EQ(count(What::kOver), 1);
  is_offered();
  in->lost("east");
  in->serves("east");
  in->flush(now);
  EXPECT_EQ(count(What::kOver), 1);
}

}  // namespace
}  // namespace rollcall::mbatchd
