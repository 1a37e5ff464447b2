// The shrinker, with planted predicates in place of a world.
#include "tests/sim/shrink.hpp"

#include <gtest/gtest.h>

namespace rollcall::sched {
namespace {

const Knobs kUsual{{"seed", 1, 1},      {"jobs", 12, 1}, {"turns", 500},
                   {"faults", 100'000}, {"breaks", 6},   {"deaths", 3}};

TEST(Shrink, FindsTheLeastOfEachKnob) {
  int asked = 0;
  const auto planted = [&](const Knobs& knobs) {
    ++asked;
    return knobs["jobs"] >= 3 && knobs["turns"] >= 77 && knobs["faults"] >= 2 && knobs["breaks"] > 0;
  };
  const Knobs least = shrunk(kUsual, planted, 1000);
  EXPECT_EQ(least.text(kUsual), "jobs=3,turns=77,faults=2,breaks=1,deaths=0");
  EXPECT_TRUE(planted(least));
  EXPECT_LT(asked, 100);
}

TEST(Shrink, GoesRoundAgainWhereOneKnobFreesAnother) {
  const auto planted = [](const Knobs& knobs) { return knobs["jobs"] >= (knobs["deaths"] > 0 ? 10 : 2); };
  EXPECT_EQ(shrunk(kUsual, planted, 1000).text(kUsual), "jobs=2,turns=0,faults=0,breaks=0,deaths=0");
}

TEST(Shrink, FailureThatComesAndGoesStaysAFailure) {
  const auto planted = [](const Knobs& knobs) { return (knobs["turns"] * 7 + knobs["jobs"]) % 5 == 2; };
  ASSERT_TRUE(planted(kUsual));
  EXPECT_TRUE(planted(shrunk(kUsual, planted, 1000)));
}

TEST(Shrink, KeepsTheSeed) {
  EXPECT_EQ(shrunk(
                kUsual.with("seed", 9), [](const Knobs& knobs) { return knobs["seed"] == 9; }, 1000)["seed"],
            9);
}

TEST(Shrink, StopsAfterTheTriesThatItMayMake) {
  int asked = 0;
  const auto planted = [&](const Knobs&) { return ++asked, true; };
  shrunk(kUsual, planted, 3);
  EXPECT_EQ(asked, 3);
}

TEST(Knobs, TakeTheLineThatTheyPrint) {
  Knobs read = kUsual;
  ASSERT_TRUE(read.read("seed=77,faults=2,breaks=0"));
  EXPECT_EQ(read["seed"], 77);
  EXPECT_EQ(read.text(kUsual), "seed=77,faults=2,breaks=0");
  EXPECT_TRUE(read.read(""));
}

TEST(Knobs, RefuseAnUnknownNameOrAWordWithoutNumber) {
  for (const char* line : {"sheep=3", "jobs", "jobs=", "jobs=3x", "seed=1,,jobs=3"}) {
    Knobs read = kUsual;
    EXPECT_FALSE(read.read(line)) << line;
  }
}

}  // namespace
}  // namespace rollcall::sched
