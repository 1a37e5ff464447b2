// Every parameter that the references name is known, and what is set without effect is told with its place.
#include "common/conf/known_parameters.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace rollcall::conf {
namespace {

TEST(KnownParameters, EachHasOneRowAndAReasonWhereItDoesNothing) {
  std::set<std::string_view> names;
  for (const KnownParameter& known : known_parameters()) {
    EXPECT_TRUE(names.insert(known.name).second) << known.name << " stands twice";
    EXPECT_EQ(known.effect == KnownParameter::Effect::some, known.why.empty()) << known.name;
  }
  EXPECT_GT(names.size(), 100U);
}

TEST(KnownParameters, WhatIsSetAndDoesNothingIsTold) {
  const auto conf =
      LsfConf::parse("LSF_AUTH=eauth\nLSF_LIM_PORT=7869\nSITE_OWN=1\n\nLSF_DCGM_PORT=5555\n", "lsf.conf");
  ASSERT_TRUE(conf);
  LsbParams params;
  params.cells.set("max_sbd_conns", {"3", {"lsb.params", 4}});
  params.cells.set("DEFAULT_QUEUE", {"normal", {"lsb.params", 5}});
  params.cells.set("HIST_HOURS", {"5", {"lsb.params", 6}});
  EXPECT_EQ(parameters_without_effect(*conf, params),
            (std::vector<std::string>{
                "lsf.conf:1: LSF_AUTH has no effect: who a caller is, MUNGE or the cluster's key proves",
                "lsf.conf:5: LSF_DCGM_PORT has no effect: GPUs are what elims count",
                "lsb.params:6: HIST_HOURS has no effect yet: there is no fairshare yet",
                "lsb.params:4: MAX_SBD_CONNS has no effect: every host has one connection"}));
}

}  // namespace
}  // namespace rollcall::conf
