// LSB_PJL_TASK_GEOMETRY as the manual and scripts write it.
#include "common/base/task_geometry.hpp"

#include <gtest/gtest.h>

namespace rollcall {
namespace {

using Groups = std::vector<std::vector<int>>;

TEST(TaskGeometry, ReadsTheManualsExample) {
  const auto geometry = TaskGeometry::parse("{(2,5,7)(0,6)(1,3)(4)}");
  ASSERT_TRUE(geometry);
  EXPECT_EQ(geometry->groups(), (Groups{{2, 5, 7}, {0, 6}, {1, 3}, {4}}));
  EXPECT_EQ(geometry->tasks(), 8);
  EXPECT_EQ(geometry->text(), "{(2,5,7)(0,6)(1,3)(4)}");
}

TEST(TaskGeometry, ScriptsEscapeItsMarks) {
  EXPECT_EQ(TaskGeometry::parse("\\{\\(0\\,1\\)\\(2\\,3\\)\\}")->text(), "{(0,1)(2,3)}");
  EXPECT_EQ(TaskGeometry::parse(" { ( 0 , 1 ) (2 ,3) } ")->text(), "{(0,1)(2,3)}");
  EXPECT_EQ(TaskGeometry::parse("{(0)}")->tasks(), 1);
  EXPECT_EQ(TaskGeometry::parse("{(5)(4,3)(2,1,0)}")->tasks(), 6);
}

TEST(TaskGeometry, ErrorIsNamedWithItsPlace) {
  const auto text = [](const char* geometry) {
    const auto made = TaskGeometry::parse(geometry);
    if (made) return std::string("accepted");
    EXPECT_EQ(made.error().kind, ErrorKind::configuration);
    return made.error().text;
  };
  const std::string at = "LSB_PJL_TASK_GEOMETRY: at byte ";
  EXPECT_EQ(text(""), at + "1: found the end, expected '{'");
  EXPECT_EQ(text("(0)"), at + "1: found \"(\", expected '{'");
  EXPECT_EQ(text("{}"), at + "2: found \"}\", expected '('");
  EXPECT_EQ(text("{(0)"), at + "5: found the end, expected '(' or '}'");
  EXPECT_EQ(text("{()}"), at + "3: found \")\", expected a task id (a number)");
  EXPECT_EQ(text("{(0,)}"), at + "5: found \")\", expected a task id (a number)");
  EXPECT_EQ(text("{(0 1)}"), at + "5: found \"1\", expected ',' or ')'");
  EXPECT_EQ(text("{(-1)}"), at + "3: found \"-\", expected a task id (a number)");
  EXPECT_EQ(text("{(0)} x"), at + "7: found \"x\", expected the end");
  EXPECT_EQ(text("{(0)\\"), at + "5: found \"\\x5c\", expected '(' or '}'");
  EXPECT_EQ(text("{(1)(2)}"),
            "LSB_PJL_TASK_GEOMETRY: found no task id 0, expected every id from 0 to the highest");
  EXPECT_EQ(text("{(0,2)}"),
            "LSB_PJL_TASK_GEOMETRY: found no task id 1, expected every id from 0 to the highest");
  EXPECT_EQ(text("{(0,1)(1)}"), "LSB_PJL_TASK_GEOMETRY: found task id 1 twice, expected every id once");
  EXPECT_NE(text("{(99999999999)}").find("found task id \"99999999999\""), std::string::npos);
}

TEST(TaskGeometry, GroupsGoToTheDistinctHostsInOrder) {
  const auto hosts = *HostList::from_lsb_hosts("b b a c");
  const auto placed = TaskGeometry::parse("{(2,5,7)(0,6)}").has_value();  // ids 1, 3 and 4 are missing
  EXPECT_FALSE(placed);
  EXPECT_EQ(TaskGeometry::parse("{(2,1)(0,3,4)}")->place_on(hosts)->lsb_mcpu_hosts_text(), "b 2 a 3");
  const auto many = TaskGeometry::parse("{(0)(1)(2)(3)}")->place_on(hosts);
  ASSERT_FALSE(many);
  EXPECT_EQ(many.error().text,
            "LSB_PJL_TASK_GEOMETRY: found 4 groups, expected at most one for each of the 3 hosts of the job");
}

}  // namespace
}  // namespace rollcall
