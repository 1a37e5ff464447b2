// As whom a job runs in another cluster: what one side proposes, and what the other one accepts.
#include "sched/policy/peers/user_map.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace rollcall::sched::peers {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using Rows = std::vector<conf::UserMapping>;
using Direction = conf::UserMapping::Direction;

conf::UserMapping row(std::vector<std::string> local, std::vector<std::string> remote, Direction direction) {
  return {std::move(local), std::move(remote), direction, {}};
}
conf::UserMapping sends(std::vector<std::string> local, std::vector<std::string> remote) {
  return row(std::move(local), std::move(remote), Direction::export_jobs);
}
conf::UserMapping takes(std::vector<std::string> local, std::vector<std::string> remote) {
  return row(std::move(local), std::move(remote), Direction::import_jobs);
}

// Members of the group "staff": user6 and user8.
bool names(const std::vector<std::string>& words, const std::string& user) {
  return std::any_of(words.begin(), words.end(), [&](const std::string& word) {
    return word == user || (word == "staff" && (user == "user6" || user == "user8"));
  });
}

std::string runs_as(const Rows& rows, const std::string& user, std::vector<std::string> accounts) {
  const auto account = accepted({rows, names}, "west", {user, std::move(accounts)});
  return account ? *account : "refused: " + account.error().text;
}

// The example of LSF's manual: lsb.users of cluster1 and of cluster2.
const Rows kFirst{sends({"user1"}, {"user2@cluster2"}),
                  sends({"user3"}, {"user4@cluster2", "user6@cluster2"})};
const Rows kSecond{takes({"user2"}, {"user1@cluster1"}), takes({"user6", "user8"}, {"user3@cluster1"})};

std::string across(const std::string& user) {
  const auto account =
      accepted({kSecond, names}, "cluster1", {user, proposed({kFirst, names}, "cluster2", user)});
  return account ? *account : "refused";
}

TEST(UserMap, RunsTheManualsExample) {
  EXPECT_EQ(across("user1"), "user2");
  EXPECT_EQ(across("user3"), "user6") << "user4 is proposed alone, and user8 accepted alone";
  EXPECT_EQ(across("user5"), "user5") << "who is in no row has one name in both clusters";
}

TEST(UserMap, ProposesTheAccountsOfOneClusterInOrder) {
  const Rows rows{sends({"staff"}, {"guest@east", "b@north"}), sends({"user6"}, {"six@east", "guest@east"}),
                  takes({"user6"}, {"other@east"})};
  EXPECT_THAT(proposed({rows, names}, "east", "user6"), ElementsAre("guest", "six"));
  EXPECT_THAT(proposed({rows, names}, "east", "user8"), ElementsAre("guest"));
  EXPECT_THAT(proposed({rows, names}, "south", "user6"), IsEmpty());
  EXPECT_THAT(proposed({rows, names}, "east", "user7"), IsEmpty()) << "a row of imports proposes nothing";
}

TEST(UserMap, AcceptsWhatBothSidesSay) {
  const struct {
    const char* title;
    Rows rows;
    std::vector<std::string> accounts;
    std::string expected;
  } cases[] = {
      {"no row, no proposal", {}, {}, "ann"},
      {"no row, the same name is proposed", {}, {"bob", "ann"}, "ann"},
      {"no row, another name is proposed", {}, {"bob"}, "no row in UserMap"},
      {"a row, nothing is proposed", {takes({"bob"}, {"ann@west"})}, {}, "accepts no account"},
      {"a row of the same name, nothing is proposed", {takes({"ann"}, {"ann@west"})}, {}, "ann"},
      {"a row, the same name is proposed", {takes({"bob"}, {"ann@west"})}, {"ann"}, "accepts no account"},
      {"a row, its account is proposed", {takes({"bob"}, {"ann@west"})}, {"bob"}, "bob"},
      {"the first proposed account that a row has",
       {takes({"c"}, {"ann@west"}), takes({"b"}, {"ann@west"})},
       {"a", "b", "c"},
       "b"},
      {"a member of a group of LOCAL", {takes({"staff"}, {"ann@west"})}, {"user8"}, "user8"},
      {"a row of another user", {takes({"bob"}, {"cat@west"})}, {"bob"}, "no row in UserMap"},
      {"a row of another cluster", {takes({"bob"}, {"ann@north"})}, {"bob"}, "no row in UserMap"},
      {"a row of exports", {sends({"bob"}, {"ann@west"})}, {"bob"}, "no row in UserMap"},
  };
  for (const auto& one : cases)
    EXPECT_THAT(runs_as(one.rows, "ann", one.accounts), HasSubstr(one.expected)) << one.title;
}

TEST(UserMap, OffersCarryTheClaim) {
  wire::ForwardOffer offer;
  offer.mutable_asked()->set_user("ann");
  propose({}, offer);
  EXPECT_EQ(claim_of(offer)->user, "ann");
  propose({"bob", "cat"}, offer);
  const auto claim = claim_of(offer);
  ASSERT_TRUE(claim);
  EXPECT_EQ(claim->user, "ann");
  EXPECT_THAT(claim->accounts, ElementsAre("bob", "cat"));
  EXPECT_EQ(offer.asked().user(), "") << "a release without UserMap refuses it";
}

TEST(UserMap, TakesNoNameThatNoUserCanHave) {
  for (const std::string& name : {std::string(), std::string("a b"), std::string("a@b"), std::string("a\nb"),
                                  std::string("\xc3\xa4"), std::string(256, 'a')}) {
    wire::ForwardOffer offer;
    offer.mutable_asked()->set_user(name);
    EXPECT_FALSE(claim_of(offer)) << name;
    offer.set_user("ann");
    offer.add_run_as(name);
    EXPECT_FALSE(claim_of(offer)) << name;
  }
  wire::ForwardOffer many;
  many.set_user("ann");
  for (int i = 0; i < 101; ++i) many.add_run_as("bob");
  EXPECT_FALSE(claim_of(many));
}

}  // namespace
}  // namespace rollcall::sched::peers
