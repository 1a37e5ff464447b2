// HostClaim: whether a peer's address is one of the host that it claims to be.
#include "common/base/host_claim.hpp"

#include <gtest/gtest.h>

namespace rollcall {
namespace {

TEST(HostClaim, IsGoodFromAnyAddressOfTheHost) {
  const std::vector<std::string> two{"10.1.0.3", "10.2.0.3", "fe80::3"};
  EXPECT_EQ(judge_claim("10.1.0.3", two), HostClaim::good);
  EXPECT_EQ(judge_claim("10.2.0.3", two), HostClaim::good) << "a host with several";
  EXPECT_EQ(judge_claim("fe80::3%eth0", two), HostClaim::good) << "the zone is ours, not the peer's";
  EXPECT_EQ(judge_claim("10.1.0.30", two), HostClaim::foreign);
  EXPECT_EQ(judge_claim("10.1.0", two), HostClaim::foreign);
  EXPECT_EQ(judge_claim("127.0.0.1", two), HostClaim::foreign);
  EXPECT_EQ(judge_claim("", two), HostClaim::foreign);
}

TEST(HostClaim, OfAHostWithoutAnAddressCannotBeJudged) {
  EXPECT_EQ(judge_claim("10.1.0.3", {}), HostClaim::unknown);
}

TEST(HostClaim, ListsAddressesAsASentence) {
  EXPECT_EQ(addresses_text({}), "none");
  EXPECT_EQ(addresses_text({"a"}), "a");
  EXPECT_EQ(addresses_text({"a", "b"}), "a and b");
  EXPECT_EQ(addresses_text({"a", "b", "c"}), "a, b and c");
}

}  // namespace
}  // namespace rollcall
