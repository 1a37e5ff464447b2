// Users are known by name: the account of a job, and its owner, where uids differ between hosts (accounts.hpp, res_rights.hpp).
#include <gtest/gtest.h>

#include "res/policy/accounts.hpp"
#include "res/policy/res_rights.hpp"

namespace rollcall::res {
namespace {

TEST(ResAccounts, JobRunsWithTheNumberOfItsNameHere) {
  EXPECT_EQ(why_not_as({"alice", 1001}, {"alice", 1001}, "h2"), "");
  EXPECT_EQ(why_not_as({"alice", 1001}, {"alice", 2001}, "h2"), "");
}

TEST(ResAccounts, AnotherNameIsRefusedWithBothNames) {
  EXPECT_EQ(why_not_as({"alice", 1001}, {"bob", 1001}, "h2"),
            "h2 calls user \"alice\" \"bob\", expected the same name as on mbatchd's host");
}

TEST(ResAccounts, OnlyRootIsRoot) {
  EXPECT_NE(why_not_as({"toor", 1001}, {"toor", 0}, "h2"), "");
  EXPECT_NE(why_not_as({"root", 0}, {"root", 500}, "h2"), "");
  EXPECT_EQ(why_not_as({"root", 0}, {"root", 0}, "h2"), "");
}

TEST(ResAccounts, OrderWithoutAUserIsRefused) { EXPECT_NE(why_not_as({"", 1001}, {"", 1001}, "h2"), ""); }

TEST(ResAccounts, ResOfAUserRunsItsOwnJobsAlone) {
  EXPECT_EQ(why_not_by_owner({"alice", 1001}, 1001, "h2"), "");
  EXPECT_EQ(
      why_not_by_owner({"bob", 1002}, 1001, "h2"),
      "RES of h2 does not run as root: it starts jobs of user 1001 alone, and this one is of user 1002");
}

TEST(ResRights, JobBelongsToTheSameNameAndNumber) {
  const ResCaller alice{true, 2001, "alice"};
  EXPECT_TRUE(owns_job(alice, 2001, "alice"));
  EXPECT_FALSE(owns_job(alice, 2001, "bob")) << "the number was bob's on the host where the job began";
  EXPECT_FALSE(owns_job(alice, 1001, "alice"));
  EXPECT_FALSE(owns_job({true, 2001, ""}, 2001, "")) << "a number without a name is no user";
  EXPECT_FALSE(owns_job({false, 2001, "alice"}, 2001, "alice")) << "without a proof";
}

TEST(ResRights, RootActsForEveryJob) {
  EXPECT_TRUE(acts_for_job({true, 0, "root"}, 2001, "alice"));
  EXPECT_FALSE(acts_for_job({false, 0, "root"}, 2001, "alice"));
}

}  // namespace
}  // namespace rollcall::res
