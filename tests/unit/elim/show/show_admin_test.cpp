// What lsadmin -json prints.
#include "elim/policy/show/show_admin.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace rollcall::elim::show {
namespace {

using nlohmann::json;

TEST(AdminJson, ListsEveryProblemOfACheck) {
  conf::Problems problems;
  problems.error({"/c/lsf.shared", 7}, "found x, expected y");
  problems.warning({"/c/lsf.conf", 2}, "odd");
  const auto said = json::parse(check_json("reconfig", problems, {"/c/lsf.conf", "/c/lsf.shared"}));
  EXPECT_EQ(said["COMMAND"], "lsadmin");
  EXPECT_EQ(said["SUBCOMMAND"], "reconfig");
  EXPECT_EQ(said["ERRORS"], 1);
  EXPECT_EQ(said["WARNINGS"], 1);
  EXPECT_EQ(said["FILES"], json({"/c/lsf.conf", "/c/lsf.shared"}));
  EXPECT_EQ(
      said["PROBLEMS"][0],
      json({{"KIND", "error"}, {"FILE", "/c/lsf.shared"}, {"LINE", 7}, {"TEXT", "found x, expected y"}}));
  EXPECT_EQ(said["PROBLEMS"][1]["KIND"], "warning");
}

TEST(AdminJson, TellsWhereEachSettingStands) {
  const auto said = json::parse(parameters_json({{"LSF_LIM_PORT", "7869", "/c/lsf.conf:3"}}));
  EXPECT_EQ(said["PARAMETERS"],
            json::array({{{"NAME", "LSF_LIM_PORT"}, {"VALUE", "7869"}, {"WHERE", "/c/lsf.conf:3"}}}));
}

TEST(AdminJson, TellsWhatWasDoneToEachHost) {
  const auto said = json::parse(outcomes_json("limlock", {{"n1", ""}, {"n2", "LIM is down"}}));
  EXPECT_EQ(said["SUBCOMMAND"], "limlock");
  EXPECT_EQ(said["RECORDS"], json::array({{{"HOST_NAME", "n1"}, {"DONE", true}, {"TEXT", "done"}},
                                          {{"HOST_NAME", "n2"}, {"DONE", false}, {"TEXT", "LIM is down"}}}));
}

}  // namespace
}  // namespace rollcall::elim::show
