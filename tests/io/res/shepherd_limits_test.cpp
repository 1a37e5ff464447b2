// The limits that a client may ask for, as the kernel gets them.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <limits>

#include "res/shepherd/job_limits.hpp"

namespace rollcall::res {
namespace {

TEST(ProcessLimits, MoreBytesThanThereAreIsNoLimit) {
  for (const std::int64_t kb :
       {std::int64_t{-1}, std::numeric_limits<std::int64_t>::max(), std::numeric_limits<std::int64_t>::min()}) {
    wire::Limits limits;
    limits.set_file_kb(kb);
    const auto wanted = process_limits(limits, {});
    ASSERT_EQ(wanted.size(), 1U);
    EXPECT_EQ(wanted[0].resource, RLIMIT_FSIZE);
    EXPECT_EQ(wanted[0].value, RLIM_INFINITY) << kb;
  }
}

TEST(ProcessLimits, AreInBytes) {
  wire::Limits limits;
  limits.set_stack_kb(8192);
  EXPECT_EQ(process_limits(limits, {})[0].value, rlim_t{8192} * 1024);
}

}  // namespace
}  // namespace rollcall::res
