// Which task has which connection.
#include "pam/policy/connections.hpp"

#include <gtest/gtest.h>

namespace rollcall::pam {
namespace {

TEST(ConnectionTids, FindsTheTaskOfAPeerAndANumber) {
  ConnectionTids tids;
  tids.set(connection_id(7, 0), 0);
  tids.set(connection_id(8, 1), 1);
  tids.set(connection_id(8, 3), 2);
  tids.set(connection_id(1ull << 31, 4000), 3);
  EXPECT_EQ(tids.find(connection_id(7, 0)), 0U);
  EXPECT_EQ(tids.find(connection_id(8, 1)), 1U);
  EXPECT_EQ(tids.find(connection_id(8, 3)), 2U);
  EXPECT_EQ(tids.find(connection_id(1ull << 31, 4000)), 3U);
  for (const auto unknown : {connection_id(7, 1), connection_id(8, 0), connection_id(8, 2),
                             connection_id(8, 4), connection_id(9, 1)})
    EXPECT_EQ(tids.find(unknown), std::nullopt) << unknown;
}

TEST(ConnectionTids, ForgetsAPeerWithItsLastTask) {
  ConnectionTids tids;
  for (std::uint32_t number = 1; number <= 3; ++number) tids.set(connection_id(1, number), number);
  tids.set(connection_id(1, 2), 9);
  EXPECT_EQ(tids.find(connection_id(1, 2)), 9U) << "a task that came back";
  for (std::uint32_t number = 1; number <= 3; ++number) {
    EXPECT_EQ(tids.peers(), 1U);
    tids.erase(connection_id(1, number));
    tids.erase(connection_id(1, number));
    EXPECT_EQ(tids.find(connection_id(1, number)), std::nullopt);
  }
  EXPECT_EQ(tids.peers(), 0U);
}

}  // namespace
}  // namespace rollcall::pam
