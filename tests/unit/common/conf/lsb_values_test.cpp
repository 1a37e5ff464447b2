// Values that lsb.* files share: shares, hosts with preferences, thresholds, limits, members of groups.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/conf/lsb/values.hpp"

namespace rollcall::conf {
namespace {

using testing::ElementsAre;

TEST(Shares, EverySpellingIsTheSame) {
  for (const char* text : {"([c1, 1] [c2, 3])", "[c1, 1] [c2, 3]", "[[c1,1] [c2,3]]", "([c1,1][c2,3])",
                           "( [ c1 , 1 ]  [c2 3] )"}) {
    const auto shares = parse_shares(text, 1);
    ASSERT_TRUE(shares.has_value()) << text;
    EXPECT_THAT(*shares, ElementsAre(Share{"c1", 1}, Share{"c2", 3})) << text;
  }
  EXPECT_TRUE(parse_shares("()", 1)->empty());
  for (const char* text : {"c1, 1", "[c1, 0]", "[c1]", "[c1, 1", "[c1, x]", "[c1, 1] c2"})
    EXPECT_FALSE(parse_shares(text, 1).has_value()) << text;
}

TEST(HostItems, WordsOfHosts) {
  const auto items = parse_host_items({"all+1", "hostA!", "grpB+2", "hostC@far", "~hostD", "allremote"});
  ASSERT_TRUE(items.has_value()) << items.error().text;
  EXPECT_THAT(
      *items,
      ElementsAre(HostItem{.name = "all", .preference = 1},
                  HostItem{.name = "hostA", .first_execution = true},
                  HostItem{.name = "grpB", .preference = 2}, HostItem{.name = "hostC", .cluster = "far"},
                  HostItem{.name = "hostD", .excluded = true}, HostItem{.name = "allremote"}));
  EXPECT_EQ(parse_host_items({"hostA", "~hostB"}).error().text,
            "found \"~hostB\", expected ~ only in a list with all");
  EXPECT_EQ(parse_host_items({"none", "hostB"}).error().text, "found \"none\", expected none alone");
  EXPECT_EQ(parse_host_items({"hostA+x"}).error().text, "found \"hostA+x\", expected a whole number after +");
  for (const char* list : {"all@far", "allremote", "all"})
    EXPECT_TRUE(parse_host_items({list, "~hostB@far"})) << list;
  EXPECT_EQ(parse_host_items({"hostA", "~all"}).error().text,
            "found \"~all\", expected ~ only in a list with all");
  EXPECT_FALSE(parse_host_items({"+1"}).has_value());
  EXPECT_FALSE(parse_host_items({"hostA@"}).has_value());
  for (const std::string word : {"allremote@far", "others@far", "none@far", "~allremote@far", "others@far+1"})
    EXPECT_EQ(parse_host_items({"all", word}).error().text,
              "found \"" + word + "\", expected HOST@CLUSTER or all@CLUSTER");
}

TEST(Thresholds, EitherSideMayBeMissing) {
  EXPECT_EQ(*parse_threshold("0.7/2.0"), (Threshold{0.7, 2.0}));
  EXPECT_EQ(*parse_threshold("0.7"), (Threshold{0.7, std::nullopt}));
  EXPECT_EQ(*parse_threshold("/2"), (Threshold{std::nullopt, 2}));
  EXPECT_EQ(*parse_threshold("3/ -"), (Threshold{3, std::nullopt}));
  EXPECT_FALSE(parse_threshold("a/2").has_value());
  EXPECT_FALSE(parse_threshold("1/2/3").has_value());
}

TEST(TimeLimits, HoursMinutesAndAHost) {
  using namespace std::chrono_literals;
  EXPECT_EQ(*parse_time_limit("90"), (TimeLimit{90min, ""}));
  EXPECT_EQ(*parse_time_limit("1:30/hostA"), (TimeLimit{90min, "hostA"}));
  EXPECT_EQ(*parse_time_limit("3.5"), (TimeLimit{210s, ""}));
  for (const char* text : {"", "a", "1:2:3", "-1", "5/", ":5"})
    EXPECT_FALSE(parse_time_limit(text).has_value()) << text;
}

TEST(JobControlsTest, ReadsActionsInBrackets) {
  EXPECT_EQ(*parse_job_controls("SUSPEND[SIGTERM] RESUME[kill -CONT [x]]  TERMINATE [CHKPNT]"),
            (JobControls{"SIGTERM", "kill -CONT [x]", "CHKPNT"}));
  EXPECT_FALSE(parse_job_controls("SUSPEND").has_value());
  EXPECT_FALSE(parse_job_controls("STOP[x]").has_value());
  EXPECT_EQ(parse_job_controls("SUSPEND[x").error().text, "found \"[x\", expected a closing ]");
}

TEST(RequeueExitsTest, ReadsCodesAndAllBut) {
  EXPECT_EQ(*parse_requeue_exits("30 EXCLUDE(20 21) 31"), (RequeueExits{false, {30, 31}, {20, 21}}));
  EXPECT_EQ(*parse_requeue_exits("all ~1 ~2"), (RequeueExits{true, {1, 2}, {}}));
  for (const char* text : {"256", "~1", "all 3", "EXCLUDE(1", "EXCLUDE(x)"})
    EXPECT_FALSE(parse_requeue_exits(text).has_value()) << text;
}

TEST(Members, PatternsOfHostNames) {
  EXPECT_TRUE(member_matches("host*", "host12"));
  EXPECT_TRUE(member_matches("HOST*", "hostA"));
  EXPECT_FALSE(member_matches("host*", "grid1"));
  EXPECT_TRUE(member_matches("host[1-10,15]", "host10"));
  EXPECT_TRUE(member_matches("~host[1-10,15]", "host15"));
  EXPECT_FALSE(member_matches("host[1-10,15]", "host11"));
  EXPECT_FALSE(member_matches("host[1-10]", "hostA"));
  EXPECT_FALSE(member_matches("host[1-10]", "ho"));
  EXPECT_TRUE(member_matches("hostA", "hosta"));
  EXPECT_TRUE(member_matches("all", "hosta"));
  for (const char* text : {"hostA", "~hostA", "host*", "host[1-3,7]", "all", "!", "hostA@far", "*"})
    EXPECT_TRUE(parse_member(text).has_value()) << text;
  for (const char* text : {"host[1-3]x", "host[3-1]", "host[]", "ho*st", "host[a]", "a/b", "~"})
    EXPECT_FALSE(parse_member(text).has_value()) << text;
}

}  // namespace
}  // namespace rollcall::conf
