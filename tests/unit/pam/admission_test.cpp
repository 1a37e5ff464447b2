// When a TaskStarter may begin its handshake, and when the others dial again: the table in pam/policy/admission.hpp.
#include "pam/policy/admission.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace rollcall::pam {
namespace {

using namespace std::chrono_literals;

constexpr Admission::Limits kLimits{100, 10};

TEST(Admission, AdmitsWhileThereIsRoom) {
  Admission admission(kLimits);
  EXPECT_FALSE(admission.put_off(99, 9, TimePoint{}));
  EXPECT_EQ(admission.waiting(TimePoint{}), 0U);
  EXPECT_FALSE(admission.full_for_the_first_time());
}

TEST(Admission, WhoComesToAFullPamDialsAgainInARow) {
  Admission admission(kLimits);
  const TimePoint now{100s};
  std::vector<Duration> waits;
  for (int i = 0; i < 3; ++i) waits.push_back(*admission.put_off(100, 0, now));
  EXPECT_EQ(waits, (std::vector<Duration>{200ms, 205ms, 210ms}));
  EXPECT_EQ(admission.waiting(now), 3U);
  EXPECT_EQ(admission.waiting(now + 205ms), 1U);
  EXPECT_TRUE(admission.full_for_the_first_time());
  EXPECT_FALSE(admission.full_for_the_first_time()) << "said once";
}

TEST(Admission, ManyHandshakesOfOneHolderComeInAFasterRow) {
  Admission admission(kLimits);
  EXPECT_EQ(admission.put_off(50, 10, TimePoint{}), Duration{100ms});
  EXPECT_EQ(admission.put_off(50, 10, TimePoint{}), Duration{101ms});
  EXPECT_FALSE(admission.put_off(50, 9, TimePoint{})) << "another holder";
  EXPECT_FALSE(admission.full_for_the_first_time()) << "there are descriptors";
}

// However many dial at once, and whoever they are: nobody is told a longer time than the longest, and the row does not grow over it.
TEST(Admission, NobodyWaitsLongerThanTheLongestWait) {
  Admission admission(kLimits);
  Duration longest{0};
  for (int i = 0; i < 300'000; ++i) longest = std::max(longest, *admission.put_off(100, 0, TimePoint{}));
  EXPECT_EQ(longest, kLongestWait);
  EXPECT_LE(admission.waiting(TimePoint{}), 100'000U);
  EXPECT_EQ(admission.waiting(TimePoint{} + kLongestWait), 0U);
  EXPECT_EQ(admission.put_off(100, 0, TimePoint{} + kLongestWait), Duration{200ms})
      << "the row is empty again";
}

// 5,000 that dial at once and find pam full all come again, at most two hundred in a second.
TEST(Admission, ThoseWhoWaitComeNoFasterThanTheRow) {
  Admission admission(kLimits);
  std::vector<int> in_second(25);
  for (int i = 0; i < 3'900; ++i) {
    const Duration wait = *admission.put_off(100, 0, TimePoint{});
    ++in_second.at(static_cast<std::size_t>(wait / 1s));
  }
  for (const int calls : in_second) EXPECT_LE(calls, 200);
}

TEST(Admission, SomeDescriptorsStayFreeForCallers) {
  for (const std::size_t descriptors : {128U, 1024U, 20'000U, 1'000'000U}) {
    const auto limits = Admission::limits_for(descriptors, descriptors / 4);
    EXPECT_LT(limits.conversations, descriptors - 40) << descriptors;
    EXPECT_GT(limits.conversations, descriptors / 2) << descriptors;
    EXPECT_LT(limits.handshakes, descriptors / 4) << "before one of them would be closed: " << descriptors;
  }
}

}  // namespace
}  // namespace rollcall::pam
