// One request that names the same job very often, or what no job can have.
#include <gmock/gmock.h>

#include "sched/policy/submission_check.hpp"
#include "tests/unit/book_fixture.hpp"

namespace rollcall::sched {
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
  for (const JobKey key : book->select(filter, kAnn).jobs) chosen.push_back(key.index);
  EXPECT_THAT(chosen, ElementsAre(3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 20, 24, 28, 39, 40));
}

TEST_F(BookTest, SlotsThatNoHostCanHaveAreRefused) {
  for (const std::uint32_t slots : {4'294'967'295U, 2'147'483'648U, 10'000'001U}) {
    auto wide = plain_job();
    wide.set_min_slots(slots);
    wide.set_max_slots(slots);
    EXPECT_THAT(refused(wide), HasSubstr("expected at most 10000000")) << slots;
  }
}

TEST_F(BookTest, ReasonsAndChangesHaveALength) {
  submit(plain_job());
  wire::SignalJobs kill;
  kill.mutable_filter()->add_keys()->set_id(1);
  kill.set_reason(std::string(kLongestReason + 1, 'r'));
  EXPECT_THAT(signal(kill), ElementsAre("!! -C: found 4096 bytes, expected at most 4095"));
  wire::ModifyJobs change;
  change.mutable_filter()->add_keys()->set_id(1);
  for (int i = 0; i <= kMostFields; ++i) change.add_fields(wire::Submission::kJobNameFieldNumber);
  EXPECT_THAT(answer(book->modify_jobs(change, kAnn, now)).front(), HasSubstr("found 201 changes"));
  wire::ModifyJobs text;
  text.mutable_filter()->add_keys()->set_id(1);
  text.set_text(std::string(kLongestWord + 1, 't'));
  EXPECT_THAT(answer(book->modify_jobs(text, kAnn, now)).front(), HasSubstr("expected at most 200 in 65536"));
}

}  // namespace
}  // namespace rollcall::sched
