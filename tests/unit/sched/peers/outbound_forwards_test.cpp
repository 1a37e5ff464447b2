// What is known of attempts in other clusters, which orders may leave, and what of a cluster's messages reaches the Book: the table of
// outbound_forwards.hpp.
#include "sched/policy/peers/outbound_forwards.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rollcall::sched::peers {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

const conf::RemoteQueue kNight{"night", "east"};

wire::ForwardAttempt named(int id, std::uint64_t number = 1) {
  wire::ForwardAttempt attempt;
  attempt.mutable_key()->set_id(id);
  attempt.set_attempt(number);
  return attempt;
}
Attempt attempt(int id, std::uint64_t number = 1) { return {{id, 0}, number}; }

wire::PeerMessage held(bool last = true) {
  wire::PeerMessage message;
  message.mutable_held()->set_last(last);
  return message;
}
wire::PeerMessage state(int id) {
  wire::PeerMessage message;
  *message.mutable_state()->mutable_attempt() = named(id);
  auto& job = *message.mutable_state()->mutable_job();
  job.mutable_key()->set_id(70 + id);
  job.set_status(wire::STATUS_PEND);
  job.set_queue("night");
  return message;
}
wire::PeerMessage over(int id, wire::ForwardOver::How how) {
  wire::PeerMessage message;
  *message.mutable_over()->mutable_attempt() = named(id);
  message.mutable_over()->set_how(how);
  if (how == wire::ForwardOver::ENDED) {
    message.mutable_over()->mutable_job()->mutable_key()->set_id(70 + id);
    message.mutable_over()->mutable_job()->set_status(wire::STATUS_DONE);
  }
  return message;
}
wire::PeerMessage figures(int pending, std::uint64_t accounts_for, const std::string& queue = "night") {
  wire::PeerMessage message;
  auto& told = *message.mutable_figures()->add_queues();
  told.set_name(queue);
  told.set_total(10);
  told.set_available(10);
  told.set_pending(pending);
  told.set_accounts_for(accounts_for);
  return message;
}

// A Book with jobs in clusters, which ends the attempts that are told to be over.
class Book : public OutboundForwards::Port {
 public:
  void sends(int id, const std::string& cluster, std::uint64_t number) {
    Job& job = jobs[{id, 0}];
    job.asked = std::make_shared<const wire::Submission>();
    job.record.mutable_key()->set_id(id);
    job.record.set_status(wire::STATUS_RUN);
    job.record.set_attempt(1);
    auto& host = *job.record.add_hosts();
    host.set_name("@" + cluster);
    host.set_slots(2);
    job.record.mutable_forwarded()->set_cluster(cluster);
    job.record.mutable_forwarded()->set_queue("night");
    job.record.mutable_forwarded()->set_number(number);
  }
  const Job* find(JobKey key) const override {
    const auto found = jobs.find(key);
    return found == jobs.end() ? nullptr : &found->second;
  }
  std::vector<JobKey> jobs_on(const std::string& host) const override {
    std::vector<JobKey> all;
    for (const auto& [key, job] : jobs)
      if (job.record.hosts(0).name() == host) all.push_back(key);
    return all;
  }
  bool sends_to(const conf::RemoteQueue& queue) const override { return queue.queue == "night"; }
  void told(const std::string& host, const HostReport& report) override {
    if (const auto* came = std::get_if<report::HostCame>(&report))
      reports.push_back(host + " came with " + std::to_string(came->jobs.size()));
    if (const auto* there = std::get_if<report::Elsewhere>(&report))
      reports.push_back(host + " has " + text(there->attempt.job));
    if (const auto* ready = std::get_if<report::Ready>(&report))
      reports.push_back(host + " awaits a client on " + ready->stream.host());
    const auto* end = std::get_if<report::Over>(&report);
    if (!end) return;
    reports.push_back(host + " ends " + text(end->attempt.job));
    figures = end->figures;
    if (end->how == report::Over::How::never_seen) return;  // it is offered again
    const auto job = jobs.find(end->attempt.job);
    if (job != jobs.end() && job->second.record.hosts(0).name() == host) jobs.erase(job);
  }
  void over(const conf::RemoteQueue&, const Attempt& attempt, const wire::ForwardOver& over) override {
    overs.push_back(text(attempt.job) + " " + wire::ForwardOver::How_Name(over.how()));
  }
  void answers_again(const std::string& cluster) override { again.push_back(cluster); }
  void log(const std::string& line) override { lines.push_back(line); }

  std::map<JobKey, Job> jobs;
  std::vector<std::string> reports, overs, lines, again;
  std::optional<wire::RemoteSlots> figures;
};

class Outbound : public testing::Test {
 protected:
  void hears(const wire::PeerMessage& message, const std::string& cluster = "east") {
    const auto heard = out.heard(cluster, message, {}, book);
    ASSERT_TRUE(heard) << heard.error().text;
  }
  std::string error(const wire::PeerMessage& message) {
    const auto heard = out.heard("east", message, {}, book);
    return heard ? "" : heard.error().text;
  }
  void connects(const std::string& cluster = "east") {
    out.serves(cluster);
    hears(held(), cluster);
    book.reports.clear();
  }
  std::uint64_t sends(int id, const conf::RemoteQueue& queue = kNight) {
    const auto number = out.forwarded(attempt(id), queue, 2);
    book.sends(id, queue.cluster, number);
    return number;
  }
  int pending(const conf::RemoteQueue& queue = kNight) const {
    const auto known = out.queues().figures(queue);
    return known ? known->slots.pending : -1;
  }

  OutboundForwards out{100};
  Book book;
};

TEST_F(Outbound, OrdersLeaveWhenTheClusterHasSaidAllThatItHolds) {
  EXPECT_FALSE(out.order("east"));
  out.serves("east");
  EXPECT_FALSE(out.offer("east", attempt(1)));
  hears(held(false));
  EXPECT_FALSE(out.greeted("east"));
  EXPECT_FALSE(out.order("east"));
  hears(held());
  EXPECT_TRUE(out.greeted("east"));
  EXPECT_TRUE(out.order("east"));
  EXPECT_TRUE(out.offer("east", attempt(1)));
  EXPECT_FALSE(out.offer("east", attempt(1))) << "once in a connection";
  EXPECT_TRUE(out.lost("east"));
  EXPECT_FALSE(out.order("east"));
  EXPECT_FALSE(out.lost("east")) << "it is told once";
}

TEST_F(Outbound, QueuesThatTheClusterDoesNotNameAreClosedWhileItIsConnected) {
  const conf::RemoteQueue other{"other", "east"};
  const auto closed = [&] { return out.queues().of({other}, {}, {}).at(0).closed; };
  connects();
  EXPECT_EQ(closed(), "") << "it has not told";
  wire::PeerMessage told;
  told.mutable_applications()->set_tells_queues(true);
  told.mutable_applications()->add_queues("night");
  hears(told);
  EXPECT_THAT(closed(), HasSubstr("RCVJOBS_FROM"));
  EXPECT_EQ(out.queues().of({kNight}, {}, {}).at(0).closed, "");
  out.lost("east");
  connects();
  EXPECT_EQ(closed(), "");
}

TEST_F(Outbound, MessagesOutOfTheirOrderAreErrors) {
  EXPECT_THAT(error(held()), HasSubstr("once in a connection"));
  out.serves("east");
  EXPECT_THAT(error(state(1)), HasSubstr("before the last ForwardHeld"));
  EXPECT_THAT(error(figures(0, 0)), HasSubstr("before the last ForwardHeld"));
  hears(held());
  EXPECT_THAT(error(held()), HasSubstr("once in a connection"));
}

TEST_F(Outbound, TellsTheBookAllPartsOfWhatIsHeldAtOnce) {
  sends(1);
  sends(2);
  out.serves("east");
  auto first = held(false), last = held();
  *first.mutable_held()->add_running() = state(1).state();
  *last.mutable_held()->add_over() = over(2, wire::ForwardOver::ENDED).over();
  hears(first);
  EXPECT_THAT(book.reports, IsEmpty());
  hears(last);
  EXPECT_THAT(book.reports, ElementsAre("@east came with 2", "@east has 1", "@east ends 2"));
}

// Of a store that was lost here. It is ended as it is told; the cluster has told no lie that the log would name.
TEST_F(Outbound, EndsAHeldJobThatIsNotKnownHere) {
  out = OutboundForwards(100, {.held = 1, .held_bytes = 1000, .complaints = 20});
  out.serves("east");
  for (int id = 1; id <= 3; ++id) {
    auto part = held(false);
    *part.mutable_held()->add_running() = state(id).state();
    *part.mutable_held()->add_over() = over(10 + id, wire::ForwardOver::ENDED).over();
    hears(part);
    const auto ends = out.take_ends_of_strangers();
    ASSERT_EQ(ends.size(), 2U) << "none of them counts";
    EXPECT_EQ(ends[0].second.signal().sent().signal(), 9);
    EXPECT_EQ(ends[1].second.acknowledge().attempt().key().id(), 10 + id);
  }
  auto all = held();
  auto runs = state(1).state();
  runs.mutable_job()->set_status(wire::STATUS_RUN);
  runs.mutable_job()->add_hosts()->set_name("e1");
  *all.mutable_held()->add_running() = runs;
  hears(all);
  EXPECT_THAT(book.reports, ElementsAre("@east came with 0"));
  EXPECT_THAT(book.lines, IsEmpty());
}

TEST_F(Outbound, BoundsWhatAClusterHolds) {
  for (int id = 1; id <= 3; ++id) book.sends(id, "east", 40);
  out = OutboundForwards(100, {.held = 2, .held_bytes = 1000, .complaints = 20});
  out.serves("east");
  auto part = held(false);
  for (int id = 1; id <= 3; ++id) *part.mutable_held()->add_running() = state(id).state();
  EXPECT_THAT(error(part), HasSubstr("more than 2 attempts"));
  out.serves("east");
  part = held(false);
  auto& large = *part.mutable_held()->add_over();
  large = over(1, wire::ForwardOver::ENDED).over();
  large.set_why(std::string(2000, 'x'));
  EXPECT_THAT(error(part), HasSubstr("MB of them"));
}

TEST_F(Outbound, CountsForwardsUntilTheyAreOver) {
  connects();
  hears(figures(0, 0));
  EXPECT_EQ(sends(1), 100U);
  sends(2);
  EXPECT_EQ(pending(), 4);
  hears(over(1, wire::ForwardOver::REFUSED));
  EXPECT_EQ(pending(), 2);
  hears(figures(2, 101));
  EXPECT_EQ(pending(), 2);
  hears(over(2, wire::ForwardOver::WITHDRAWN));
  EXPECT_EQ(pending(), 0);
  EXPECT_EQ(book.figures->pending(), 0) << "what the next job like it finds";
  EXPECT_THAT(book.overs, ElementsAre("1 REFUSED", "2 WITHDRAWN"));
}

TEST_F(Outbound, AnAttemptThatIsOfferedAgainStaysCounted) {
  connects();
  hears(figures(0, 0));
  sends(1);
  hears(over(1, wire::ForwardOver::UNKNOWN));
  EXPECT_EQ(pending(), 2);
}

TEST_F(Outbound, ARepeatedEndChangesNothing) {
  connects();
  sends(1);
  hears(figures(2, 100));
  hears(over(1, wire::ForwardOver::WITHDRAWN));
  hears(over(1, wire::ForwardOver::WITHDRAWN));
  EXPECT_EQ(pending(), 0);
  EXPECT_THAT(book.overs, SizeIs(1));
  EXPECT_THAT(book.reports, SizeIs(2)) << "the Book acknowledges it again";
}

// A cluster that lies harms only itself.
// The store of before was lost, and the job there has only the number of one of ours.
TEST_F(Outbound, WhatIsSaidOfAnAttemptOfAStoreThatIsGoneIsOfNoJobOfOurs) {
  book.sends(1, "east", 500);
  auto all = held();
  *all.mutable_held()->add_running() = state(1).state();
  all.mutable_held()->mutable_running(0)->mutable_attempt()->set_made(100);
  out.serves("east");
  hears(all);
  EXPECT_THAT(book.reports, ElementsAre("@east came with 0"));
  auto ends = out.take_ends_of_strangers();
  ASSERT_THAT(ends, SizeIs(1));
  EXPECT_EQ(ends.front().second.signal().sent().signal(), 9);
  EXPECT_EQ(ends.front().second.signal().attempt().made(), 100U);
  auto end = over(1, wire::ForwardOver::ENDED);
  end.mutable_over()->mutable_attempt()->set_made(100);
  hears(end);
  EXPECT_THAT(book.jobs, SizeIs(1)) << "ours has not ended";
  ends = out.take_ends_of_strangers();
  ASSERT_THAT(ends, SizeIs(1));
  EXPECT_EQ(ends.front().second.acknowledge().attempt().made(), 100U);
  end.mutable_over()->mutable_attempt()->set_made(500);
  hears(end);
  EXPECT_THAT(book.jobs, IsEmpty());
}

TEST_F(Outbound, AClusterSaysNothingOfJobsInAnotherOne) {
  connects("north");
  connects();
  hears(figures(0, 0));
  sends(1);
  hears(figures(2, 100));
  hears(over(1, wire::ForwardOver::WITHDRAWN), "north");
  EXPECT_EQ(pending(), 2);
  EXPECT_THAT(book.overs, IsEmpty());
  EXPECT_THAT(book.reports, ElementsAre("@north ends 1")) << "the Book knows where it is";
  hears(over(1, wire::ForwardOver::WITHDRAWN));
  EXPECT_EQ(pending(), 0);
}

TEST_F(Outbound, ForwardsOfBeforeARestartCountWhenTheClusterIsBack) {
  book.sends(1, "east", 40);
  book.sends(2, "north", 41);
  out.serves("east");
  hears(held());
  hears(figures(0, 0));
  EXPECT_EQ(pending(), 2);
  hears(over(1, wire::ForwardOver::REFUSED));
  EXPECT_EQ(pending(), 0);
  EXPECT_THAT(book.overs, SizeIs(1));
}

TEST_F(Outbound, ForwardsThatEndedBeforeTheClusterHeardOfThemAreForgottenWhenItIsBack) {
  connects();
  hears(figures(0, 0));
  sends(1);
  out.lost("east");
  book.jobs.clear();  // it was killed
  connects();
  hears(figures(0, 0));
  EXPECT_EQ(pending(), 0);
  EXPECT_TRUE(out.offer("east", attempt(1))) << "its note is freed";
}

TEST_F(Outbound, KeepsFiguresOfQueuesThatJobsAreSentTo) {
  connects();
  hears(figures(1, 0, "other"));
  EXPECT_EQ(pending({"other", "east"}), -1);
  hears(figures(1, 0));
  EXPECT_EQ(pending(), 1);
  hears(figures(1, 5000));
  EXPECT_THAT(book.lines, ElementsAre(HasSubstr("figures of queue night that cannot be true")));
}

// Of an earlier connection nothing comes later: each connection counts from the beginning.
TEST_F(Outbound, FiguresOfANewConnectionAreNewer) {
  connects();
  hears(figures(1, 0));
  hears(figures(2, 0));
  connects();
  hears(figures(3, 0));
  EXPECT_EQ(pending(), 3);
}

TEST_F(Outbound, LogsAFewLinesOfAConnection) {
  out = OutboundForwards(100, {.held = 10, .held_bytes = 1000, .complaints = 2});
  connects();
  for (int i = 0; i < 5; ++i) hears(over(0, wire::ForwardOver::ENDED));
  EXPECT_THAT(book.lines, SizeIs(3));
  EXPECT_THAT(book.lines.back(), HasSubstr("not logged until it connects again"));
  connects();
  hears(over(0, wire::ForwardOver::ENDED));
  EXPECT_THAT(book.lines, SizeIs(4));
}

TEST_F(Outbound, AClusterThatLeftTooManyOffersAnswersAgain) {
  connects();
  const auto most = static_cast<int>(OrderGate::kMostUnanswered);
  for (int id = 1; id <= most; ++id) ASSERT_TRUE(out.offer("east", attempt(id)));
  EXPECT_EQ(out.unanswered("east"), OrderGate::kMostUnanswered);
  hears(state(1));
  EXPECT_THAT(book.again, ElementsAre("east"));
  hears(over(2, wire::ForwardOver::REFUSED));
  EXPECT_THAT(book.again, SizeIs(1)) << "it was open already";
}

TEST_F(Outbound, AnUnknownOfferIsRefused) {
  connects();
  sends(1);
  out.offer_unknown("east", named(1), book);
  EXPECT_THAT(book.overs, ElementsAre("1 REFUSED"));
  EXPECT_THAT(book.reports, ElementsAre("@east ends 1"));
}

TEST_F(Outbound, AHostThatAwaitsAClientHasNoPortHere) {
  connects();
  sends(1);
  auto runs = state(1);
  runs.mutable_state()->set_terminal(true);
  hears(runs);
  EXPECT_THAT(book.reports, ElementsAre("@east has 1", "@east awaits a client on east"));
}

}  // namespace
}  // namespace rollcall::sched::peers
