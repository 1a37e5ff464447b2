// GlobalJobId: a job of another cluster, as bjobs(1) writes it.
#include "sched/policy/values/global_job_id.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <unordered_set>

namespace rollcall::sched {
namespace {

using testing::HasSubstr;

TEST(GlobalJobId, ParsesWhatItPrints) {
  for (const GlobalJobId& id : {GlobalJobId{"east", {12, 0}}, GlobalJobId{"east", {12, 3}},
                                GlobalJobId{"far-1.example", {2147483647, 2147483647}}}) {
    const auto parsed = parse_global_job_id(text(id));
    ASSERT_TRUE(parsed) << text(id);
    EXPECT_EQ(*parsed, id);
  }
  EXPECT_EQ(text(GlobalJobId{"east", {12, 0}}), "12@east");
  EXPECT_EQ(text(GlobalJobId{"east", {12, 3}}), "12[3]@east");
}

TEST(GlobalJobId, RefusesEveryOtherText) {
  for (const char* word :
       {"12", "12[3]", "0@east", "12[0]@east", "012@east", "12[03]@east", "-1@east", "12[]@east", "12[3@east",
        "12]@east", "12[3]4@east", "[3]@east", "2147483648@east", "x@east"}) {
    const auto parsed = parse_global_job_id(word);
    ASSERT_FALSE(parsed) << word;
    EXPECT_EQ(parsed.error().text,
              "invalid job \"" + std::string(word) + "\": expected id@cluster or id[index]@cluster");
  }
  for (const char* word : {"", "@east", "12@", "12@a@b", "12 @east", "12@ea\tst"}) {
    const auto parsed = parse_global_job_id(word);
    ASSERT_FALSE(parsed) << word;
    EXPECT_THAT(parsed.error().text, HasSubstr("invalid job")) << word;
  }
}

TEST(GlobalJobId, TellsEqualJobsOfTwoClustersApart) {
  const std::unordered_set<GlobalJobId> ids{
      {"east", {1, 0}}, {"west", {1, 0}}, {"east", {1, 1}}, {"east", {1, 0}}};
  EXPECT_EQ(ids.size(), 3U);
  EXPECT_LT((GlobalJobId{"east", {2, 0}}), (GlobalJobId{"west", {1, 0}}));
}

}  // namespace
}  // namespace rollcall::sched
