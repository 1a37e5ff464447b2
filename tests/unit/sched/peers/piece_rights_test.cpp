// Who may read pieces of a job's files in another cluster, and what is believed of an answer.
#include "sched/policy/peers/piece_rights.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <memory>

namespace rollcall::sched::peers {
namespace {

using testing::HasSubstr;

Job job_of_ann(wire::JobStatus status) {
  auto asked = std::make_shared<wire::Submission>();
  asked->set_user("ann");
  asked->set_uid(1001);
  Job job;
  job.asked = std::move(asked);
  set_key(*job.record.mutable_key(), {7, 0});
  job.record.set_status(status);
  job.record.set_attempt(2);
  job.record.set_started(true);
  return job;
}

// Where it was submitted.
Job forwarded(wire::JobStatus status = wire::STATUS_RUN) {
  Job job = job_of_ann(status);
  job.record.mutable_forwarded()->set_cluster("east");
  return job;
}
// Where it runs.
Job from_west(wire::JobStatus status = wire::STATUS_RUN) {
  Job job = job_of_ann(status);
  auto& from = *job.record.mutable_from();
  from.set_cluster("west");
  set_key(*from.mutable_key(), {5, 3});
  from.set_attempt(4);
  job.record.add_hosts()->set_name("e1");
  return job;
}

Identity ann() { return {1001, 100, "ann", {}, false}; }

wire::AskPiece ask(std::uint64_t attempt = 2) {
  wire::AskPiece asked;
  asked.set_attempt(attempt);
  asked.mutable_asked()->set_from(10);
  return asked;
}
wire::ForwardPiece question() {
  wire::ForwardPiece piece;
  set_key(*piece.mutable_attempt()->mutable_key(), {5, 3});
  piece.mutable_attempt()->set_attempt(4);
  piece.set_user("ann");
  return piece;
}

// The answer that stands in for the question; fails the test where there is none.
template <class May>
wire::Piece answer(const May& may) {
  const auto* const piece = std::get_if<wire::Piece>(&may);
  EXPECT_NE(piece, nullptr);
  return piece ? *piece : wire::Piece();
}

Job borrowed() {
  Job job = job_of_ann(wire::STATUS_RUN);
  job.record.add_hosts()->set_name("n2@east");
  return job;
}

TEST(PieceOfABorrowedHost, IsReadWhereTheFirstHostIs) {
  const Job job = borrowed();
  const auto may = piece_question(&job, ask(), ann());
  ASSERT_TRUE(std::holds_alternative<PieceQuestion>(may));
  EXPECT_EQ(std::get<PieceQuestion>(may).cluster, "east");
  Job mixed = job_of_ann(wire::STATUS_RUN);
  mixed.record.add_hosts()->set_name("n1");
  mixed.record.add_hosts()->set_name("n2@east");
  EXPECT_FALSE(std::holds_alternative<PieceQuestion>(piece_question(&mixed, ask(), ann())))
      << "its output is on a host of ours";
  Job part = from_west();
  part.record.mutable_from()->set_part(true);
  EXPECT_FALSE(std::holds_alternative<PieceOrder>(piece_order(&part, "west", question())));
}

TEST(PieceQuestions, NameTheAttemptAndTheOwner) {
  const Job job = forwarded();
  const auto may = piece_question(&job, ask(), ann());
  const auto* const asked = std::get_if<PieceQuestion>(&may);
  ASSERT_NE(asked, nullptr);
  EXPECT_EQ(asked->cluster, "east");
  EXPECT_EQ(asked->piece.attempt().key().id(), 7);
  EXPECT_EQ(asked->piece.attempt().attempt(), 2U);
  EXPECT_EQ(asked->piece.user(), "ann");
  EXPECT_EQ(asked->piece.asked().from(), 10);
}

TEST(PieceQuestions, OfAnotherUserAreRefusedAndOfAnAdministratorNot) {
  const Job job = forwarded();
  const auto no = answer(piece_question(&job, ask(), {1002, 100, "bob", {}, false}));
  EXPECT_EQ(no.why_not(), "no such job of yours runs in cluster east");
  EXPECT_FALSE(no.later());
  const auto may = piece_question(&job, ask(), {1002, 100, "bob", {}, true});
  ASSERT_TRUE(std::holds_alternative<PieceQuestion>(may));
  EXPECT_EQ(std::get<PieceQuestion>(may).piece.user(), "ann") << "it is the job's user who reads there";
}

TEST(PieceQuestions, WaitForTheAttemptThatTheyName) {
  const Job pending = forwarded(wire::STATUS_PEND), over = forwarded(wire::STATUS_DONE), again = forwarded();
  EXPECT_TRUE(answer(piece_question(&pending, ask(), ann())).later());
  EXPECT_TRUE(answer(piece_question(&over, ask(), ann())).over());
  EXPECT_TRUE(answer(piece_question(&again, ask(1), ann())).later());
  EXPECT_FALSE(answer(piece_question(nullptr, ask(), ann())).later());
  const Job here = job_of_ann(wire::STATUS_RUN);
  EXPECT_THAT(answer(piece_question(&here, ask(), ann())).why_not(), HasSubstr("in another cluster"));
}

TEST(PieceQuestions, OfAnUnknownOperationOrPlaceAreRefused) {
  const Job job = forwarded();
  auto asked = ask();
  asked.mutable_asked()->set_from(-1);
  EXPECT_THAT(answer(piece_question(&job, asked, ann())).why_not(), HasSubstr("does not know"));
  const Job there = from_west();
  auto of_peer = question();
  of_peer.mutable_asked()->set_operation(static_cast<wire::PieceAsked::Operation>(77));
  EXPECT_THAT(answer(piece_order(&there, "west", of_peer)).why_not(), HasSubstr("does not know"));
}

TEST(PieceOrders, AreReadOnTheJobsFirstHost) {
  const Job job = from_west();
  const auto may = piece_order(&job, "west", question());
  const auto* const order = std::get_if<PieceOrder>(&may);
  ASSERT_NE(order, nullptr);
  EXPECT_EQ(order->host, "e1");
  EXPECT_EQ(order->attempt, (Attempt{{7, 0}, 2}));
}

// Whatever a cluster says of the question, the record decides.
TEST(PieceOrders, OfAnotherClusterJobAttemptOrUserAreRefused) {
  const Job job = from_west(), own = job_of_ann(wire::STATUS_RUN);
  const auto refused = [](const Job* of, const std::string& cluster, const wire::ForwardPiece& asked) {
    const auto no = answer(piece_order(of, cluster, asked));
    EXPECT_THAT(no.why_not(), HasSubstr("no such job of this user"));
    EXPECT_FALSE(no.later());
  };
  refused(&job, "north", question());
  refused(&own, "west", question());
  refused(nullptr, "west", question());
  auto other = question();
  other.set_user("root");
  refused(&job, "west", other);
  other = question();
  other.mutable_attempt()->set_attempt(3);
  refused(&job, "west", other);
  other = question();
  other.mutable_attempt()->mutable_key()->set_index(4);
  refused(&job, "west", other);
}

// UserMap: the other cluster asks with the name that it knows.
TEST(PieceOrders, NameTheUserAsTheOtherClusterHasIt) {
  Job job = from_west();
  job.record.mutable_from()->set_user("ann_there");
  auto asked = question();
  EXPECT_TRUE(std::holds_alternative<wire::Piece>(piece_order(&job, "west", asked)));
  asked.set_user("ann_there");
  EXPECT_TRUE(std::holds_alternative<PieceOrder>(piece_order(&job, "west", asked)));
}

TEST(PieceOrders, OfAJobThatIsOverEndAndBeforeItBeginsComeLater) {
  const Job over = from_west(wire::STATUS_EXIT);
  EXPECT_TRUE(answer(piece_order(&over, "west", question())).over());
  Job early = from_west(wire::STATUS_RUN);
  early.record.set_started(false);
  early.record.set_starting(true);
  EXPECT_TRUE(answer(piece_order(&early, "west", question())).later());
}

// Its user sees it running from its first host's word on, and bpeek must not say that it has not begun.
TEST(PieceOrders, OfARunningJobWhoseProgramHasNotStartedFindNothingYet) {
  Job running = from_west(wire::STATUS_RUN);
  running.record.set_started(false);
  const auto piece = answer(piece_order(&running, "west", question()));
  EXPECT_EQ(piece.why_not(), "");
  EXPECT_EQ(piece.data(), "");
  EXPECT_FALSE(piece.over()) << "bpeek -f asks again";
}

// Where it was submitted, with files.
Job with_files() {
  Job job = forwarded();
  auto asked = std::make_shared<wire::Submission>(*job.asked);
  asked->set_from_host("w1");
  asked->set_cwd("/home/ann");
  asked->set_asked_cwd("run%J");
  asked->set_input_file("in.%J");
  asked->set_output_file("out/");
  asked->set_error_file("/abs/err");
  asked->set_error_overwrite(true);
  asked->add_transfers()->set_local("a");
  asked->add_transfers()->set_local("b");
  asked->mutable_transfers(1)->set_direction(wire::FileTransfer::APPEND_BACK);
  job.asked = std::move(asked);
  return job;
}
wire::ForwardPiece file_question(wire::PieceAsked::Operation operation, wire::PieceAsked::File file,
                                 std::uint32_t transfer = 0) {
  wire::ForwardPiece piece;
  set_key(*piece.mutable_attempt()->mutable_key(), {7, 0});
  piece.mutable_attempt()->set_attempt(2);
  piece.set_user("ann");
  piece.mutable_asked()->set_operation(operation);
  piece.mutable_asked()->set_file(file);
  piece.mutable_asked()->set_transfer(transfer);
  return piece;
}
using Asked = wire::PieceAsked;

TEST(FilesOfASubmission, AreThoseThatItNames) {
  const Job job = with_files();
  const auto order = [&job](Asked::Operation operation, Asked::File file, std::uint32_t transfer = 0) {
    return std::get<FileOrder>(file_order(&job, "east", file_question(operation, file, transfer)));
  };
  const auto input = order(Asked::READ, Asked::INPUT);
  EXPECT_EQ(input.host, "w1");
  EXPECT_EQ(input.user, "ann");
  EXPECT_EQ(input.uid, 1001U);
  EXPECT_EQ(input.path, "/home/ann/run7/in.7");
  const auto output = order(Asked::WRITE, Asked::STDOUT);
  EXPECT_EQ(output.path, "/home/ann/run7/out/");
  EXPECT_EQ(output.name, "7.out");
  EXPECT_TRUE(output.append);
  EXPECT_EQ(order(Asked::WRITE, Asked::STDERR).path, "/abs/err");
  EXPECT_FALSE(order(Asked::WRITE, Asked::STDERR).append) << "-eo";
  EXPECT_EQ(order(Asked::READ, Asked::TRANSFER, 0).path, "/home/ann/a")
      << "-f is below where bsub was called";
  EXPECT_TRUE(order(Asked::WRITE, Asked::TRANSFER, 1).append);
  EXPECT_NE(order(Asked::WRITE, Asked::STDERR).transfer, output.transfer);
}

TEST(FilesOfASubmission, AreReadAndWrittenAsItSays) {
  const Job job = with_files(), none = forwarded();
  const auto refused = [](const Job* of, Asked::Operation operation, Asked::File file,
                          std::uint32_t transfer = 0) {
    EXPECT_THAT(answer(file_order(of, "east", file_question(operation, file, transfer))).why_not(),
                HasSubstr("no such file"));
  };
  refused(&job, Asked::WRITE, Asked::INPUT);
  refused(&job, Asked::READ, Asked::STDOUT);
  refused(&job, Asked::READ, Asked::STDERR);
  refused(&job, Asked::WRITE, Asked::TRANSFER, 0);
  refused(&job, Asked::READ, Asked::TRANSFER, 1);
  refused(&job, Asked::MARK, Asked::TRANSFER, 2);
  refused(&none, Asked::READ, Asked::INPUT);
  refused(&none, Asked::WRITE, Asked::STDOUT);
}

TEST(FilesOfASubmission, HaveTheModeThatTheUmaskOfTheSubmissionLeaves) {
  Job job = with_files();
  auto masked = std::make_shared<wire::Submission>(*job.asked);
  masked->set_umask(027);
  job.asked = std::move(masked);
  const auto mode = [&job](Asked::File file, std::uint32_t told) {
    auto asked = file_question(Asked::WRITE, file, 1);
    asked.mutable_asked()->set_mode(told);
    return std::get<FileOrder>(file_order(&job, "east", asked)).mode;
  };
  EXPECT_EQ(mode(Asked::TRANSFER, 0755), 0750U);
  EXPECT_EQ(mode(Asked::TRANSFER, 0600), 0600U);
  EXPECT_EQ(mode(Asked::TRANSFER, 07777), 0750U) << "no set-user-id, no sticky bit, nothing for others";
  EXPECT_EQ(mode(Asked::TRANSFER, 0xffffffff), 0750U);
  for (const std::uint32_t told : {0U, 0600U, 07777U})
    EXPECT_EQ(mode(Asked::STDOUT, told), 0640U) << "as at home, and never a program";
  EXPECT_EQ(mode(Asked::STDERR, 0777), 0640U);
}

TEST(FilesOfASubmission, AreForTheAttemptThatIsThereAlone) {
  const Job job = with_files(), own = job_of_ann(wire::STATUS_RUN);
  Job over = with_files();
  over.record.set_status(wire::STATUS_DONE);
  const auto refused = [](const Job* of, const std::string& cluster, const wire::ForwardPiece& asked) {
    EXPECT_THAT(answer(file_order(of, cluster, asked)).why_not(), HasSubstr("no such job of this user"));
  };
  const auto asked = file_question(Asked::READ, Asked::INPUT);
  refused(&job, "north", asked);
  refused(&own, "east", asked);
  refused(&over, "east", asked);
  refused(nullptr, "east", asked);
  auto other = asked;
  other.mutable_attempt()->set_attempt(1);
  refused(&job, "east", other);
  other = asked;
  other.set_user("bob");
  refused(&job, "east", other);
}

TEST(FilesOfASubmission, AreAskedForByTheUserOfTheJobThere) {
  const Job job = from_west();
  wire::AskPiece ask;
  ask.mutable_asked()->set_operation(Asked::READ);
  const auto may = piece_question(&job, ask, ann());
  ASSERT_TRUE(std::holds_alternative<PieceQuestion>(may));
  EXPECT_EQ(std::get<PieceQuestion>(may).cluster, "west");
  EXPECT_EQ(std::get<PieceQuestion>(may).piece.attempt().attempt(), 4U);
  EXPECT_FALSE(std::holds_alternative<PieceQuestion>(piece_question(&job, ask, {1002, 100, "bob", {}, true})))
      << "an administrator of that cluster has no right to files of this one";
  const Job here = job_of_ann(wire::STATUS_RUN), gone = forwarded();
  EXPECT_FALSE(std::holds_alternative<PieceQuestion>(piece_question(&here, ask, ann())));
  EXPECT_FALSE(std::holds_alternative<PieceQuestion>(piece_question(&gone, ask, ann())));
}

TEST(Pieces, OfAnotherClusterAreBounded) {
  wire::Piece told;
  told.set_data(std::string(kMostPiece, 'x'));
  told.set_over(true);
  EXPECT_EQ(believed(told).data().size(), kMostPiece);
  EXPECT_TRUE(believed(told).over());
  told.set_data(std::string(kMostPiece + 1, 'x'));
  EXPECT_EQ(believed(told).data(), "");
  EXPECT_THAT(believed(told).why_not(), HasSubstr("expected at most 65536"));
  wire::Piece no = no_piece("a\033[2Jb", true);
  no.set_data("not with a reason");
  EXPECT_EQ(believed(no).data(), "");
  EXPECT_THAT(believed(no).why_not(), testing::Not(HasSubstr("\033")));
  EXPECT_TRUE(believed(no).later());
}

// ---------------------------------------------------------------- terminals

Job interactive(Job job) {
  auto asked = std::make_shared<wire::Submission>(*job.asked);
  asked->set_interactive(wire::Submission::TERMINAL);
  job.asked = std::move(asked);
  return job;
}
wire::AskPiece ask_terminal(wire::PieceAsked::Operation operation, std::uint64_t attempt = 2) {
  auto asked = ask(attempt);
  asked.mutable_asked()->set_operation(operation);
  asked.mutable_asked()->set_terminal(99);
  asked.mutable_asked()->set_from(0);
  return asked;
}
wire::ForwardPiece terminal_piece(wire::PieceAsked::Operation operation = wire::PieceAsked::TERMINAL_OUT) {
  auto piece = question();
  *piece.mutable_asked() = ask_terminal(operation).asked();
  return piece;
}

TEST(TerminalQuestions, AreForTheOwnerOfAnInteractiveJobAlone) {
  const Job job = interactive(forwarded());
  const auto asked = ask_terminal(wire::PieceAsked::TERMINAL_OUT);
  EXPECT_TRUE(std::holds_alternative<PieceQuestion>(piece_question(&job, asked, ann())));
  EXPECT_THAT(answer(piece_question(&job, asked, {1002, 100, "bob", {}, false})).why_not(),
              HasSubstr("of yours"));
  EXPECT_THAT(answer(piece_question(&job, asked, {0, 0, "root", {}, true})).why_not(), HasSubstr("of yours"))
      << "whoever types is the job's user";
  const Job batch = forwarded();
  EXPECT_THAT(answer(piece_question(&batch, asked, ann())).why_not(), HasSubstr("no interactive job"));
  EXPECT_THAT(answer(piece_question(&job, ask_terminal(wire::PieceAsked::TERMINAL_OUT, 3), ann())).why_not(),
              HasSubstr("started again"));
  EXPECT_THAT(answer(piece_question(&job, ask_terminal(wire::PieceAsked::TERMINAL_END), ann())).why_not(),
              HasSubstr("no interactive job"))
      << "that a client is gone is said by its mbatchd";
}

TEST(TerminalQuestions, GoToTheClusterOfABorrowedHost) {
  const Job job = interactive(borrowed());
  const auto may = piece_question(&job, ask_terminal(wire::PieceAsked::TERMINAL_OUT), ann());
  ASSERT_TRUE(std::holds_alternative<PieceQuestion>(may));
  EXPECT_EQ(std::get<PieceQuestion>(may).cluster, "east");
  const Job batch = borrowed();
  EXPECT_THAT(answer(piece_question(&batch, ask_terminal(wire::PieceAsked::TERMINAL_OUT), ann())).why_not(),
              HasSubstr("no interactive job"));
}

TEST(TerminalQuestions, MayComeBehindTheEndOfTheJob) {
  const Job job = interactive(forwarded(wire::STATUS_EXIT));
  EXPECT_TRUE(std::holds_alternative<PieceQuestion>(
      piece_question(&job, ask_terminal(wire::PieceAsked::TERMINAL_OUT), ann())))
      << "its last output and its exit status are still to be fetched";
}

TEST(TerminalQuestions, CarryWhatAClientMaySay) {
  const Job job = interactive(forwarded());
  auto asked = ask_terminal(wire::PieceAsked::TERMINAL_IN);
  asked.mutable_asked()->add_said()->set_input("ls\n");
  asked.mutable_asked()->add_said()->mutable_gone();
  asked.mutable_asked()->add_said();
  asked.mutable_asked()->set_data("not of a terminal");
  const auto may = piece_question(&job, asked, ann());
  const auto& crossed = std::get<PieceQuestion>(may).piece.asked();
  ASSERT_EQ(crossed.said_size(), 1);
  EXPECT_EQ(crossed.said(0).input(), "ls\n");
  EXPECT_TRUE(crossed.data().empty());
  asked.mutable_asked()->add_said()->set_input(std::string(kMostPiece, 'x'));
  EXPECT_THAT(answer(piece_question(&job, asked, ann())).why_not(), HasSubstr("does not know"));
}

TEST(TerminalOrders, AreForTheJobTheAttemptAndTheUserOfThatCluster) {
  const Job job = interactive(from_west());
  wire::StreamPlace place;
  place.set_host("e1");
  place.set_port(4000);
  const auto may = terminal_order(&job, &place, "west", terminal_piece());
  ASSERT_TRUE(std::holds_alternative<TerminalOrder>(may));
  EXPECT_EQ(std::get<TerminalOrder>(may).place.port(), 4000U);
  EXPECT_EQ(std::get<TerminalOrder>(may).attempt, (Attempt{{7, 0}, 2}));
  const auto refused = [&](const wire::ForwardPiece& piece, const std::string& cluster = "west") {
    return answer(terminal_order(&job, &place, cluster, piece)).why_not();
  };
  EXPECT_THAT(refused(terminal_piece(), "north"), HasSubstr("no interactive job of this user"));
  for (const auto& change : std::vector<std::function<void(wire::ForwardPiece&)>>{
           [](auto& piece) { piece.set_user("bob"); },
           [](auto& piece) { piece.mutable_attempt()->set_attempt(5); },
           [](auto& piece) { piece.mutable_attempt()->mutable_key()->set_id(6); }}) {
    auto piece = terminal_piece();
    change(piece);
    EXPECT_THAT(refused(piece), HasSubstr("no interactive job of this user"));
  }
  auto late = terminal_piece();
  late.mutable_asked()->set_from(4);
  EXPECT_THAT(refused(late), HasSubstr("was closed")) << "a terminal begins with its first piece";
  late.mutable_asked()->set_operation(wire::PieceAsked::TERMINAL_IN);
  const auto dropped = answer(terminal_order(&job, &place, "west", late));
  EXPECT_TRUE(dropped.over()) << "the last output may be on its way: a key that comes too late is no loss";
  EXPECT_EQ(dropped.why_not(), "");
  EXPECT_THAT(refused(terminal_piece(wire::PieceAsked::TERMINAL_END)), HasSubstr("was closed"));
  auto unnamed = terminal_piece();
  unnamed.mutable_asked()->set_terminal(0);
  EXPECT_THAT(refused(unnamed), HasSubstr("does not know"));
  EXPECT_THAT(answer(terminal_order(&job, nullptr, "west", terminal_piece())).why_not(), HasSubstr("await"));
  const Job batch = from_west();
  EXPECT_THAT(answer(terminal_order(&batch, &place, "west", terminal_piece())).why_not(),
              HasSubstr("no interactive job"));
  const Job over = interactive(from_west(wire::STATUS_DONE));
  EXPECT_THAT(answer(terminal_order(&over, &place, "west", terminal_piece())).why_not(), HasSubstr("over"));
}

TEST(BelievedPieces, OfTerminalsAreBoundedAndSayOnePlainLine) {
  wire::Piece told;
  told.add_told()->set_output("\x1b[2J");
  told.add_told()->mutable_lost()->set_why("one\n\x1b[2Jtwo");
  told.add_told()->mutable_over()->set_wait_status(-1);
  told.add_told();
  const auto piece = believed(told);
  ASSERT_EQ(piece.told_size(), 3);
  EXPECT_EQ(piece.told(0).output(), "\x1b[2J") << "the job's own bytes are the job's";
  EXPECT_EQ(piece.told(1).lost().why().find('\n'), std::string::npos);
  EXPECT_EQ(piece.told(1).lost().why().find('\x1b'), std::string::npos);
  EXPECT_EQ(piece.told(2).over().wait_status(), 0xffff);
  wire::Piece large;
  large.add_told()->set_output(std::string(kMostPiece, 'x'));
  large.add_told()->set_errors("x");
  EXPECT_THAT(believed(large).why_not(), HasSubstr("expected at most"));
  wire::Piece many;
  for (int i = 0; i <= kMostMessages; ++i) many.add_told()->set_credit(1);
  EXPECT_THAT(believed(many).why_not(), HasSubstr("messages"));
}

}  // namespace
}  // namespace rollcall::sched::peers
