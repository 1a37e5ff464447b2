// Which TaskStarter is told to end the processes of one whose outer and inner process were both killed (docs/decisions/0012).
#include <gmock/gmock.h>

#include "tests/unit/pam/roll_driver.hpp"

namespace rollcall::pam {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::Not;
using ::testing::StartsWith;

class Orphans : public ::testing::Test {
 protected:
  Orphans() { driver.launch(); }
  static RollRules rules() {
    RollRules rules;
    rules.host = "n1";
    rules.expected = 4;
    return rules;
  }
  void link_closes(Tid tid) { driver.feed(event::LinkEnded{tid, false, 1}); }

  RollDriver driver{rules()};
};

TEST_F(Orphans, AnotherTaskOfTheHostEndsThem) {
  for (const char* host : {"n1", "n2", "n2", "n2"}) driver.task(host);
  link_closes(1);
  EXPECT_THAT(driver.pass(kOrphans), ElementsAre("EndOrphans on n2 by task 2"));
}

TEST_F(Orphans, OneForEachHostThoughManyAreLost) {
  for (const char* host : {"n2", "n2", "n3", "n3"}) driver.task(host);
  link_closes(0);
  link_closes(2);
  EXPECT_THAT(driver.pass(kOrphans), ElementsAre("EndOrphans on n2 by task 1", "EndOrphans on n3 by task 3"));
}

TEST_F(Orphans, OnItsOwnHostPamDoesWhereNoTaskIsLeft) {
  driver.task("n1");
  driver.task("n2");
  link_closes(0);
  link_closes(1);
  EXPECT_THAT(driver.pass(kOrphans), ElementsAre("EndOrphans on n1 by pam"));
}

TEST_F(Orphans, CutLinkEndsNoOrphans) {
  driver.task("n2");
  driver.task("n2");
  driver.feed(event::LinkEnded{0, true, 1});
  EXPECT_THAT(driver.pass(std::chrono::seconds(1)), Not(Contains(StartsWith("EndOrphans"))));
}

TEST_F(Orphans, TaskWhoseEndIsKnownEndsNoOrphans) {
  driver.task("n2");
  driver.task("n2");
  driver.ends(0);
  link_closes(0);
  EXPECT_THAT(driver.pass(std::chrono::seconds(1)), Not(Contains(StartsWith("EndOrphans"))));
}

TEST_F(Orphans, ALackOfCgroupsIsNotedOnce) {
  Registration registration;
  registration.host = "n3";
  registration.outcome = pid_t{7};
  EXPECT_THAT(driver.feed(event::TaskRegistered{1, registration, "cannot make X: Permission denied"}),
              Contains("Note tasks on n3 have no cgroup (cannot make X: Permission denied): where both "
                       "levels of a TaskStarter are killed at once, what its task has started may be left"));
  EXPECT_THAT(driver.feed(event::TaskRegistered{2, registration, "cannot make X: Permission denied"}),
              Not(Contains(StartsWith("Note"))));
}

}  // namespace
}  // namespace rollcall::pam
