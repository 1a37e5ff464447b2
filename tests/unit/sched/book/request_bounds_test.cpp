// How much one request to mbatchd may ask for.
#include "sched/policy/jobs/request_bounds.hpp"

#include <gmock/gmock.h>

#include "tests/unit/sched/book/book_fixture.hpp"

namespace rollcall::sched::book {
namespace {

using testing::HasSubstr;

std::string why(const wire::BatchRequest& request) {
  const auto refused = jobs::out_of_bounds(request);
  return refused ? refused->text() : "";
}

TEST(RequestBounds, LetThroughWhatCommandsSend) {
  EXPECT_EQ(why({}), "");
  wire::BatchRequest request;
  for (std::size_t i = 0; i < jobs::kMostKeys; ++i)
    request.mutable_signal()->mutable_filter()->add_keys()->set_id(static_cast<int>(i));
  EXPECT_EQ(why(request), "");
  wire::BatchRequest array;  // the site says how large one may be
  *array.mutable_submit()->add_jobs() = array_job(1'000'000);
  EXPECT_EQ(why(array), "");
}

// Each cycle compares it with every host, beside those of all other jobs.
TEST_F(BookTest, RequirementHasABoundOfItsTerms) {
  auto job = plain_job();
  const auto sum = [](std::size_t terms) {
    std::string text = "1";
    while (--terms > 0) text += "+1";
    return text;
  };
  job.set_resreq("select[" + sum(2047) + " > 0]");
  EXPECT_EQ(refused(job), "");
  job.set_resreq("select[" + sum(2048) + " > 0]");
  EXPECT_THAT(refused(job), HasSubstr("found 2049 terms in select, expected at most 2048"));
  job.set_resreq("select[" + sum(2000) + " > 0] select[" + sum(2000) + " > 0]");
  EXPECT_THAT(refused(job), HasSubstr("found 4002 terms"));
}

TEST(RequestBounds, CountJobIdsIndexListsAndRanges) {
  wire::BatchRequest keys, lists, ranges, array;
  for (std::size_t i = 0; i <= jobs::kMostKeys; ++i) {
    keys.mutable_jobs()->mutable_filter()->add_keys()->set_id(1);
    lists.mutable_signal()->mutable_filter()->add_index_lists();
  }
  EXPECT_EQ(why(keys), "found 300001 job ids in one request, expected at most 300000");
  EXPECT_EQ(why(lists), "found 300001 index lists in one request, expected at most 300000");
  for (int list = 0; list < 2; ++list) {
    auto& indices = *ranges.mutable_signal()->mutable_filter()->add_index_lists();
    for (std::size_t i = 0; i < jobs::kMostKeys; ++i) indices.add_indices()->set_first(1);
  }
  EXPECT_EQ(why(ranges), "found 600000 index ranges in one request, expected at most 300000");
  for (std::size_t i = 0; i <= jobs::kMostIndexRanges; ++i) {
    if (i == 0) array.mutable_submit()->add_jobs();
    array.mutable_submit()->mutable_jobs(0)->add_indices()->set_first(1);
  }
  EXPECT_EQ(why(array), "found 10001 index ranges in one request, expected at most 10000");
}

TEST(RequestBounds, CountTheElementsOfSeveralArrays) {
  wire::BatchRequest request;
  for (int i = 0; i < 20; ++i) *request.mutable_submit()->add_jobs() = array_job(1000);
  EXPECT_EQ(why(request), "");
  *request.mutable_submit()->add_jobs() = array_job(1000);
  EXPECT_EQ(why(request), "found 21000 jobs and array elements in one request, expected at most 20000");
  auto& range = *request.mutable_submit()->mutable_jobs(0)->mutable_indices(0);
  range.set_first(-2'147'483'647);
  range.set_last(2'147'483'647);
  range.set_step(-1);
  EXPECT_EQ(why(request), "found 4294987295 jobs and array elements in one request, expected at most 20000");
}

TEST(RequestBounds, CountTheNamesOfEveryQuestion) {
  for (const int kind : {0, 1, 2, 3, 4}) {
    wire::BatchRequest request;
    for (std::size_t i = 0; i <= jobs::kMostNames; ++i) {
      if (kind == 0) request.mutable_queues()->add_queues("q");
      if (kind == 1) request.mutable_hosts()->add_hosts("h");
      if (kind == 2) request.mutable_users()->add_users("u");
      if (kind == 3) request.mutable_finished()->add_users("u");
      if (kind == 4) request.mutable_control()->add_names("q");
    }
    EXPECT_THAT(why(request), HasSubstr("found 10001 ")) << kind;
  }
}

TEST(RequestBounds, CountEmptyJobsBeforeTheyAreParsed) {
  wire::BatchRequest request;
  request.set_from_host("hostA");
  for (std::size_t i = 0; i < jobs::kMostAtOnce; ++i) request.mutable_submit()->add_jobs();
  EXPECT_FALSE(jobs::too_many_jobs(request.SerializeAsString()));
  // One more, in a second Submit: parsing merges them.
  const auto refused = jobs::too_many_jobs(request.SerializeAsString() + std::string("\x12\x02\x0a\x00", 4));
  ASSERT_TRUE(refused);
  EXPECT_EQ(refused->text(), "found 20001 jobs in one request, expected at most 20000");
  EXPECT_FALSE(jobs::too_many_jobs("\xff\xff\xff"));
}

}  // namespace
}  // namespace rollcall::sched::book
