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
    wire::ForwardOffer offer;
    offer.mutable_attempt()->mutable_key()->set_id(7);
    offer.mutable_attempt()->set_attempt(1);
    offer.set_queue("normal");
    const auto answered =
        book->forwards().offer("east", offer, sched::book::plain_job(), sched::book::kAnn, now);
    const auto key = sched::key_of(answered.said.state->job().key());
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
                           [](sched::Effects) {}, [] {}, [](sched::JobKey) { return std::string("why"); }});
    in->configure(configuration);
    in->serves("east");
    in->flush(now);
    said.clear();
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

TEST_F(ForwardInTest, SendsNoFiguresWithoutMcPluginUpdateInterval) {
  for (const char* params : {"", "MC_PLUGIN_UPDATE_INTERVAL = 0\n"}) {
    begins(params);
    EXPECT_EQ(told(What::kFigures, 1000), 0) << params;
  }
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
  EXPECT_EQ(told(What::kState, 1000), 0);
  EXPECT_EQ(in->next_tick(), std::nullopt);
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
