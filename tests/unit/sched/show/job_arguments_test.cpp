// Ids and times on the b* commands' lines.
#include "sched/policy/show/job_arguments.hpp"

#include <gtest/gtest.h>

namespace rollcall::sched::show {
namespace {

std::string taken(const std::vector<std::string>& words, const OwnJob& own = {}) {
  wire::JobFilter filter;
  const auto operands = take_job_ids(words, own, filter);
  if (!operands) return operands.error().text;
  std::string text;
  for (const auto& key : filter.keys())
    text += std::to_string(key.id()) + "." + std::to_string(key.index()) + " ";
  for (const auto& list : filter.index_lists()) {
    text += std::to_string(list.id()) + ":";
    for (const auto& range : list.indices())
      text += std::to_string(range.first()) + "-" + std::to_string(range.last()) + "/" +
              std::to_string(range.step()) + " ";
  }
  for (const auto& list : filter.of_clusters()) {
    text += list.cluster() + "/" + std::to_string(list.id()) + ":";
    for (const auto& range : list.indices())
      text += std::to_string(range.first()) + "-" + std::to_string(range.last()) + "/" +
              std::to_string(range.step()) + " ";
  }
  return text + (operands->all ? "all" : "");
}

// The key -1 is for releases that do not know ids of clusters.
TEST(JobIds, AreThoseOfOtherClustersToo) {
  EXPECT_EQ(taken({"12@west"}), "-1.0 west/12:");
  EXPECT_EQ(taken({"12[3]@west", "5", "12[1-4:2]@west"}), "-1.0 5.0 west/12:3-3/1 west/12:1-4/2 ");
  for (const char* word : {"0@west", "12@", "@west", "12@a@b", "12[@west", "12[3]x@west", "x@west"})
    EXPECT_EQ(taken({word}), std::string(word) + ": Illegal job ID.") << word;
}

TEST(JobIds, AreJobsElementsAndLists) {
  EXPECT_EQ(taken({"12", "13[4]", "14[1-10:2,15]"}), "12.0 13.4 14:1-10/2 15-15/1 ");
  EXPECT_EQ(taken({"0"}), "all");
  EXPECT_EQ(taken({" 12  13 "}), "12.0 13.0 ");
}

TEST(JobIds, InvalidIdGivesLsfsMessage) {
  for (const char* word :
       {"x", "12x", "12[", "12[]", "12[0]", "12[3-1]", "12[1-2", "-3", "12[1:2]", "99999999999", "0[1]"})
    EXPECT_EQ(taken({word}), std::string(word) + ": Illegal job ID.") << word;
}

// In a job of another cluster LSB_JOBID is its id there: `brequeue $LSB_JOBID` is about the job and not about another one with that id here.
TEST(JobIds, TheJobsOwnIdIsItsLocalOne) {
  const OwnJob guest{"61", "3", "14"};
  EXPECT_EQ(taken({"61", "62"}, guest), "14.0 62.0 ");
  EXPECT_EQ(taken({"61[3]", "61[4]"}, guest), "14.0 61.4 ");
  EXPECT_EQ(taken({"61[3]"}, {"61", "3", "61"}), "61.3 ");
  EXPECT_EQ(taken({"61"}, {"61", "0", ""}), "61.0 ");
}

constexpr std::int64_t kNow = 1652216962;  // Tue May 10 21:09:22 2022 UTC
constexpr std::int64_t kZone = 2 * 3600;   // of the tests

std::string span(const std::string& text) {
  const auto local = [](std::int64_t seconds) { return utc_time(seconds + kZone); };
  const auto parsed = parse_time_span(text, wall_seconds(kNow), local);
  if (!parsed) return "no";
  const auto shown = [&](std::int64_t us) { return us == 0 ? "-" : numeric_date(local(us / 1'000'000)); };
  return shown(parsed->from_us) + " " + shown(parsed->to_us);
}

TEST(TimeSpans, AreThoseOfTheManual) {
  EXPECT_EQ(span("2022/05/09/10:15,2022/05/10/11:20"), "05/09-10:15:00 05/10-11:20:59");
  EXPECT_EQ(span("5/9,5/10"), "05/09-00:00:00 05/10-23:59:59");
  EXPECT_EQ(span("9,"), "05/09-00:00:00 -");
  EXPECT_EQ(span(",10/8:"), "- 05/10-08:59:59");
  EXPECT_EQ(span("8:30,9:00"), "05/10-08:30:00 05/10-09:00:59");
  EXPECT_EQ(span("9"), "05/09-00:00:00 05/09-23:59:59");
}

TEST(TimeSpans, MayBeBackFromNow) {
  EXPECT_EQ(span(".-2/,."), "05/08-23:09:22 05/10-23:09:22");
  EXPECT_EQ(span(".-1:30,."), "05/10-21:39:22 05/10-23:09:22");
  EXPECT_EQ(span(".-:10,"), "05/10-22:59:22 -");
  EXPECT_EQ(span(".-3,"), "05/07-23:09:22 -");
}

TEST(TimeSpans, InvalidSpanIsRefused) {
  for (const char* text : {"", "x", "25:00,", "13/1,", "1/2/3/4,", "5/,", ".-x,", ".-,", "10:60,"})
    EXPECT_EQ(span(text), "no") << text;
}

}  // namespace
}  // namespace rollcall::sched::show
