// Every parameter that the references name is known, and what is set without effect is told with its place.
#include "common/conf/known_parameters.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "common/conf/lsb/lsb_files.hpp"
#include "common/conf/without_effect.hpp"
#include "tests/unit/conf_files.hpp"

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
  Problems problems;
  tell_without_effect(*conf, problems);
  tell_without_effect(params, problems);
  EXPECT_EQ(
      lines_of(problems),
      (std::vector<std::string>{
          "lsf.conf:1: warning: LSF_AUTH has no effect: who a caller is, MUNGE or the cluster's key proves",
          "lsf.conf:5: warning: LSF_DCGM_PORT has no effect: GPUs are what elims count",
          "lsb.params:6: warning: HIST_HOURS has no effect yet: there is no fairshare yet",
          "lsb.params:4: warning: MAX_SBD_CONNS has no effect: every host has one connection"}));
}

TEST(WithoutEffect, EachKeywordHasOneRowWithAReason) {
  std::set<std::string> names;
  for (const auto& row : keywords_without_effect()) {
    EXPECT_TRUE(
        names.insert(std::string(row.file) + " " + std::string(row.section) + " " + std::string(row.keyword))
            .second)
        << row.keyword;
    EXPECT_FALSE(row.why.empty());
  }
  EXPECT_GT(names.size(), 80U);
}

// ckconfig and the daemons take their warnings from the readers of the files: no keyword of these is silent.
TEST(WithoutEffect, KeywordsOfQueuesAndWholeSectionsAreToldByTheReaders) {
  const std::string batch = "/c/lsbatch/lab/configdir/lsb.";
  const MemoryFiles files{
      .files = {
          {"/c/lsf.conf", "LSF_AUTH=eauth\nSITE_OWN=1\nLSB_GPU_REQ=num=1\n"},
          {"/c/lsf.shared", "Begin Cluster\nClusterName Servers\nlab (h1)\nfar ()\nEnd Cluster\n"},
          {"/c/lsf.cluster.lab",
           "Begin Parameters\nPRODUCTS=LSF_Base\nEnd Parameters\nBegin Host\nHOSTNAME\nh1\nEnd Host\n"
           "Begin RemoteClusters\nCLUSTERNAME\nfar\nEnd RemoteClusters\n"},
          {batch + "params", "Begin Parameters\nHIST_HOURS = 5\nEnd Parameters\n"},
          {batch + "queues",
           "Begin Queue\nQUEUE_NAME = q\nFAIRSHARE = USER_SHARES[[default, 1]]\nPREEMPTION = PREEMPTIVE\n"
           "SNDJOBS_TO = q@far\nCHUNK_JOB_SIZE = 4\nBACKFILL = Y\nMIG =\nEnd Queue\n"},
          {batch + "hosts", "Begin Host\nHOST_NAME MXJ MIG\nh1 ! 10\ndefault ! 20\nEnd Host\n"},
          {batch + "resources", "Begin GuaranteedResourcePool\nNAME = a\nEnd GuaranteedResourcePool\n"}}};
  const auto cluster = read_cluster_files(files.sources());
  std::vector<std::string> told;
  for (const auto& line : lines_of(cluster.problems))
    told.push_back(line.substr(0, line.find(" has no effect")));
  EXPECT_EQ(told, (std::vector<std::string>{
                      "/c/lsf.conf:1: warning: LSF_AUTH", "/c/lsf.conf:2: warning: SITE_OWN",
                      "/c/lsf.shared:3: warning: Servers", "/c/lsf.cluster.lab:2: warning: PRODUCTS",
                      "/c/lsf.cluster.lab:8: warning: section RemoteClusters"}));
  ASSERT_TRUE(cluster.files);
  told.clear();
  for (auto& line : lines_of(read_lsb_files(files.sources(), *cluster.files).problems))
    told.push_back(line.substr(batch.size(), line.find(" has no effect") - batch.size()));
  EXPECT_EQ(told, (std::vector<std::string>{"params:2: warning: HIST_HOURS", "queues:3: warning: FAIRSHARE",
                                            "queues:4: warning: PREEMPTION", "queues:5: warning: SNDJOBS_TO",
                                            "queues:6: warning: CHUNK_JOB_SIZE",
                                            "queues:7: warning: BACKFILL", "hosts:3: warning: MIG",
                                            "resources:1: warning: section GuaranteedResourcePool"}));
}

}  // namespace
}  // namespace rollcall::conf
