// A row or value with an error is reported and left out; the rest of the set is used. Only a set that lacks a file, a host or a
// section's end is refused.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/conf/batch_settings.hpp"
#include "common/conf/lsb/system_names.hpp"
#include "tests/unit/common/conf/conf_files.hpp"

namespace rollcall::conf {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const std::string kBatch = "/c/lsbatch/lab/configdir/lsb.";

MemoryFiles site() {
  return {
      .files = {
          {"/c/lsf.conf", "LSF_LOGDIR=/l\nLSF_LOG_MASK=LOUD\nnot a setting\n"},
          {"/c/lsf.shared",
           "Begin Cluster\nClusterName\nlab\nEnd Cluster\n"
           "Begin HostModel\nMODELNAME CPUFACTOR\nBox 4\nBox 5\nHalf x\nEnd HostModel\n"
           "Begin Resource\nRESOURCENAME TYPE INTERVAL INCREASING DESCRIPTION\n"
           "define_ncpus_procs Boolean () () (10.1)\nmem Numeric () () (built in)\n"
           "gpus Numeric 60 N (dynamic)\nmg Boolean () () (m)\nodd Float () () (x)\n9x Boolean () () (x)\n"
           "End Resource\n"},
          {"/c/lsf.cluster.lab",
           "Begin Host\nHOSTNAME model type server RESOURCES\n"
           "h1 Box ! 1 (mg gpus nosuch)\nh2 VAX Cray 1 ()\nh1 ! ! 1 ()\nh/3 ! ! 1 ()\nh4 !\n"
           "End Host\n"
           "Begin ResourceMap\nRESOURCENAME LOCATION\nnosuch [h1]\nEnd ResourceMap\n"},
          {kBatch + "params",
           "Begin Parameters\nDEFAULT_QUEUE = nosuch night\nMBD_SLEEP_TIME = x\nEnd Parameters\n"},
          {kBatch + "queues",
           "Begin Queue\nQUEUE_NAME = night\nPRIORITY = much\nTASKLIMIT = 4 2\nQJOB_LIMIT = 7\n"
           "USERS = ann nobody_here\nEnd Queue\n"
           "Begin Queue\nQUEUE_NAME = night\nEnd Queue\nBegin Queue\nPRIORITY = 3\nEnd Queue\n"}}};
}

ClusterFiles cluster_of(const MemoryFiles& files) {
  auto checked = read_cluster_files(files.sources());
  EXPECT_TRUE(checked.files) << "it is used without the wrong rows";
  return checked.files ? std::move(*checked.files) : ClusterFiles{};
}

TEST(RowsLeftOut, LimKeepsTheRestOfTheCluster) {
  const auto site_files = site();
  const auto checked = read_cluster_files(site_files.sources());
  EXPECT_THAT(
      lines_of(checked.problems),
      ElementsAre(HasSubstr("/c/lsf.conf:2: LSF_LOG_MASK"), HasSubstr("/c/lsf.conf:3: found"),
                  HasSubstr("/c/lsf.shared:8: MODELNAME"), HasSubstr("/c/lsf.shared:9: CPUFACTOR"),
                  HasSubstr("/c/lsf.shared:13: warning: RESOURCENAME: found \"define_ncpus_procs\""),
                  HasSubstr("/c/lsf.shared:14: RESOURCENAME: found \"mem\""),
                  HasSubstr("/c/lsf.shared:17: TYPE"), HasSubstr("/c/lsf.shared:18: RESOURCENAME"),
                  HasSubstr("/c/lsf.cluster.lab:3: RESOURCES: found \"nosuch\""),
                  HasSubstr("/c/lsf.cluster.lab:4: type"), HasSubstr("/c/lsf.cluster.lab:4: model"),
                  HasSubstr("/c/lsf.cluster.lab:5: HOSTNAME"), HasSubstr("/c/lsf.cluster.lab:6: HOSTNAME"),
                  HasSubstr("/c/lsf.cluster.lab:7: found 2 values"),
                  HasSubstr("/c/lsf.cluster.lab:11: RESOURCENAME")));
  const auto files = cluster_of(site_files);
  ASSERT_EQ(files.cluster.hosts.size(), 2U);
  EXPECT_THAT(files.cluster.hosts[0].booleans, ElementsAre("mg"));
  EXPECT_EQ(files.cluster.hosts[0].model, "Box");
  EXPECT_EQ(files.cpu_factor("Box"), 4) << "the first row counts";
  EXPECT_FALSE(files.cluster.hosts[1].model) << "the host finds its own";
  EXPECT_FALSE(files.indices.find("odd"));
  EXPECT_EQ(files.settings.log_mask, "LOG_WARNING");
}

TEST(RowsLeftOut, ADynamicResourceOfAHostIsReportedThere) {
  const auto files = cluster_of(site());
  ASSERT_EQ(files.cluster.resource_map.size(), 1U);
  EXPECT_EQ(files.cluster.resource_map[0].resource, "gpus");
  EXPECT_THAT(files.cluster.resource_map[0].instances.at(0).hosts, ElementsAre("h1"));
}

TEST(RowsLeftOut, AnUnknownHostLeavesTheRestOfItsInstance) {
  auto files = site();
  files.files["/c/lsf.cluster.lab"] +=
      "Begin ResourceMap\nRESOURCENAME LOCATION\ngpus ([h1 gone] [gone2])\nEnd ResourceMap\n";
  const auto map = cluster_of(files).cluster.resource_map;
  ASSERT_EQ(map.size(), 1U);
  ASSERT_EQ(map[0].instances.size(), 1U);
  EXPECT_THAT(map[0].instances[0].hosts, ElementsAre("h1"));
}

TEST(RowsLeftOut, MbatchdKeepsTheRestAndNeedsNoHostsUsersOrResources) {
  const auto site_files = site();
  const auto cluster = cluster_of(site_files);
  const auto checked = read_lsb_files(site_files.sources(), cluster);
  EXPECT_THAT(lines_of(checked.problems),
              ElementsAre(HasSubstr("lsb.params:2: DEFAULT_QUEUE: found \"nosuch\""),
                          HasSubstr("lsb.params:3: MBD_SLEEP_TIME"), HasSubstr("lsb.queues:3: PRIORITY"),
                          HasSubstr("lsb.queues:4: TASKLIMIT"), HasSubstr("lsb.queues:8: QUEUE_NAME"),
                          HasSubstr("lsb.queues:11: found no QUEUE_NAME")));
  ASSERT_TRUE(checked.files);
  ASSERT_EQ(checked.files->queues.size(), 1U);
  const auto& night = checked.files->queues[0];
  EXPECT_EQ(night.queue_limit, 7);
  EXPECT_EQ(night.priority, 1);
  EXPECT_THAT(night.jobs.task_limit, IsEmpty());
  EXPECT_THAT(checked.files->params.default_queues, ElementsAre("night"));
}

TEST(RowsLeftOut, AQueueWithAnInvalidListOfHostsHasNone) {
  auto files = site();
  files.files[kBatch + "queues"] = "Begin Queue\nQUEUE_NAME = q\nHOSTS = ~h2\nEnd Queue\n";
  const auto checked = read_lsb_files(files.sources(), cluster_of(files));
  ASSERT_TRUE(checked.files);
  ASSERT_EQ(checked.files->queues[0].hosts.size(), 1U) << "an empty list would mean all";
  EXPECT_EQ(checked.files->queues[0].hosts[0].name, "none");
}

TEST(RowsLeftOut, InvalidRowsOfHostsUsersAndResources) {
  auto files = site();
  files.files[kBatch + "hosts"] =
      "Begin Host\nHOST_NAME MXJ DISPATCH_WINDOW\nh1 many ()\nh2 3 ()\nh2 4 ()\nEnd Host\n";
  files.files[kBatch + "users"] = "Begin User\nUSER_NAME MAX_JOBS\nann x\nbob 3\nEnd User\n";
  files.files[kBatch + "resources"] =
      "Begin Limit\nNAME = a\nUSERS = ann\nPER_USER = all\nSLOTS = 3\nEnd Limit\n"
      "Begin Limit\nNAME = b\nSLOTS = few\nEnd Limit\n"
      "Begin Limit\nNAME = c\nQUEUES = nosuch\nHOSTS = h1 gone\nUSERS = ann nobody_here\nSLOTS = 2\nEnd "
      "Limit\n";
  const auto checked = read_lsb_files(files.sources(), cluster_of(files));
  ASSERT_TRUE(checked.files);
  ASSERT_EQ(checked.files->hosts.hosts.size(), 1U);
  EXPECT_EQ(checked.files->hosts.hosts[0].slots, 3);
  ASSERT_EQ(checked.files->users.users.size(), 1U);
  EXPECT_EQ(checked.files->users.users[0].name, "bob");
  ASSERT_EQ(checked.files->resources.limits.size(), 1U);
  EXPECT_EQ(checked.files->resources.limits[0].name, "c");
  const auto lines = lines_of(checked.problems);
  EXPECT_THAT(lines, Contains(HasSubstr("warning: QUEUES: found \"nosuch\"")));
  EXPECT_THAT(lines, Contains(HasSubstr("warning: HOSTS: found \"gone\"")));

  Problems names;
  const SystemNames system{[](const std::string& name) { return name == "nobody_here"; },
                           [](const std::string&) { return true; },
                           [](const std::string& name) { return name == "h2"; }};
  check_system_names(*checked.files, system, names);
  EXPECT_THAT(lines_of(names),
              ElementsAre(HasSubstr("lsb.queues:6: warning: USERS of queue night: found \"nobody_here\""),
                          HasSubstr("lsb.resources:11: warning: USERS: found \"nobody_here\"")));
}

TEST(RowsLeftOut, CkconfigTellsUnknownUsersOfForwardedJobs) {
  auto files = site();
  files.files[kBatch + "queues"] =
      "Begin Queue\nQUEUE_NAME = q\nSNDJOBS_TO = r@far\nFWD_USERS = all ~ann ~gone\nEnd Queue\n";
  const auto checked = read_lsb_files(files.sources(), cluster_of(files));
  ASSERT_TRUE(checked.files);
  Problems problems;
  const auto no = [](const std::string& name) { return name != "ann"; };
  check_system_names(*checked.files, {no, no, no}, problems);
  EXPECT_THAT(
      lines_of(problems),
      ElementsAre(HasSubstr("lsb.queues:4: warning: FWD_USERS of queue q: found \"~gone\", which is no "
                            "user or group here")));
}

TEST(RowsLeftOut, CkconfigTellsHostsWithoutAddressAndUnknownAdministrators) {
  auto files = site();
  files.files["/c/lsf.cluster.lab"] += "Begin ClusterAdmins\nADMINISTRATORS = ann gone\nEnd ClusterAdmins\n";
  files.files["/c/hosts"] = "10.0.0.1 h1\n";
  Problems problems;
  const auto no = [](const std::string& name) { return name != "ann"; };
  check_system_names(cluster_of(files), {no, no, no}, problems);
  EXPECT_THAT(
      lines_of(problems),
      ElementsAre(HasSubstr("/c/lsf.cluster.lab:14: warning: ADMINISTRATORS: found \"gone\""),
                  HasSubstr("/c/lsf.cluster.lab:4: warning: HOSTNAME: found \"h2\", which has no address")));
}

TEST(RowsLeftOut, OnlyErrorsOfTheWholeSetRefuseIt) {
  const auto refused = [](const std::string& path, const std::string& text) {
    auto files = site();
    files.files[path] = text;
    const auto checked = read_cluster_files(files.sources());
    if (!checked.files) return true;
    if (!read_lsb_files(files.sources(), *checked.files).files) return true;
    Problems problems;
    (void)read_batch_settings(*checked.files, problems);
    return problems.has_fatal();
  };
  EXPECT_FALSE(refused("/c/lsf.conf", ""));
  EXPECT_TRUE(refused("/c/lsf.conf", "LSF_LIM_PORT=x\n"));
  EXPECT_TRUE(refused("/c/lsf.conf", "LSB_SHAREDIR /work\n")) << "an empty store is no store without a row";
  EXPECT_TRUE(refused("/c/lsf.conf", "LSB_SHAREDIR=work\n"));
  EXPECT_TRUE(refused("/c/lsf.conf", "LSF_MASTER_LIST=gone\n"));
  EXPECT_TRUE(refused("/c/lsf.conf", "LSF_MASTER_LIST=\"h1,h2\"\n"));
  EXPECT_TRUE(refused("/c/lsf.conf", "LSF_MASTER_LIST=\"h1, h2\"\n"));
  EXPECT_FALSE(refused("/c/lsf.conf", "LSF_MASTER_LIST=\"gone h2\"\n"));
  EXPECT_TRUE(refused("/c/lsf.shared", "Begin Cluster\nClusterName\nEnd Cluster\n"));
  EXPECT_TRUE(refused("/c/lsf.cluster.lab", "Begin Host\nHOSTNAME\nh/1\nEnd Host\n"));
  EXPECT_TRUE(refused(kBatch + "queues", "Begin Queue\nQUEUE_NAME = cut\n")) << "a file that was cut off";
}

TEST(RowsLeftOut, FilesWithCarriageReturnsAreReadAlike) {
  auto files = site();
  const auto before = lines_of(read_cluster_files(files.sources()).problems);
  for (auto& [path, text] : files.files) {
    std::string with;
    for (const char c : text) with += c == '\n' ? std::string("\r\n") : std::string(1, c);
    text = with;
  }
  EXPECT_EQ(lines_of(read_cluster_files(files.sources()).problems), before);
  EXPECT_TRUE(read_lsb_files(files.sources(), cluster_of(files)).files);
}

}  // namespace
}  // namespace rollcall::conf
