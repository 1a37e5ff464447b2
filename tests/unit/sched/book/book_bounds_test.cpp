// One request that names the same job very often, compares long texts, or asks for what no job can have.
#include <gmock/gmock.h>

#include "common/base/glob.hpp"
#include "sched/policy/jobs/submission_check.hpp"
#include "tests/unit/sched/book/book_fixture.hpp"

namespace rollcall::sched::book {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

constexpr int kVeryOften = 100'000;

TEST_F(BookTest, ArrayNamedVeryOftenIsOneUnit) {
  submit(array_job(1000));
  wire::SignalJobs stop;
  stop.set_action(wire::SignalJobs::STOP);
  for (int i = 0; i < kVeryOften; ++i) stop.mutable_filter()->add_keys()->set_id(1);
  EXPECT_THAT(signal(stop), ElementsAre("Job <1> is being stopped"));
  wire::SignalJobs lists;
  lists.set_action(wire::SignalJobs::RESUME);
  for (int i = 0; i < kVeryOften; ++i) {
    auto& list = *lists.mutable_filter()->add_index_lists();
    list.set_id(1);
    auto& range = *list.add_indices();
    range.set_first(1);
    range.set_last(1000);
    range.set_step(1);
  }
  EXPECT_THAT(signal(lists), SizeIs(1000));
}

TEST_F(BookTest, EveryUnknownIdIsTold) {
  wire::SignalJobs kill;
  for (int i = 0; i < 100'000; ++i) kill.mutable_filter()->add_keys()->set_id(1000 + i);
  const auto told = signal(kill);
  ASSERT_THAT(told, SizeIs(100'000));
  EXPECT_EQ(told.back(), "! Job <100999>: No matching job found");
}

TEST_F(BookTest, RangesThatOverlapMeanTheirUnion) {
  submit(array_job(40));
  wire::JobFilter filter;
  auto& list = *filter.add_index_lists();
  list.set_id(1);
  const auto add = [&list](int first, int last, int step) {
    auto& range = *list.add_indices();
    range.set_first(first);
    range.set_last(last);
    range.set_step(step);
  };
  add(8, 12, 1);
  add(3, 5, 1);
  add(5, 9, 0);
  add(20, 29, 4);
  add(39, 2'000'000'000, 1);
  add(7, 2, 1);  // none
  std::vector<int> chosen;
  for (const JobKey key : book->jobs().select(filter, kAnn).jobs) chosen.push_back(key.index);
  EXPECT_THAT(chosen, ElementsAre(3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 20, 24, 28, 39, 40));
}

TEST_F(BookTest, SlotNumbersBeyondAnyHostAreRefused) {
  for (const std::uint32_t slots : {4'294'967'295U, 2'147'483'648U, 10'000'001U}) {
    auto wide = plain_job();
    wide.set_min_slots(slots);
    wide.set_max_slots(slots);
    EXPECT_THAT(refused(wide), HasSubstr("expected at most 10000000")) << slots;
  }
}

// The order for another cluster has the numbers in place of %J and %I, and must fit into a message.
TEST_F(BookTest, FileNamesAreShortWithTheJobsNumbersInThem) {
  auto job = plain_job();
  job.set_output_file(std::string(jobs::kLongestPath, 'o'));
  submit(job);
  job.set_output_file(std::string(jobs::kLongestPath + 1, 'o'));
  EXPECT_EQ(refused(job), "-o: found a file name of 4095 bytes, expected at most 4094");
  std::string numbers;
  for (int i = 0; i < 400; ++i) numbers += "%I";
  job.set_output_file(numbers);
  submit(job);
  job.set_output_file(numbers + numbers);
  EXPECT_EQ(refused(job), "-o: found a file name of 8000 bytes, expected at most 4094");
  job = plain_job();
  for (int i = 0; i < 300; ++i) {
    auto& file = *job.add_transfers();
    file.set_local(numbers);
    file.set_remote("there");
  }
  EXPECT_THAT(refused(job), HasSubstr("bytes with its numbers in its file names, expected at most 921600"));
}

TEST_F(BookTest, LengthOfReasonsAndChangesIsLimited) {
  submit(plain_job());
  wire::SignalJobs kill;
  kill.mutable_filter()->add_keys()->set_id(1);
  kill.set_reason(std::string(jobs::kLongestReason + 1, 'r'));
  EXPECT_THAT(signal(kill), ElementsAre("!! -C: found 4096 bytes, expected at most 4095"));
  wire::ModifyJobs change;
  change.mutable_filter()->add_keys()->set_id(1);
  for (int i = 0; i <= jobs::kMostFields; ++i) change.add_fields(wire::Submission::kJobNameFieldNumber);
  EXPECT_THAT(answer(book->commands().modify_jobs(change, kAnn, now)).front(),
              HasSubstr("found 201 changes"));
  wire::ModifyJobs text;
  text.mutable_filter()->add_keys()->set_id(1);
  text.set_text(std::string(jobs::kLongestWord + 1, 't'));
  EXPECT_THAT(answer(book->commands().modify_jobs(text, kAnn, now)).front(),
              HasSubstr("expected at most 200 in 65536"));
}

// By recursion, for short texts.
bool simply_matches(std::string_view pattern, std::string_view name) {
  if (pattern.empty()) return name.empty();
  if (pattern[0] == '*')
    return simply_matches(pattern.substr(1), name) ||
           (!name.empty() && simply_matches(pattern, name.substr(1)));
  return !name.empty() && pattern[0] == name[0] && simply_matches(pattern.substr(1), name.substr(1));
}

TEST(NamePattern, MatchesLikeTheRecursiveRuleForAllShortTexts) {
  std::vector<std::string> names{""}, patterns{""};
  for (std::size_t i = 0; names[i].size() < 5; ++i)
    for (const char c : {'a', 'b'}) names.push_back(names[i] + c);
  for (std::size_t i = 0; patterns[i].size() < 5; ++i)
    for (const char c : {'a', 'b', '*'}) patterns.push_back(patterns[i] + c);
  for (const auto& pattern : patterns)
    for (const auto& name : names)
      ASSERT_EQ(glob_matches(pattern, name), simply_matches(pattern, name)) << pattern << " and " << name;
}

// Each of these pairs once took a second, since the cost was the product of the lengths.
TEST(NamePattern, LongPatternsCostTheirLength) {
  const std::string name(64'000, 'a'), pattern = "*" + std::string(32'000, 'a') + "b*";
  for (int i = 0; i < 1000; ++i) ASSERT_FALSE(glob_matches(pattern, name));
}

TEST(DependencyBounds, EachNameIsLookedUpOnceAndPatternsAreCounted) {
  int looked_up = 0;
  const auto ids = [&looked_up](std::string_view) {
    ++looked_up;
    return std::vector<std::int32_t>{3, 2, 1};
  };
  const auto known = [](std::int32_t) { return true; };
  std::string same = "done(n)", patterns = "done(n*)";
  for (int i = 1; i < 1000; ++i) same += "&&done(n)";
  for (std::size_t i = 1; i < jobs::kMostPatterns; ++i) patterns += "&&done(n" + std::to_string(i) + "*)";
  EXPECT_TRUE(jobs::Dependency::parse(same)->bound(ids, known));
  EXPECT_EQ(looked_up, 1);
  EXPECT_TRUE(jobs::Dependency::parse(patterns)->bound(ids, known));
  EXPECT_EQ(jobs::Dependency::parse(patterns + "&&done(m*)")->bound(ids, known).error().text,
            "dependency condition: found more than 64 names with \"*\", expected fewer");
}

}  // namespace
}  // namespace rollcall::sched::book
