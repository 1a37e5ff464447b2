// The terminal of a job that runs here for another cluster: what is passed on, which answer has which bytes, and what a client that
// does not keep the turns gets.
#include "sched/policy/peers/job_terminal.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sched/policy/peers/piece_rights.hpp"

namespace rollcall::sched::peers {
namespace {

using terminal::Answer;
using terminal::Effects;
using terminal::Pass;
using testing::HasSubstr;

constexpr std::size_t kMost = 64 << 10;

wire::PieceAsked keys(std::int64_t from, const std::string& bytes) {
  wire::PieceAsked asked;
  asked.set_operation(wire::PieceAsked::TERMINAL_IN);
  asked.set_from(from);
  asked.add_said()->set_input(bytes);
  return asked;
}
wire::PieceAsked screen(std::int64_t from) {
  wire::PieceAsked asked;
  asked.set_operation(wire::PieceAsked::TERMINAL_OUT);
  asked.set_from(from);
  return asked;
}
wire::FromStream output(const std::string& bytes) {
  wire::FromStream message;
  message.set_output(bytes);
  return message;
}
wire::FromStream over(int wait_status) {
  wire::FromStream message;
  message.mutable_over()->set_wait_status(wait_status);
  return message;
}

// "pass INPUT", "answer QUESTION OUTPUT", "refuse QUESTION": one line for each effect.
std::string lines(const Effects& effects) {
  std::string text;
  for (const auto& effect : effects) {
    if (const auto* const pass = std::get_if<Pass>(&effect)) {
      text += "pass " + pass->message.input() + "\n";
      continue;
    }
    if (std::holds_alternative<terminal::Dial>(effect)) {
      text += "dial\n";
      continue;
    }
    const auto& answer = std::get<Answer>(effect);
    if (!answer.piece.why_not().empty()) {
      text += "refuse " + std::to_string(answer.question) + "\n";
      continue;
    }
    text += "answer " + std::to_string(answer.question);
    for (const auto& message : answer.piece.told())
      text += message.has_over()   ? " over"
              : message.has_lost() ? " lost: " + message.lost().why()
                                   : " " + message.output();
    text += "\n";
  }
  return text;
}

JobTerminal opened() {
  JobTerminal terminal(9);
  EXPECT_EQ(lines(terminal.opened()), "");
  return terminal;
}

TEST(JobTerminal, KeepsInputUntilTheHostIsReached) {
  JobTerminal terminal(9);
  EXPECT_EQ(lines(terminal.in(1, keys(0, "a"), 0)), "answer 1\n");
  EXPECT_EQ(lines(terminal.in(2, keys(1, "b"), 0)), "answer 2\n");
  EXPECT_EQ(lines(terminal.opened()), "pass a\npass b\n");
  EXPECT_EQ(lines(terminal.in(3, keys(2, "c"), 0)), "pass c\nanswer 3\n");
}

TEST(JobTerminal, DialsAgainUntilTheHostHasSpoken) {
  JobTerminal terminal(9);
  terminal.in(1, keys(0, "a"), 0);
  EXPECT_EQ(lines(terminal.opened()), "pass a\n");
  EXPECT_EQ(lines(terminal.in(2, keys(1, "b"), 0)), "pass b\nanswer 2\n");
  EXPECT_EQ(lines(terminal.lost("the connection was closed", kMost)), "dial\n");
  EXPECT_EQ(lines(terminal.opened()), "pass a\npass b\n") << "the host has read none of it";
  terminal.told(output("x"), kMost);
  EXPECT_EQ(lines(terminal.lost("the connection was closed", kMost)), "");
  EXPECT_EQ(lines(terminal.out(3, screen(0), kMost)), "answer 3 x lost: the connection was closed\n");
}

TEST(JobTerminal, GivesAHostUpThatNeverSpeaks) {
  JobTerminal terminal(9);
  terminal.out(1, screen(0), kMost);
  for (int i = 1; i < kMostDials; ++i) EXPECT_EQ(lines(terminal.lost("refused", kMost)), "dial\n");
  EXPECT_EQ(lines(terminal.lost("refused", kMost)), "answer 1 lost: refused\n");
}

TEST(JobTerminal, PassesInputOnceHoweverOftenItComes) {
  auto terminal = opened();
  EXPECT_EQ(lines(terminal.in(1, keys(0, "a"), 0)), "pass a\nanswer 1\n");
  EXPECT_EQ(lines(terminal.in(2, keys(0, "a"), 0)), "answer 2\n") << "its answer was lost";
  EXPECT_EQ(lines(terminal.in(3, keys(2, "c"), 0)), "refuse 3\n") << "one is missing";
  EXPECT_EQ(lines(terminal.in(4, keys(1, "b"), 0)), "pass b\nanswer 4\n");
}

TEST(JobTerminal, RefusesInputThatTheHostDoesNotTake) {
  auto terminal = opened();
  EXPECT_EQ(lines(terminal.in(1, keys(0, "a"), kMostUnpassed)), "refuse 1\n");
  JobTerminal dialling(9);
  std::string all;
  for (int i = 0; i < 6; ++i) all += lines(dialling.in(1, keys(i, std::string(60 << 10, 'x')), 0));
  EXPECT_THAT(all, HasSubstr("refuse 1\n")) << "what is kept until the host is reached is bounded";
}

TEST(JobTerminal, AnswersAQuestionOnceThereIsOutput) {
  auto terminal = opened();
  EXPECT_EQ(lines(terminal.out(1, screen(0), kMost)), "");
  EXPECT_EQ(lines(terminal.told(output("first"), kMost)), "answer 1 first\n");
  EXPECT_EQ(lines(terminal.told(output("second"), kMost)), "") << "nobody asks";
  EXPECT_EQ(lines(terminal.told(output("third"), kMost)), "");
  EXPECT_EQ(lines(terminal.out(2, screen(1), kMost)), "answer 2 second third\n");
}

TEST(JobTerminal, AnswersTheSameQuestionWithTheSameOutput) {
  auto terminal = opened();
  terminal.told(output("first"), kMost);
  terminal.told(output("second"), kMost);
  EXPECT_EQ(lines(terminal.out(1, screen(0), 5)), "answer 1 first\n");
  EXPECT_EQ(lines(terminal.out(2, screen(0), 5)), "answer 2 first\n") << "its answer was lost";
  EXPECT_EQ(lines(terminal.out(3, screen(1), 6)), "answer 3 second\n");
  EXPECT_EQ(lines(terminal.out(4, screen(0), 6)), "refuse 4\n");
}

TEST(JobTerminal, CutsOutputToTheShareOfATerminal) {
  auto terminal = opened();
  terminal.told(output("abcdefgh"), kMost);
  terminal.told(over(0), kMost);
  EXPECT_EQ(lines(terminal.out(1, screen(0), 3)), "answer 1 abc\n");
  EXPECT_EQ(lines(terminal.out(2, screen(1), 3)), "answer 2 def\n");
  EXPECT_FALSE(terminal.finished());
  EXPECT_EQ(lines(terminal.out(3, screen(2), 100)), "answer 3 gh over\n");
  EXPECT_TRUE(terminal.finished());
}

TEST(JobTerminal, ReadsNoMoreOfTheJobThanItsClientTakes) {
  auto terminal = opened();
  EXPECT_TRUE(terminal.may_read());
  terminal.told(output(std::string(kMostTold, 'x')), kMost);
  EXPECT_FALSE(terminal.may_read());
  terminal.out(1, screen(0), kMost);
  EXPECT_TRUE(terminal.may_read());
}

TEST(JobTerminal, RefusesTheOlderOfTwoQuestions) {
  auto terminal = opened();
  terminal.out(1, screen(0), kMost);
  EXPECT_EQ(lines(terminal.out(2, screen(0), kMost)), "refuse 1\n")
      << "its client has lost the connection that waits";
  EXPECT_EQ(lines(terminal.told(output("x"), kMost)), "answer 2 x\n");
}

TEST(JobTerminal, TellsOnceThatTheHostIsLost) {
  auto terminal = opened();
  terminal.told(output("last"), kMost);
  EXPECT_EQ(lines(terminal.lost("the connection was closed", kMost)), "");
  EXPECT_EQ(lines(terminal.told(output("late"), kMost)), "");
  EXPECT_EQ(lines(terminal.in(1, keys(0, "a"), 0)), "answer 1\n") << "it is dropped";
  EXPECT_EQ(lines(terminal.out(2, screen(0), kMost)), "answer 2 last lost: the connection was closed\n");
  EXPECT_TRUE(terminal.finished());
  EXPECT_EQ(lines(terminal.lost("again", kMost)), "");
}

TEST(JobTerminal, RefusesWhatWaitsWhenItIsClosed) {
  auto terminal = opened();
  terminal.out(7, screen(0), kMost);
  EXPECT_EQ(lines(terminal.closed("its client is gone")), "refuse 7\n");
  EXPECT_EQ(lines(terminal.closed("its client is gone")), "");
}

TEST(JobTerminal, ShareOfManyIsSmallSoThatTheConnectionIsNeverFull) {
  EXPECT_EQ(share_of_terminal(0), 64U << 10);
  EXPECT_EQ(share_of_terminal(4), 64U << 10);
  EXPECT_EQ(share_of_terminal(64), 4U << 10);
  EXPECT_EQ(share_of_terminal(100'000), 1U << 10);
}

}  // namespace
}  // namespace rollcall::sched::peers
