// What a job of very many tasks costs pam, and how short what it says is.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "pam/policy/roll_messages.hpp"
#include "tests/unit/pam/roll_driver.hpp"
#include "tests/unit/pam/whole_texts.hpp"

namespace rollcall::pam {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Range = RankRanges::Range;

RollDriver job_of(int tasks, bool keep_usage = true) {
  RollRules rules;
  rules.expected = tasks;
  rules.keep_usage = keep_usage;
  RollDriver d(rules);
  d.launch();
  return d;
}

TEST(RankRanges, JoinsAndSplitsRanges) {
  RankRanges ranks;
  for (const std::uint32_t rank : {1u, 3u, 2u, 7u, 0u}) EXPECT_TRUE(ranks.insert(rank));
  EXPECT_FALSE(ranks.insert(2));
  EXPECT_THAT(ranks.ranges(), ElementsAre(Range{0, 3}, Range{7, 7}));
  ranks.erase(1);
  ranks.erase(5);
  EXPECT_THAT(ranks.ranges(), ElementsAre(Range{0, 0}, Range{2, 3}, Range{7, 7}));
  EXPECT_TRUE(ranks.contains(3));
  EXPECT_FALSE(ranks.contains(1));
}

TEST(RankRanges, TakesTheLargestRank) {
  RankRanges ranks;
  EXPECT_TRUE(ranks.insert(0xffffffffu));
  EXPECT_FALSE(ranks.insert(0xffffffffu));
  EXPECT_TRUE(ranks.insert(0xfffffffeu));
  EXPECT_THAT(ranks.ranges(), ElementsAre(Range{0xfffffffeu, 0xffffffffu}));
  ranks.erase(0xffffffffu);
  EXPECT_THAT(ranks.missing(3, 8), ElementsAre(Range{0, 2}));
}

TEST(RankRanges, TellsWhatIsMissing) {
  RankRanges ranks;
  for (const std::uint32_t rank : {1u, 2u, 5u, 12u}) ranks.insert(rank);
  EXPECT_THAT(ranks.missing(8, 8), ElementsAre(Range{0, 0}, Range{3, 4}, Range{6, 7}));
  EXPECT_THAT(ranks.missing(8, 2), ElementsAre(Range{0, 0}, Range{3, 4}));
  EXPECT_THAT(ranks.missing(0, 8), ElementsAre());
}

TEST(ManyTasks, ATaskCostsAtMost128Bytes) { EXPECT_LE(sizeof(Task), 128u); }

TEST(ManyTasks, ATextIsKeptOnce) {
  RollDriver d = job_of(300);
  for (int i = 0; i < 300; ++i) d.task(i < 150 ? "n1" : "n2", static_cast<std::uint32_t>(i));
  EXPECT_EQ(d.roll.tasks.hosts().size(), 2u);
  EXPECT_EQ(&d.roll.tasks.command(d.roll.tasks[0]), &d.roll.tasks.command(d.roll.tasks[299]));
  EXPECT_EQ(d.roll.live_ranks.ranges().size(), 1u);
}

TEST(ManyTasks, ALostHostIsOneLine) {
  RollDriver d = job_of(256);
  for (int i = 0; i < 256; ++i) d.task(i < 128 ? "n1" : "n2");
  for (Tid tid = 128; tid < 256; ++tid) d.feed(event::LinkEnded{tid, false, 1});
  const auto said = d.pass(std::chrono::seconds(3));
  EXPECT_EQ(std::count_if(said.begin(), said.end(), [](auto& t) { return t.starts_with("Say "); }), 1);
  EXPECT_TRUE(d.said("is lost; then 127 more (n2)"));
}

TEST(ManyTasks, CountsOfManyHostsAreFolded) {
  RollRules rules;
  rules.expected = 2000;
  for (int host = 1; host <= 1000; ++host) rules.hosts.add("n" + std::to_string(1000 + host), 2);
  RollDriver d(rules);
  d.launch();
  for (int i = 0; i < 2000; ++i)
    if (i != 40) d.task("n" + std::to_string(1001 + i / 2) + ".site", static_cast<std::uint32_t>(i));
  EXPECT_EQ(
      missing_line(d.roll, std::chrono::seconds(5), "X"),
      "1999 of 2000 tasks registered within 5 s (X): n1021 1 of 2, n1001-n1020,n1022-n2000 2 of 2 each; "
      "missing ranks 40");
}

TEST(ManyTasks, AllGivenUpAreOneLine) {
  RollDriver d = job_of(128);
  for (int i = 0; i < 128; ++i) d.task("n" + std::to_string(i / 32 + 1));
  d.launcher_ends(ExitStatus::signaled(9));
  const auto said = d.pass(std::chrono::seconds(10));
  EXPECT_EQ(std::count_if(said.begin(), said.end(), [](auto& t) { return t.starts_with("Say "); }), 1)
      << ::testing::PrintToString(said);
  EXPECT_TRUE(d.said("does not answer: given up; then 127 more (n1-n4)"));
}

TEST(ManyTasks, UsageIsSummedWhereNobodyAsksForEach) {
  RollDriver d = job_of(2, false);
  TaskUsage usage;
  usage.user = std::chrono::seconds(1);
  usage.peak_memory_bytes = 12 << 20;
  for (Tid tid = 0; tid < 2; ++tid) {
    d.task();
    d.feed(event::TaskEnded{tid, ExitStatus::exited(0), 1, usage, 0});
  }
  EXPECT_EQ(d.roll.tasks.usage(0).user.count(), 0);
  EXPECT_EQ(usage_line(d.roll.tasks.used()),
            "the tasks used 2.00 s in user and 0.00 s in system mode, and 12.0 MiB of memory at the most");
}

TEST(ManyTasks, TheStreamedReportIsWhatOneDumpWouldBe) {
  RollDriver d = job_of(3);
  d.command = "a\nb \"c\"";
  d.feed(event::LauncherStarted{100, 5000000});
  for (int i = 0; i < 2; ++i) d.task("n1", static_cast<std::uint32_t>(i));
  d.fails_to_start();
  d.ends(0);
  const std::string text = json_report(d.roll, {"x", "y"}, 3);
  const auto parsed = nlohmann::ordered_json::parse(text);
  EXPECT_EQ(text, parsed.dump(2) + "\n");
  EXPECT_EQ(parsed["tasks"].size(), 3u);
  EXPECT_EQ(parsed["job"]["start"], 5.0);
  const std::string none = json_report(Roll({}), {"x"}, 1);
  EXPECT_EQ(none, nlohmann::ordered_json::parse(none).dump(2) + "\n");
}

TEST(ManyTasks, ATaskIsFoundByItsTaskStarterAndItsStart) {
  Tasks tasks;
  Registration one;
  one.host = "n1";
  one.starter_pid = 7;
  one.start_us = 5;
  one.outcome = pid_t{8};
  EXPECT_EQ(tasks.find(one), std::nullopt);
  EXPECT_EQ(tasks.add(one, 1), Tid{0});
  Registration other = one;
  other.host = "n2";
  EXPECT_EQ(tasks.find(other), std::nullopt);
  EXPECT_EQ(tasks.add(other, 2), Tid{1});
  EXPECT_EQ(tasks.find(one), Tid{0});
  EXPECT_EQ(tasks.find(other), Tid{1});
  other.start_us = 6;
  EXPECT_EQ(tasks.find(other), std::nullopt) << "another with the same pid";
}

TEST(ManyTasks, AwayTasksAreDueInTheirOrder) {
  AwayTasks away;
  const auto at = [](int s) { return TimePoint{std::chrono::seconds(s)}; };
  away.add(0, {at(3), false, {}});
  away.add(1, {at(2), false, {}});
  EXPECT_EQ(away.next(), at(2));
  EXPECT_THAT(away.due(at(3)), ElementsAre(0, 1));
  away.remove(1);
  EXPECT_EQ(away.next(), at(3));
  EXPECT_EQ(away.size(), 1u);
}

}  // namespace
}  // namespace rollcall::pam
