#include "sched/policy/peers/reason_round.hpp"

#include <gtest/gtest.h>

namespace rollcall::sched::peers {
namespace {

// "1 2 3": the jobs of the next round, each with a reason of ten bytes.
std::string round(ReasonRound& rounds, const std::set<JobKey>& pending, std::optional<std::size_t> most) {
  std::string text;
  for (const ToldReason& told : rounds.next(pending, most, [](JobKey) { return std::string(10, 'x'); }))
    text += (text.empty() ? "" : " ") + std::to_string(told.job.id);
  return text;
}

const std::set<JobKey> kFive{{1, 0}, {2, 0}, {3, 0}, {4, 0}, {5, 0}};

TEST(ReasonRound, EachRoundGoesOnBehindTheLastOne) {
  ReasonRound rounds;
  EXPECT_EQ(round(rounds, kFive, 25), "1 2");
  EXPECT_EQ(round(rounds, kFive, 25), "3 4");
  EXPECT_EQ(round(rounds, kFive, 25), "5 1");
}

TEST(ReasonRound, WithoutABoundEveryJobIsToldAboutOnce) {
  ReasonRound rounds;
  EXPECT_EQ(round(rounds, kFive, std::nullopt), "1 2 3 4 5");
  EXPECT_EQ(round(rounds, kFive, 1000), "1 2 3 4 5");
}

TEST(ReasonRound, OneJobIsToldAboutWhateverTheBoundIs) {
  ReasonRound rounds;
  EXPECT_EQ(round(rounds, kFive, 1), "1");
  EXPECT_EQ(round(rounds, {{4, 0}}, 1), "4") << "those before it have ended";
  EXPECT_EQ(round(rounds, {}, 1), "");
}

}  // namespace
}  // namespace rollcall::sched::peers
