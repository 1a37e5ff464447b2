// Packed jobs: the Book answers as if they were not packed, and they take little memory.
#include <gmock/gmock.h>
#include <malloc.h>

#include "tests/unit/sched/book/book_fixture.hpp"

namespace rollcall::sched::book {
namespace {

struct BookPacked : BookTest {};

wire::Submission with_environment(int number) {
  wire::Submission asked =
      plain_job("./solve --input /home/ann/project/case" + std::to_string(number) + ".in");
  asked.set_job_name("case" + std::to_string(number));
  asked.set_output_file("/home/ann/project/logs/%J.out");
  asked.set_cwd("/home/ann/project/2026/a-study-of-something");
  asked.set_home("/home/ann");
  asked.add_environment("V=" + std::string(8000, 'v'));
  return asked;
}

TEST_F(BookPacked, AJobReadsAsBeforeItWasPacked) {
  const auto id = submit(with_environment(1));
  dispatch({id, 0});
  runs({id, 0});
  const std::string record = job({id, 0}).record.SerializeAsString();
  const std::string asked = job({id, 0}).asked->SerializeAsString();
  book->jobs().pack();
  EXPECT_EQ(job({id, 0}).record.SerializeAsString(), record);
  EXPECT_EQ(job({id, 0}).asked->SerializeAsString(), asked);
  EXPECT_EQ(book->broken_invariant(), "");
}

TEST_F(BookPacked, AChangeBehindAPackIsInTheNextOne) {
  const auto id = submit(with_environment(1));
  book->jobs().pack();
  dispatch({id, 0});
  runs({id, 0});
  book->jobs().pack();
  EXPECT_EQ(status({id, 0}), wire::STATUS_RUN);
  book->jobs().pack();
  ends({id, 0}, 0);
  book->jobs().pack();
  EXPECT_EQ(status({id, 0}), wire::STATUS_DONE);
  EXPECT_EQ(book->broken_invariant(), "");
}

TEST_F(BookPacked, ElementsOfAnArrayShareOneSubmission) {
  auto asked = with_environment(1);
  auto& range = *asked.add_indices();
  range.set_first(1);
  range.set_last(3);
  range.set_step(1);
  const auto id = submit(asked);
  book->jobs().pack();
  EXPECT_EQ(job({id, 1}).asked, job({id, 3}).asked);
}

TEST_F(BookPacked, UsersAndApplicationsAreCountedWithoutUnpacking) {
  auto asked = with_environment(1);
  submit(asked);
  book->jobs().pack();
  EXPECT_THAT(book->jobs().users_with_jobs(), testing::ElementsAre("ann"));
  EXPECT_TRUE(book->jobs().application_counts("fluent") == StatusCounts{});
  for (const auto& [number, kept] : book->jobs().submissions()) EXPECT_EQ(kept.asked, nullptr);
}

// Bytes of the heap beside the store; docs/decisions/0048. 3,600 and 4,300 before jobs were packed.
TEST_F(BookPacked, AJobTakesLessThanTwoKilobytes) {
  constexpr int kJobs = 2000;
  const auto used = [] { return mallinfo2().uordblks + mallinfo2().hblkhd; };
  submit(with_environment(0));
  book->jobs().pack();
  const auto before = used();
  if (before == 0) GTEST_SKIP() << "this allocator does not count";
  std::vector<std::int32_t> ids;
  for (int i = 0; i < kJobs; ++i) {
    ids.push_back(submit(with_environment(i)));
    book->jobs().pack();
  }
  effects.clear();
  EXPECT_LT((used() - before) / kJobs, 2000U);
  for (const auto id : ids) {
    dispatch({id, 0});
    runs({id, 0});
    ends({id, 0}, 0);
    book->jobs().pack();
  }
  effects.clear();
  EXPECT_LT((used() - before) / kJobs, 2000U);
}

}  // namespace
}  // namespace rollcall::sched::book
