// In which order messages of a cluster are taken, and what leaves to it behind a commit: the table of inbound_forwards.hpp.
#include "sched/policy/peers/inbound_forwards.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rollcall::sched::peers {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

wire::PeerMessage offer(int id) {
  wire::PeerMessage message;
  message.mutable_offer()->mutable_attempt()->mutable_key()->set_id(id);
  message.mutable_offer()->mutable_attempt()->set_attempt(1);
  return message;
}
wire::PeerMessage recall(int id) {
  wire::PeerMessage message;
  message.mutable_recall()->mutable_attempt()->mutable_key()->set_id(id);
  return message;
}
wire::ForwardOver refusal(int id) {
  wire::ForwardOver over;
  over.mutable_attempt()->mutable_key()->set_id(id);
  over.set_how(wire::ForwardOver::REFUSED);
  return over;
}

std::string text(const wire::PeerMessage& message) {
  const auto id = [](const auto& one) { return std::to_string(one.attempt().key().id()); };
  if (message.has_offer()) return "offer " + id(message.offer());
  if (message.has_recall()) return "recall " + id(message.recall());
  if (message.has_state()) return "state " + id(message.state());
  if (message.has_over()) return "over " + id(message.over());
  if (message.has_applications()) return "applications";
  if (!message.has_held()) return "other";
  std::string all = "held";
  for (const auto& one : message.held().running()) all += " " + id(one);
  for (const auto& one : message.held().over()) all += " " + id(one);
  return all + (message.held().last() ? "." : "");
}

// A Book: job N is attempt N of its cluster.
class Book : public InboundForwards::Jobs {
 public:
  wire::JobRecord& holds(int id, const std::string& cluster = "east") {
    auto& job = jobs[{id, 0}];
    job.record.mutable_key()->set_id(id);
    job.record.set_status(wire::STATUS_PEND);
    job.record.set_queue("normal");
    job.record.mutable_from()->set_cluster(cluster);
    job.asked = std::make_shared<const wire::Submission>();
    return job.record;
  }
  std::vector<JobKey> held_for(const std::string& cluster) const override {
    std::vector<JobKey> held;
    for (const auto& [key, job] : jobs)
      if (job.record.from().cluster() == cluster) held.push_back(key);
    return held;
  }
  std::optional<SaidOfAttempt> said_of(JobKey key) const override {
    const Job* job = find(key);
    if (!job || job->record.from().acknowledged()) return std::nullopt;
    SaidOfAttempt said;
    const auto put = [&](auto& one) {
      one.mutable_attempt()->mutable_key()->set_id(key.id);
      one.mutable_job()->mutable_key()->set_id(key.id);
      one.mutable_job()->set_status(job->record.status());
      if (job->record.has_usage()) *one.mutable_job()->mutable_usage() = job->record.usage();
    };
    if (finished(job->record.status()))
      put(said.over.emplace());
    else
      put(said.state.emplace());
    return said;
  }
  const Job* find(JobKey key) const override {
    const auto found = jobs.find(key);
    return found == jobs.end() ? nullptr : &found->second;
  }
  std::string why(JobKey key) const override {
    ++asked_why;
    return "reason of " + std::to_string(key.id);
  }
  std::map<JobKey, Job> jobs;
  mutable int asked_why = 0;
};

class Inbound : public testing::Test {
 protected:
  std::vector<std::string> flush() {
    std::vector<std::string> all;
    said.clear();
    in.flush(book, [&](const std::string& cluster, wire::PeerMessage message) {
      all.push_back(cluster + ": " + text(message));
      said.push_back(std::move(message));
    });
    return all;
  }
  std::vector<std::string> take_all() {
    std::vector<std::string> all;
    for (; in.next("east"); in.taken("east")) all.push_back(text(*in.next("east")));
    return all;
  }

  InboundForwards in;
  Book book;
  std::vector<wire::PeerMessage> said;
};

TEST_F(Inbound, TellsWhatIsHeldThenAnswersThenJobs) {
  book.holds(1);
  book.holds(2).set_status(wire::STATUS_DONE);
  book.holds(3, "north");
  in.serves("east");
  in.refused("east", refusal(7));
  in.also("east", wire::PeerMessage());
  in.changed({{1, 0}, {3, 0}});
  EXPECT_THAT(flush(), ElementsAre("east: held 1 2.", "east: over 7", "east: other", "east: state 1"));
  EXPECT_THAT(flush(), IsEmpty());
}

TEST_F(Inbound, TellsThatNothingIsHeld) {
  in.serves("east");
  EXPECT_THAT(flush(), ElementsAre("east: held."));
}

TEST_F(Inbound, TellsAJobAsItStandsBehindTheCommit) {
  in.serves("east");
  flush();
  in.answered("east", SaidOfAttempt{[] {
                                      wire::ForwardState state;
                                      state.mutable_job()->mutable_key()->set_id(1);
                                      return state;
                                    }(),
                                    std::nullopt});
  book.holds(1).set_status(wire::STATUS_EXIT);
  EXPECT_THAT(flush(), ElementsAre("east: over 1"));
  book.jobs[{1, 0}].record.mutable_from()->set_acknowledged(true);
  in.changed({{1, 0}});
  EXPECT_THAT(flush(), IsEmpty()) << "its end is acknowledged";
}

// One that left in the next connection would answer an offer that may be accepted there.
TEST_F(Inbound, DropsAnswersWithTheirConnection) {
  for (const bool noticed : {true, false}) {
    in.serves("east");
    flush();
    in.refused("east", refusal(7));
    if (noticed) in.lost("east");
    in.serves("east");
    EXPECT_THAT(flush(), ElementsAre("east: held.")) << noticed;
  }
}

TEST_F(Inbound, TellsNothingToAClusterThatIsNotConnected) {
  in.refused("east", refusal(7));
  in.changed({{1, 0}});
  book.holds(1);
  EXPECT_THAT(flush(), IsEmpty());
  EXPECT_TRUE(in.heard("east", offer(1)));
  EXPECT_EQ(in.next("east"), nullptr);
  in.serves("east");
  EXPECT_THAT(flush(), ElementsAre("east: held 1."));
}

TEST_F(Inbound, ALookUpHoldsBackWhatFollows) {
  in.serves("east");
  ASSERT_TRUE(in.heard("east", offer(1)));
  const auto connection = in.looks_up("east");
  ASSERT_TRUE(in.heard("east", recall(1)));
  EXPECT_EQ(in.next("east"), nullptr);
  ASSERT_TRUE(in.looked_up("east", connection));
  EXPECT_THAT(take_all(), ElementsAre("offer 1", "recall 1"));
}

TEST_F(Inbound, ALookUpOfAnEarlierConnectionIsIgnored) {
  in.serves("east");
  ASSERT_TRUE(in.heard("east", offer(1)));
  const auto connection = in.looks_up("east");
  in.serves("east");
  ASSERT_TRUE(in.heard("east", offer(2)));
  const auto second = in.looks_up("east");
  EXPECT_FALSE(in.looked_up("east", connection));
  EXPECT_EQ(in.next("east"), nullptr) << "its own look-up is not over";
  EXPECT_TRUE(in.looked_up("east", second));
  EXPECT_THAT(take_all(), ElementsAre("offer 2"));
  in.lost("east");
  EXPECT_FALSE(in.looked_up("east", second));
}

// While nothing can be committed, a cluster that offers on fills no memory with refusals.
TEST_F(Inbound, AnswersThatCannotLeaveHoldBackWhatFollows) {
  in = InboundForwards({.answers = 2});
  in.serves("east");
  for (int id = 1; id <= 3; ++id) ASSERT_TRUE(in.heard("east", offer(id)));
  for (int id = 1; id <= 2; ++id) {
    ASSERT_TRUE(in.next("east")) << id;
    in.refused("east", refusal(id));
    in.taken("east");
  }
  EXPECT_FALSE(in.next("east"));
  EXPECT_THAT(flush(), ElementsAre("east: held.", "east: over 1", "east: over 2"));
  EXPECT_THAT(take_all(), ElementsAre("offer 3"));
}

TEST_F(Inbound, BoundsWhatWaits) {
  in = InboundForwards({.waiting = 2, .waiting_bytes = 1000, .full_part = 1000});
  in.serves("east");
  EXPECT_TRUE(in.heard("east", offer(1)));
  EXPECT_TRUE(in.heard("east", offer(2)));
  const auto third = in.heard("east", offer(3));
  ASSERT_FALSE(third);
  EXPECT_THAT(third.error().text, HasSubstr("more than 2 messages"));
  in.serves("east");
  wire::PeerMessage large = offer(1);
  large.mutable_offer()->set_queue(std::string(600, 'q'));
  EXPECT_TRUE(in.heard("east", large));
  in.taken("east");
  EXPECT_TRUE(in.heard("east", large)) << "the first one waits no more";
  EXPECT_FALSE(in.heard("east", large));
}

// A million attempts take no turn for themselves: a part each, made from the jobs as they are then.
TEST_F(Inbound, TellsWhatIsHeldInPartsOverSeveralTurns) {
  in = InboundForwards({.waiting = 2, .waiting_bytes = 1000, .full_part = 1});
  for (int id = 1; id <= 4; ++id) book.holds(id);
  in.serves("east");
  EXPECT_TRUE(in.greets());
  EXPECT_THAT(flush(), ElementsAre("east: held 1"));
  EXPECT_THAT(in.greeted(), IsEmpty()) << "figures come behind all that is held";
  in.also("east", wire::PeerMessage());
  in.changed({{1, 0}, {2, 0}});
  EXPECT_THAT(flush(), ElementsAre("east: held 2"));
  book.jobs.at({3, 0}).record.mutable_from()->set_acknowledged(true);
  EXPECT_THAT(flush(), ElementsAre("east: held 4.", "east: other", "east: state 1", "east: state 2"));
  EXPECT_FALSE(in.greets());
  EXPECT_THAT(flush(), IsEmpty());
}

TEST_F(Inbound, ProcessesDoNotCross) {
  book.holds(1).mutable_usage()->add_pids(4711);
  in.serves("east");
  flush();
  EXPECT_EQ(said[0].held().running(0).job().usage().pids_size(), 0);
  in.changed({{1, 0}});
  flush();
  EXPECT_EQ(said[0].state().job().usage().pids_size(), 0);
}

TEST_F(Inbound, FiguresAccountForTheOffersOfTheConnectionAndForWhatIsHeld) {
  book.holds(1).mutable_from()->set_number(5);
  in.serves("east");
  EXPECT_THAT(in.greeted(), IsEmpty());
  flush();
  EXPECT_THAT(in.greeted(), ElementsAre("east"));
  EXPECT_EQ(in.accounts_for("east", "normal"), 5U);
  in.offered("east", "normal", 9);
  in.offered("east", "normal", 8);
  in.offered("east", "other", 3);
  EXPECT_EQ(in.accounts_for("east", "normal"), 9U);
  EXPECT_EQ(in.accounts_for("east", "other"), 3U);
  EXPECT_EQ(in.accounts_for("north", "normal"), 0U);
  in.serves("east");
  EXPECT_THAT(in.greeted(), IsEmpty()) << "what is held is told first";
  EXPECT_EQ(in.accounts_for("east", "normal"), 0U) << "offers on the way were lost";
}

// It was switched here: its cluster numbers it in the queue that it asked for.
TEST_F(Inbound, AJobCountsInTheQueueThatItWasOfferedTo) {
  auto& record = book.holds(1);
  record.mutable_from()->set_number(5);
  record.set_queue("night");
  auto asked = std::make_shared<wire::Submission>();
  asked->add_queues("normal");
  book.jobs[{1, 0}].asked = asked;
  in.serves("east");
  flush();
  EXPECT_EQ(in.accounts_for("east", "normal"), 5U);
  EXPECT_EQ(in.accounts_for("east", "night"), 0U);
}

TEST_F(Inbound, RepeatsRunningJobsAndTheReasonsThatFit) {
  for (int id = 1; id <= 3; ++id) book.holds(id);
  book.holds(4).set_status(wire::STATUS_RUN);
  book.holds(5).set_status(wire::STATUS_DONE);
  in.serves("east");
  flush();
  const std::size_t of_two = std::string("reason of 1").size() * 2;
  in.tell_running(book);
  EXPECT_TRUE(in.anything_changed());
  in.tell_reasons(book, of_two);
  book.asked_why = 0;
  EXPECT_THAT(flush(), ElementsAre("east: state 1", "east: state 2", "east: state 4"));
  EXPECT_EQ(said[0].state().job().why(), "reason of 1");
  EXPECT_EQ(book.asked_why, 0) << "they were asked for already";
  in.tell_reasons(book, of_two);
  EXPECT_THAT(flush(), ElementsAre("east: state 1", "east: state 3"));
}

// Sending may end a connection.
TEST_F(Inbound, AConnectionThatEndsInFlushGetsNothingMore) {
  for (const int id : {1, 2}) book.holds(id, id == 1 ? "east" : "north");
  in.serves("east");
  in.serves("north");
  in.changed({{1, 0}, {2, 0}});
  std::vector<std::string> all;
  in.flush(book, [&](const std::string& cluster, const wire::PeerMessage& message) {
    all.push_back(cluster + ": " + text(message));
    in.lost("north");
  });
  EXPECT_THAT(all, ElementsAre("east: held 1.", "east: state 1"));
}

}  // namespace
}  // namespace rollcall::sched::peers
