// What a RES is told of grants, and what its answer is worth.
#include "sched/policy/lease/host_grants.hpp"

#include <gtest/gtest.h>

namespace rollcall::sched::lease {
namespace {

constexpr GrantNumber kOld{7, 1}, kNew{7, 2};
const Attempt kJob{{12, 0}, 1};

GrantsOnHost answer(const GrantQuestion& question, std::vector<GrantsOnHost::Held> jobs = {}) {
  return {question.number, question.newest, std::move(jobs), ""};
}
bool all(const Attempt&) { return true; }
bool none(const Attempt&) { return false; }

TEST(HostGrants, NamesEveryLeaseOfAHostThatConnects) {
  HostGrants host;
  EXPECT_FALSE(host.next_question({{3, kOld}}));
  host.came(false);
  const auto question = host.next_question({{3, kOld}, {4, kNew}});
  ASSERT_TRUE(question);
  EXPECT_EQ(question->newest, (GrantNumbers{{3, kOld}, {4, kNew}}));
  EXPECT_FALSE(host.heard());
  EXPECT_FALSE(host.next_question({{3, kOld}, {4, kNew}})) << "it is told once";
  EXPECT_TRUE(host.answered(answer(*question), none));
  EXPECT_TRUE(host.heard());
  EXPECT_EQ(host.on_disk(3), kOld);
}
// Also where no lease is known of: the store is another one.
TEST(HostGrants, AsksAHostWithJobsThatTheBookDoesNotKnowUntilTheyAreOver) {
  HostGrants host;
  host.came(true);
  EXPECT_TRUE(host.unknown_jobs());
  auto question = host.next_question({});
  ASSERT_TRUE(question);
  EXPECT_TRUE(question->newest.empty());
  EXPECT_FALSE(host.next_question({})) << "it is asked once";
  EXPECT_TRUE(host.answered({question->number, {}, {{kJob, {3}, false}}, ""}, none));
  EXPECT_TRUE(host.unknown_jobs());
  EXPECT_FALSE(host.next_question({})) << "not at once";
  ASSERT_TRUE(host.asks_again());
  host.ask_again();
  question = host.next_question({});
  ASSERT_TRUE(question);
  EXPECT_TRUE(host.answered({question->number, {}, {{kJob, {3}, true}}, ""}, none));
  EXPECT_FALSE(host.unknown_jobs()) << "it is over";
  EXPECT_TRUE(host.heard());
  host.came(false);
  EXPECT_FALSE(host.next_question({})) << "there is nothing to ask for";
}
TEST(HostGrants, OfAnEarlierReleaseHasNoUnknownJobs) {
  HostGrants host;
  host.came(true);
  host.keeps_no_numbers();
  EXPECT_FALSE(host.unknown_jobs());
}
TEST(HostGrants, ThatIsGoneHasNoUnknownJobs) {
  HostGrants host;
  host.came(true);
  host.gone();
  EXPECT_FALSE(host.unknown_jobs());
}
TEST(HostGrants, NamesARaisedNumberOnlyWhereSlotsAreTaken) {
  HostGrants host;
  host.came(false);
  host.answered(answer(*host.next_question({{3, kOld}})), none);
  EXPECT_FALSE(host.next_question({{3, kNew}}));
  host.wants(3);
  const auto question = host.next_question({{3, kNew}});
  ASSERT_TRUE(question);
  EXPECT_EQ(question->newest, (GrantNumbers{{3, kNew}}));
  EXPECT_EQ(host.on_disk(3), kOld) << "not before the answer";
  host.answered(answer(*question), none);
  EXPECT_EQ(host.on_disk(3), kNew);
}
TEST(HostGrants, NamesALeaseThatGetsSlotsOfTheHost) {
  HostGrants host;
  host.came(false);
  host.answered(answer(*host.next_question({{3, kOld}})), none);
  EXPECT_EQ(host.next_question({{3, kOld}, {4, kNew}})->newest, (GrantNumbers{{4, kNew}}));
}
TEST(HostGrants, BelievesNoHostWithJobsThatTheBookDoesNotKnow) {
  HostGrants host;
  host.came(false);
  auto question = host.next_question({{3, kOld}, {4, kOld}});
  host.answered(answer(*question, {{kJob, {3}, false}}), none);
  EXPECT_FALSE(host.heard());
  EXPECT_EQ(host.on_disk(3), GrantNumber{});
  EXPECT_TRUE(host.asks_again());
  host.ask_again();
  question = host.next_question({{3, kOld}, {4, kOld}});
  ASSERT_TRUE(question);
  host.answered(answer(*question, {{kJob, {3}, true}}), none);  // its end follows
  EXPECT_TRUE(host.heard());
  EXPECT_EQ(host.on_disk(3), kOld);
  EXPECT_FALSE(host.asks_again());
}
TEST(HostGrants, BelievesJobsThatTheBookHas) {
  HostGrants host;
  host.came(false);
  host.answered(answer(*host.next_question({{3, kOld}}), {{kJob, {3}, false}}), all);
  EXPECT_TRUE(host.heard());
  EXPECT_EQ(host.on_disk(3), kOld);
}
TEST(HostGrants, AsksAgainWhereNumbersCannotBeKept) {
  HostGrants host;
  host.came(false);
  auto told = answer(*host.next_question({{3, kOld}}));
  told.newest.clear();
  told.why_not = "disk full";
  host.answered(told, none);
  EXPECT_FALSE(host.heard());
  EXPECT_TRUE(host.asks_again());
}
TEST(HostGrants, IgnoresAnAnswerOfAnEarlierConnection) {
  HostGrants host;
  host.came(false);
  const auto first = host.next_question({{3, kOld}});
  host.gone();
  host.came(false);
  host.next_question({{3, kNew}});
  EXPECT_FALSE(host.answered(answer(*first), none));
  EXPECT_FALSE(host.heard());
}
TEST(HostGrants, ForgetsWhatWasOnDiskWhenTheHostGoes) {
  HostGrants host;
  host.came(false);
  host.answered(answer(*host.next_question({{3, kOld}})), none);
  host.gone();
  EXPECT_EQ(host.on_disk(3), GrantNumber{});
}
TEST(HostGrants, SaysOnceThatALeaseIsOver) {
  HostGrants host;
  host.came(false);
  host.answered(answer(*host.next_question({{3, kOld}, {4, kOld}})), none);
  const auto question = host.next_question({{4, kOld}});
  ASSERT_TRUE(question);
  EXPECT_EQ(question->over, std::vector<std::uint64_t>{3});
  EXPECT_FALSE(host.next_question({{4, kOld}}));
  EXPECT_EQ(host.next_question({{3, kNew}, {4, kOld}})->newest, (GrantNumbers{{3, kNew}})) << "it is back";
}
TEST(HostGrants, HearsAHostThatKeepsNoNumbers) {
  HostGrants host;
  host.came(false);
  host.next_question({{3, kOld}});
  host.keeps_no_numbers();
  EXPECT_TRUE(host.heard());
  EXPECT_EQ(host.on_disk(3), GrantNumber{});
}

}  // namespace
}  // namespace rollcall::sched::lease
