// Pieces of files that pass between clusters: each answer reaches its asker, once, whatever is cut, lost, repeated or out of order; and
// what waits is bounded.
#include "sched/mbatchd/piece_relay.hpp"

#include <boost/asio/io_context.hpp>

#include "tests/unit/sched/mbatchd/forward_fixture.hpp"

namespace rollcall::mbatchd {
namespace {

using sched::JobKey;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

// One cluster: its job `there` runs in east, and `here` runs on hostA for east.
class PieceRelayTest : public ForwardShellTest {
 protected:
  PieceRelayTest() {
    const auto files = sched::book::site_files("", "RCVJOBS_FROM = allclusters\n");
    book = std::make_unique<sched::book::Book>();
    book->configure(files, now);
    book->set_term(1);
    book->rows().loaded(now);
    hello("hostA");
    there = forwarded_to("east");
    here = taken_in_from("east", 7);
    said.clear();
    relay = std::make_unique<PieceRelay>(
        loop, book->jobs(), book->forwards(), links,
        PieceRelay::Handler{[this](const std::string& cluster, wire::PeerMessage message) {
                              if (unconnected.contains(cluster)) return false;
                              to.push_back(cluster);
                              said.push_back(std::move(message));
                              return true;
                            },
                            [this](const std::string& host, const sched::Attempt& attempt,
                                   std::uint64_t number, const wire::PieceAsked&) {
                              read.emplace_back(host + " " + sched::text(attempt.job), number);
                              return reached;
                            },
                            [this](const std::string& host, std::uint64_t number, const FileOnHost& file) {
                              read.emplace_back(host + " " + file.path, number);
                              return reached;
                            },
                            [this](const std::string&) { return reached; },
                            [this](io::LinkId link, const wire::BatchReply& reply) {
                              const auto& piece = reply.piece();
                              replies.push_back(
                                  std::to_string(link) + ": " +
                                  (piece.why_not().empty() ? piece.data() : std::string(piece.why_not())) +
                                  (piece.later() ? " (later)" : ""));
                            },
                            [this] { return time; }});
  }

  JobKey forwarded_to(const std::string& cluster, bool interactive = false) {
    auto asked = sched::book::plain_job();
    if (interactive) asked.set_interactive(wire::Submission::TERMINAL);
    const JobKey key{submit(asked), 0};
    sched::event::Dispatched event;
    event.placement.hosts.push_back({sched::HostId::whole_cluster(cluster), 1});
    event.forwarded.emplace().set_cluster(cluster);
    event.forwarded->set_queue("normal");
    book->hosts().dispatch(key, event, now);
    sched::report::Elsewhere told{attempt(key), {}};
    told.job.mutable_key()->set_id(70);
    told.job.set_status(wire::STATUS_RUN);
    tells("@" + cluster, told);
    return key;
  }
  JobKey taken_in_from(const std::string& cluster, int id) {
    wire::ForwardOffer offer;
    offer.mutable_attempt()->mutable_key()->set_id(id);
    offer.mutable_attempt()->set_attempt(1);
    offer.set_queue("normal");
    const auto answered =
        book->forwards().offer(cluster, offer, sched::book::plain_job(), sched::book::kAnn, now);
    const auto key = sched::key_of(answered.said.state->job().key());
    dispatch(key);
    runs(key);
    return key;
  }
  void ask(io::LinkId link, JobKey key, const sched::Identity& who = sched::book::kAnn) {
    wire::AskPiece asked;
    sched::set_key(*asked.mutable_key(), key);
    asked.set_attempt(job(key).record.attempt());
    relay->ask(link, who, asked);
  }
  void ask(io::LinkId link) { ask(link, there); }
  // The number of the question that was said as the `index`th.
  std::uint64_t number(std::size_t index) const { return said.at(index).piece().number(); }
  void answers(std::uint64_t number, const std::string& data, const std::string& cluster = "east") {
    wire::PeerMessage message;
    message.mutable_piece_read()->set_number(number);
    message.mutable_piece_read()->mutable_piece()->set_data(data);
    relay->heard(cluster, message);
  }
  // East asks for a piece of the job that it has here.
  void is_asked(std::uint64_t number, const std::string& user = "ann", int id = 7) {
    wire::PeerMessage message;
    auto& piece = *message.mutable_piece();
    piece.set_number(number);
    piece.mutable_attempt()->mutable_key()->set_id(id);
    piece.mutable_attempt()->set_attempt(1);
    piece.set_user(user);
    relay->heard("east", message);
  }
  void host_reads(std::uint64_t number, const std::string& data, const std::string& host = "hostA") {
    wire::Piece piece;
    piece.set_data(data);
    relay->read(host, number, piece);
  }
  std::string answered(std::size_t index) const {
    const auto& told = said.at(index).piece_read();
    return std::to_string(told.number()) + ": " +
           (told.piece().why_not().empty() ? told.piece().data() : std::string(told.piece().why_not()));
  }
  void pass(Duration duration) { time = time + duration; }

  boost::asio::io_context loop;
  io::Links links{loop, io::ClusterKey{}, io::LinkLimits{}, io::Links::Handler{}};
  TimePoint time = at(1000);
  JobKey there, here;
  std::unique_ptr<PieceRelay> relay;
  std::vector<std::string> to, replies;
  std::vector<std::pair<std::string, std::uint64_t>> read;
  std::set<std::string> unconnected;
  bool reached = true;
};

TEST_F(PieceRelayTest, PassesAQuestionOnAndItsAnswerBack) {
  ask(5);
  ASSERT_THAT(to, ElementsAre("east"));
  EXPECT_EQ(said[0].piece().attempt().key().id(), there.id);
  EXPECT_EQ(said[0].piece().user(), "ann");
  EXPECT_THAT(replies, IsEmpty());
  answers(number(0), "line");
  EXPECT_THAT(replies, ElementsAre("5: line"));
}

TEST_F(PieceRelayTest, RefusesAQuestionThatItsUserMayNotAsk) {
  ask(5, there, sched::book::kBob);
  EXPECT_THAT(said, IsEmpty());
  EXPECT_THAT(replies, ElementsAre("5: no such job of yours runs in cluster east"));
}

TEST_F(PieceRelayTest, AnswersOutOfOrderReachTheirAskers) {
  for (const io::LinkId link : {5, 6, 7}) ask(link);
  answers(number(2), "c");
  answers(number(0), "a");
  answers(number(1), "b");
  EXPECT_THAT(replies, ElementsAre("7: c", "5: a", "6: b"));
}

TEST_F(PieceRelayTest, IgnoresAnswersThatWereNotAskedFor) {
  is_asked(1);
  ask(5);
  const auto asked = said.back().piece().number();
  answers(asked + 100, "never asked");
  answers(asked, "of another cluster", "north");
  answers(read.at(0).second, "of a question to a host");
  EXPECT_THAT(replies, IsEmpty());
  answers(asked, "once");
  answers(asked, "repeated");
  EXPECT_THAT(replies, ElementsAre("5: once"));
}

TEST_F(PieceRelayTest, AnswersThatAreTooLargeAreNotPassedOn) {
  ask(5);
  ask(6);
  answers(number(0), std::string(sched::peers::kMostPiece, 'x'));
  answers(number(1), std::string(sched::peers::kMostPiece + 1, 'x'));
  pass(std::chrono::seconds(1));
  EXPECT_EQ(replies.at(0).size(), 3 + sched::peers::kMostPiece);
  EXPECT_THAT(replies.at(1), HasSubstr("found a piece of 65537 bytes, expected at most 65536"));
}

TEST_F(PieceRelayTest, ALostClusterAnswersItsAskersAndNoOthers) {
  const JobKey elsewhere = forwarded_to("north");
  ask(5);
  ask(6, elsewhere);
  relay->lost("east");
  EXPECT_THAT(replies, ElementsAre("5: cluster east: the connection ended (later)"));
  answers(number(0), "too late");
  answers(number(1), "of north", "north");
  EXPECT_THAT(replies, ElementsAre("5: cluster east: the connection ended (later)", "6: of north"));
  unconnected = {"east"};
  ask(7);
  EXPECT_EQ(replies.back(), "7: cluster east is not connected (later)");
  unconnected.clear();
  ask(8);
  answers(said.back().piece().number(), "again");
  EXPECT_EQ(replies.back(), "8: again");
}

TEST_F(PieceRelayTest, AClusterThatDoesNotAnswerHoldsUpEightQuestionsAndThenNone) {
  const sched::peers::PieceLimits limits;
  for (std::size_t link = 1; link <= limits.under_way + limits.waiting_of_one; ++link) ask(link);
  EXPECT_THAT(said, SizeIs(limits.under_way));
  EXPECT_THAT(replies, IsEmpty());
  ask(100);
  EXPECT_THAT(replies, ElementsAre("100: too many questions for files of jobs wait already (later)"));
  pass(limits.patience);
  relay->lost("north");  // or the timer, which is real: late questions are looked for
  EXPECT_THAT(replies, SizeIs(1 + limits.under_way + limits.waiting_of_one));
  ask(101);
  EXPECT_EQ(replies.at(1), "1: cluster east: no answer came in time (later)");
  ASSERT_THAT(said, SizeIs(limits.under_way + 1));
  answers(number(0), "too late");
  answers(number(limits.under_way), "in time");
  EXPECT_EQ(replies.back(), "101: in time");
}

// 32 MB a second, so that messages about jobs are not held up.
TEST_F(PieceRelayTest, PiecesHaveARate) {
  ask(5);
  answers(number(0), std::string(sched::peers::kMostPiece, 'x'));
  ask(6);
  EXPECT_THAT(said, SizeIs(1));
  pass(std::chrono::milliseconds(2));
  ask(7);
  EXPECT_THAT(said, SizeIs(3));
}

TEST_F(PieceRelayTest, ReadsForAnotherClusterOnTheJobsHost) {
  is_asked(1);
  is_asked(2);
  ASSERT_THAT(read, SizeIs(2));
  EXPECT_EQ(read[0].first, "hostA " + sched::text(here));
  host_reads(read[1].second, "b");
  host_reads(read[0].second, "a", "hostB");
  host_reads(read[0].second + 100, "never asked");
  host_reads(read[0].second, "a");
  host_reads(read[0].second, "repeated");
  ASSERT_THAT(said, SizeIs(2));
  EXPECT_EQ(answered(0), "2: b");
  EXPECT_EQ(answered(1), "1: a");
}

TEST_F(PieceRelayTest, RefusesAnotherClustersQuestionOfAnotherUserOrJob) {
  is_asked(1, "bob");
  is_asked(2, "ann", 8);
  EXPECT_THAT(read, IsEmpty());
  EXPECT_THAT(answered(0), HasSubstr("1: no such job of this user"));
  EXPECT_THAT(answered(1), HasSubstr("2: no such job of this user"));
}

// Its numbers are its own: it may give one twice.
TEST_F(PieceRelayTest, AnotherClustersRepeatedNumberIsAnsweredForEachQuestion) {
  is_asked(1);
  is_asked(1);
  ASSERT_THAT(read, SizeIs(2));
  host_reads(read[0].second, "a");
  host_reads(read[1].second, "b");
  EXPECT_EQ(answered(0), "1: a");
  EXPECT_EQ(answered(1), "1: b");
}

TEST_F(PieceRelayTest, AHostThatGoesOrIsNotReachedAnswersLater) {
  is_asked(1);
  relay->gone("hostB");
  EXPECT_THAT(said, IsEmpty());
  relay->gone("hostA");
  EXPECT_EQ(answered(0), "1: hostA: its RES is gone");
  EXPECT_TRUE(said[0].piece_read().piece().later());
  host_reads(read[0].second, "too late");
  EXPECT_THAT(said, SizeIs(1));
  reached = false;
  is_asked(2);
  EXPECT_EQ(answered(1), "2: RES of hostA is not connected");
}

TEST_F(PieceRelayTest, AHostThatDoesNotAnswerHoldsUpEightQuestions) {
  const sched::peers::PieceLimits limits;
  for (std::uint64_t i = 1; i <= limits.under_way + limits.waiting_of_one + 1; ++i) is_asked(i);
  EXPECT_THAT(read, SizeIs(limits.under_way));
  ASSERT_THAT(said, SizeIs(1));
  EXPECT_THAT(answered(0), HasSubstr("too many questions"));
  relay->gone("hostA");
  EXPECT_THAT(said, SizeIs(1 + limits.under_way + limits.waiting_of_one)) << "those that wait too";
  is_asked(100);
  EXPECT_THAT(read, SizeIs(limits.under_way + 1)) << "what waited is not asked any more";
}

// It asks again when it is back.
TEST_F(PieceRelayTest, ALostClustersQuestionsAreDropped) {
  is_asked(1);
  relay->lost("east");
  host_reads(read[0].second, "a");
  EXPECT_THAT(said, IsEmpty());
  is_asked(1);
  host_reads(read[1].second, "b");
  EXPECT_EQ(answered(0), "1: b");
}

TEST_F(PieceRelayTest, QuestionsForATerminalWaitWithoutALimitOfTime) {
  const JobKey with_terminal = forwarded_to("east", true);
  wire::AskPiece asked;
  sched::set_key(*asked.mutable_key(), with_terminal);
  asked.set_attempt(1);
  asked.mutable_asked()->set_operation(wire::PieceAsked::TERMINAL_OUT);
  asked.mutable_asked()->set_terminal(9);
  relay->ask(5, sched::book::kAnn, asked);
  ASSERT_THAT(said, SizeIs(1));
  pass(std::chrono::hours(24));
  ask(6);
  EXPECT_THAT(replies, IsEmpty());
  answers(number(0), "output");
  EXPECT_THAT(replies, ElementsAre("5: output"));
  relay->ask(7, sched::book::kAnn, asked);
  relay->lost("east");
  EXPECT_THAT(replies, testing::Contains("7: cluster east: the connection ended (later)"));
}

// Its client is gone: the cluster is told after a while in which it may come again.
TEST_F(PieceRelayTest, ATerminalEndsWithItsClient) {
  const JobKey with_terminal = forwarded_to("east", true);
  wire::AskPiece asked;
  sched::set_key(*asked.mutable_key(), with_terminal);
  asked.set_attempt(1);
  asked.mutable_asked()->set_operation(wire::PieceAsked::TERMINAL_OUT);
  asked.mutable_asked()->set_terminal(9);
  relay->ask(5, sched::book::kAnn, asked);
  relay->left(5);
  EXPECT_THAT(said, SizeIs(1));
  pass(sched::peers::TerminalClients::kComesAgain);
  ask(6);
  const auto ends = [](const wire::PeerMessage& one) {
    return one.piece().asked().operation() == wire::PieceAsked::TERMINAL_END;
  };
  EXPECT_EQ(std::count_if(said.begin(), said.end(), ends), 1);
}

}  // namespace
}  // namespace rollcall::mbatchd
