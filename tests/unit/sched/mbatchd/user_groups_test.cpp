// What is asked of the system's user database, and how often.
#include "sched/mbatchd/user_groups.hpp"

#include <gmock/gmock.h>

namespace rollcall::mbatchd {
namespace {

using std::chrono::seconds;
using testing::ElementsAre;
using testing::IsEmpty;

class UserGroupsTest : public testing::Test {
 protected:
  UserGroups users_{UserGroups::System{[this](uid_t uid) {
                                         ++names_asked_;
                                         return uid == 1001 ? name_ : std::string();
                                       },
                                       [this](const std::string& user, gid_t) {
                                         ++groups_asked_;
                                         return std::vector<std::string>{"group of " + user};
                                       },
                                       [this] { return now_; }}};
  std::string name_ = "ann";
  UserGroups::Steady::time_point now_{seconds(1000)};
  int names_asked_ = 0, groups_asked_ = 0;
};

TEST_F(UserGroupsTest, ANameIsAskedForOnceAMinute) {
  for (int i = 0; i < 100; ++i) EXPECT_EQ(users_.name(1001), "ann");
  EXPECT_EQ(names_asked_, 1);
  name_ = "renamed";
  now_ += seconds(59);
  EXPECT_EQ(users_.name(1001), "ann");
  now_ += seconds(1);
  EXPECT_EQ(users_.name(1001), "renamed");
  EXPECT_EQ(names_asked_, 2);
}

TEST_F(UserGroupsTest, UnknownUserIsLookedUpEachTime) {
  EXPECT_EQ(users_.name(7), "");
  EXPECT_EQ(users_.name(7), "");
  EXPECT_EQ(names_asked_, 2) << "an account may just have been made";
}

TEST_F(UserGroupsTest, ANameThatIsGoneIsForgotten) {
  EXPECT_EQ(users_.name(1001), "ann");
  name_.clear();
  now_ += seconds(60);
  EXPECT_EQ(users_.name(1001), "");
  EXPECT_EQ(users_.name(1001), "");
}

TEST_F(UserGroupsTest, GroupsAreAskedForOnceInFiveMinutes) {
  EXPECT_THAT(users_.of("ann"), IsEmpty()) << "of() never asks";
  users_.find("ann", 100);
  users_.find("ann", 100);
  EXPECT_EQ(groups_asked_, 1);
  EXPECT_THAT(users_.of("ann"), ElementsAre("group of ann"));
  now_ += seconds(300);
  users_.find("ann", 100);
  EXPECT_EQ(groups_asked_, 2);
}

}  // namespace
}  // namespace rollcall::mbatchd
