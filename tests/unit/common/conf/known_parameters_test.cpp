// Every parameter of LSF's references is known; one that is set without effect is reported with its file and line.
#include "common/conf/known_parameters.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "common/conf/lsb/lsb_files.hpp"
#include "common/conf/without_effect.hpp"
#include "common/conf/words.hpp"
#include "tests/unit/common/conf/conf_files.hpp"

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

TEST(KnownParameters, ParameterSetWithoutEffectIsReported) {
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
          "lsb.params:6: warning: HIST_HOURS has no effect yet: fairshare is not supported in this release",
          "lsb.params:4: warning: MAX_SBD_CONNS has no effect: every host has one connection"}));
}

TEST(KnownParameters, ReasonsAreTrueOfTheirParameters) {
  using Effect = KnownParameter::Effect;
  const auto why = [](std::string_view name) {
    for (const KnownParameter& known : known_parameters())
      if (known.name == name) return known.why;
    return std::string_view();
  };
  EXPECT_EQ(why("LSB_LOCALDIR"), "events are not logged twice");
  EXPECT_EQ(why("EVENT_UPDATE_INTERVAL"), "events are not logged twice");
  EXPECT_EQ(why("LSF_DATA_HOSTS"), "there is no data manager");
  EXPECT_EQ(why("LSB_SUB_COMMANDNAME"), "esubs always get the command's name");
  EXPECT_EQ(why("MAX_PEND_JOBS"), "it is a column of section User in lsb.users");
  for (const auto name : {"LSB_KEEP_SYSDEF_RLIMIT", "LSB_BPEEK_METHOD", "LSF_NIOS_PORT_RANGE",
                          "LSF_INTERACTIVE_STDERR", "STRICT_UG_CONTROL"})
    EXPECT_EQ(why(name), "it is not in this release") << name;
  for (const KnownParameter& known : known_parameters())
    if (known.effect != Effect::some) {
      EXPECT_EQ(known.effect == Effect::later, known.why.ends_with(" is not supported in this release"))
          << known.name;
    }
}

// Parameters of preemption are told alike, whichever table they stand in.
TEST(KnownParameters, WhatComesLaterIsToldAlike) {
  LsbParams params;
  params.cells.set("PREEMPTION_WAIT_TIME", {"300", {"lsb.params", 1}});
  params.cells.set("LICENSE_PREEMPT", {"Y", {"lsb.params", 2}});
  Problems problems;
  tell_without_effect(params, problems);
  EXPECT_EQ(lines_of(problems),
            (std::vector<std::string>{"lsb.params:1: warning: PREEMPTION_WAIT_TIME has no effect yet: "
                                      "preemption by it is not supported in this release",
                                      "lsb.params:2: warning: LICENSE_PREEMPT has no effect yet: "
                                      "preemption by it is not supported in this release"}));
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

// ckconfig and the daemons take their warnings from the readers of the files: each of these keywords must give one.
TEST(WithoutEffect, KeywordsOfQueuesAndWholeSectionsAreToldByTheReaders) {
  const std::string batch = "/c/lsbatch/lab/configdir/lsb.";
  const MemoryFiles files{
      .files = {
          {"/c/lsf.conf", "LSF_AUTH=eauth\nSITE_OWN=1\nLSB_GPU_REQ=num=1\n"},
          {"/c/lsf.shared", "Begin Cluster\nClusterName Servers\nlab (h1)\nfar ()\nEnd Cluster\n"},
          {"/c/lsf.cluster.lab",
           "Begin Parameters\nPRODUCTS=LSF_Base\nEnd Parameters\nBegin Host\nHOSTNAME\nh1\nEnd Host\n"
           "Begin RemoteClusters\nCLUSTERNAME EQUIV\nfar Y\nEnd RemoteClusters\n"},
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
                      "/c/lsf.cluster.lab:2: warning: PRODUCTS", "/c/lsf.cluster.lab:10: warning: EQUIV"}));
  ASSERT_TRUE(cluster.files);
  told.clear();
  for (auto& line : lines_of(read_lsb_files(files.sources(), *cluster.files).problems))
    told.push_back(line.substr(batch.size(), line.find(" has no effect") - batch.size()));
  EXPECT_EQ(told, (std::vector<std::string>{"params:2: warning: HIST_HOURS", "queues:3: warning: FAIRSHARE",
                                            "queues:6: warning: CHUNK_JOB_SIZE",
                                            "queues:7: warning: BACKFILL", "hosts:3: warning: MIG",
                                            "resources:1: warning: section GuaranteedResourcePool"}));
}

struct DocumentedSection {
  const char* file;
  const char* section;
  const char* name;      // the line that a row must have
  const char* keywords;  // as LSF 10.1's manual lists them
};

const DocumentedSection kDocumented[] = {
    {"queues", "Queue", "QUEUE_NAME = q",
     "ADMINISTRATORS APS_PRIORITY BACKFILL CHKPNT CHUNK_JOB_SIZE COMMITTED_RUN_TIME_FACTOR CONTAINER "
     "CORELIMIT "
     "CPU_FREQUENCY CPULIMIT CPU_TIME_FACTOR CSM_REQ DATALIMIT DATA_TRANSFER DEFAULT_EXTSCHED "
     "DEFAULT_HOST_SPEC "
     "DESCRIPTION DISPATCH_BY_QUEUE DISPATCH_ORDER DISPATCH_WINDOW DOCKER_IMAGE_AFFINITY "
     "ELIGIBLE_PEND_TIME_LIMIT "
     "ENABLE_GPU_HIST_RUN_TIME ENABLE_HIST_RUN_TIME ESTIMATED_RUNTIME EXCLUSIVE EXEC_DRIVER "
     "EXTENDABLE_RUNLIMIT "
     "FAIRSHARE FAIRSHARE_ADJUSTMENT_FACTOR FAIRSHARE_QUEUES FILELIMIT FWD_JOB_FACTOR FWD_USERS GPU_REQ "
     "GPU_RUN_TIME_FACTOR HIST_HOURS HJOB_LIMIT HOST_POST_EXEC HOST_PRE_EXEC HOSTLIMIT_PER_JOB HOSTS "
     "IGNORE_DEADLINE "
     "IMPT_JOBBKLG IMPT_JOBLIMIT IMPT_SLOTBKLG IMPT_TASKBKLG IMPT_TASKLIMIT INTERACTIVE "
     "INTERRUPTIBLE_BACKFILL "
     "JOB_ACCEPT_INTERVAL JOB_ACTION_WARNING_TIME JOB_CONTROLS JOB_IDLE JOB_OVERRUN JOB_SIZE_LIST "
     "JOB_STARTER "
     "JOB_UNDERRUN JOB_WARNING_ACTION LOCAL_MAX_PREEXEC_RETRY LOCAL_MAX_PREEXEC_RETRY_ACTION "
     "MANDATORY_EXTSCHED "
     "MAX_JOB_PREEMPT MAX_JOB_REQUEUE MAX_PREEXEC_RETRY MAX_PROTOCOL_INSTANCES MAX_RSCHED_TIME "
     "MAX_SLOTS_IN_POOL "
     "MAX_TOTAL_TIME_PREEMPT MC_FORWARD_DELAY MEMLIMIT MEMLIMIT_TYPE MIG NETWORK_REQ NEW_JOB_SCHED_DELAY "
     "NICE "
     "NO_PREEMPT_FINISH_TIME NO_PREEMPT_INTERVAL NO_PREEMPT_RUN_TIME NQS_QUEUES PEND_TIME_LIMIT PJOB_LIMIT "
     "PLAN "
     "POST_EXEC PREEMPTION PREEMPT_DELAY PRE_EXEC PRIORITY PROCESSLIMIT PROCLIMIT QJOB_LIMIT QUEUE_GROUP "
     "RCVJOBS_FROM "
     "RC_ACCOUNT RC_DEMAND_POLICY RC_HOSTS RELAX_JOB_DISPATCH_ORDER REMOTE_MAX_PREEXEC_RETRY "
     "REQUEUE_EXIT_VALUES "
     "RERUNNABLE RESIZABLE_JOBS RESOURCE_RESERVE RES_REQ RESRSV_LIMIT RESUME_COND RUN_JOB_FACTOR RUNLIMIT "
     "RUN_TIME_DECAY RUN_TIME_FACTOR RUN_WINDOW SLA_GUARANTEES_IGNORE SLOT_POOL SLOT_RESERVE SLOT_SHARE "
     "SNDJOBS_TO "
     "STACKLIMIT STOP_COND SUCCESS_EXIT_VALUES SWAPLIMIT TASKLIMIT TERMINATE_WHEN THREADLIMIT UJOB_LIMIT "
     "USE_PAM_CREDS "
     "USE_PRIORITY_IN_POOL USERS"},
    {"applications", "Application", "NAME = a",
     "ABS_RUNLIMIT BIND_JOB CHKPNT_DIR CHKPNT_INITPERIOD CHKPNT_METHOD CHKPNT_PERIOD CHUNK_JOB_SIZE "
     "CONTAINER "
     "CORELIMIT CPU_FREQUENCY CPULIMIT DATALIMIT DESCRIPTION DJOB_COMMFAIL_ACTION DJOB_DISABLED "
     "DJOB_ENV_SCRIPT "
     "DJOB_HB_INTERVAL DJOB_RESIZE_GRACE_PERIOD DJOB_RU_INTERVAL DJOB_TASK_BIND DOCKER_IMAGE_AFFINITY "
     "ELIGIBLE_PEND_TIME_LIMIT ENV_VARS ESTIMATED_RUNTIME EXEC_DRIVER FILELIMIT GPU_REQ HOST_POST_EXEC "
     "HOST_PRE_EXEC "
     "JOB_CWD JOB_CWD_TTL JOB_INCLUDE_POSTPROC JOB_POSTPROC_TIMEOUT JOB_PREPROC_TIMEOUT JOB_SIZE_LIST "
     "JOB_STARTER "
     "LOCAL_MAX_PREEXEC_RETRY LOCAL_MAX_PREEXEC_RETRY_ACTION MAX_JOB_PREEMPT MAX_JOB_REQUEUE "
     "MAX_PREEXEC_RETRY "
     "MAX_TOTAL_TIME_PREEMPT MEMLIMIT MEMLIMIT_TYPE MIG NETWORK_REQ NICE NO_PREEMPT_FINISH_TIME "
     "NO_PREEMPT_INTERVAL "
     "NO_PREEMPT_RUN_TIME PEND_TIME_LIMIT PERSISTENT_HOST_ORDER PLAN POST_EXEC PREEMPT_DELAY PREEMPT_FOR "
     "PRE_EXEC PRIORITY "
     "PROCESSLIMIT PROCLIMIT "
     "RC_ACCOUNT RC_RECLAIM_ACTION REMOTE_MAX_PREEXEC_RETRY REQUEUE_EXIT_VALUES RERUNNABLE RESIZABLE_JOBS "
     "RESIZE_NOTIFY_CMD RES_REQ RESUME_CONTROL RTASK_GONE_ACTION RUNLIMIT RUNTIME STACKLIMIT "
     "SUCCESS_EXIT_VALUES "
     "SUSPEND_CONTROL SWAPLIMIT TASKLIMIT TERMINATE_CONTROL THREADLIMIT USE_PAM_CREDS WATCHDOG"},
    {"users", "UserGroup", "GROUP_NAME = g\nGROUP_MEMBER = ann",
     "GROUP_ADMIN USER_SHARES PRIORITY FS_POLICY"},
    {"users", "User", "USER_NAME = ann", "MAX_JOBS JL/P MAX_PEND_JOBS MAX_PEND_SLOTS PRIORITY"},
    {"hosts", "HostGroup", "GROUP_NAME = g\nGROUP_MEMBER = all", "CONDENSE GROUP_ADMIN GROUP_SIZE"},
    {"resources", "Limit", "NAME = l\nSLOTS = 5",
     "APPS ELIGIBLE_PEND_JOBS HOSTS INELIGIBLE JOBS JOBS_PER_SCHED_CYCLE LIC_PROJECTS MEM PER_APP PER_HOST "
     "PER_LIC_PROJECT PER_PROJECT PER_QUEUE PER_USER PROJECTS QUEUES RESOURCE SLOTS_PER_PROCESSOR SWP TMP "
     "USERS FWD_TASKS"},
};

// Each documented keyword is read, or told with a reason; none is called unknown.
TEST(WithoutEffect, DocumentedKeywordsAreKnown) {
  for (const DocumentedSection& known : kDocumented) {
    std::string text = "Begin " + std::string(known.section) + "\n" + known.name + "\n";
    for (const auto& keyword : split_words(known.keywords)) text += keyword + " = 1\n";
    text += "End " + std::string(known.section) + "\n";
    const std::string batch = "/c/lsbatch/lab/configdir/lsb.";
    MemoryFiles files{.files = {{"/c/lsf.conf", ""},
                                {"/c/lsf.shared", "Begin Cluster\nClusterName\nlab\nEnd Cluster\n"},
                                {"/c/lsf.cluster.lab", "Begin Host\nHOSTNAME\nh1\nEnd Host\n"},
                                {batch + "params", ""},
                                {batch + "queues", ""}}};
    files.files[batch + known.file] = text;
    const auto cluster = read_cluster_files(files.sources());
    ASSERT_TRUE(cluster.files);
    for (const auto& line : lines_of(read_lsb_files(files.sources(), *cluster.files).problems))
      EXPECT_EQ(line.find("which is unknown"), std::string::npos) << line;
  }
}

// The keywords that a warning offers stand there once.
TEST(WithoutEffect, KeywordsThatAreReadAndDoNothingAreKnownOnce) {
  std::vector<std::string> known{"GROUP_NAME", "USER_SHARES"};
  add_without_effect("lsb.users", "UserGroup", known);
  EXPECT_EQ(std::count(known.begin(), known.end(), "USER_SHARES"), 1);
  EXPECT_EQ(std::count(known.begin(), known.end(), "PRIORITY"), 1);
}

TEST(KnownParameters, WordsOfLsfHpcExtensionsWithoutEffectAreNamed) {
  const MemoryFiles files{
      .files = {{"/c/lsf.conf", "LSF_HPC_EXTENSIONS=\"SHORT_EVENTFILE CUMULATIVE_RUSAGE TASK_MEMLIMIT\"\n"},
                {"/c/lsf.shared", "Begin Cluster\nClusterName\nlab\nEnd Cluster\n"},
                {"/c/lsf.cluster.lab", "Begin Host\nHOSTNAME\nh1\nEnd Host\n"}}};
  const auto cluster = read_cluster_files(files.sources());
  EXPECT_EQ(
      lines_of(cluster.problems),
      std::vector<std::string>{"/c/lsf.conf:1: warning: LSF_HPC_EXTENSIONS: TASK_MEMLIMIT has no effect in "
                               "this release"});
  EXPECT_TRUE(cluster.files->programs.mbatchd.short_event_hosts);
}

// What real files of lsfinstall and of clouds set in lsf.conf and lsb.params.
TEST(KnownParameters, NamesOfInstalledFilesHaveTheirReason) {
  const MemoryFiles files{
      .files = {{"/c/lsf.conf",
                 "LSF_VERSION=10.1\nLSF_EGO_DAEMON_CONTROL=N\nLSB_RC_EXTERNAL_HOST_FLAG=aws\nLSF_PROCESS_"
                 "TRACKING=Y\n"
                 "LSF_ENVDIR=/c\nLSB_QUERY_PORT=6891\nSITE_OWN=1\n"},
                {"/c/lsf.shared", "Begin Cluster\nClusterName\nlab\nEnd Cluster\n"},
                {"/c/lsf.cluster.lab",
                 "Begin Host\nHOSTNAME\nh1\nEnd Host\nBegin "
                 "Parameters\nLSF_HOST_ADDR_RANGE=*.*.*.*\nFLOAT_CLIENTS=10\n"
                 "End Parameters\n"},
                {"/c/lsbatch/lab/configdir/lsb.params",
                 "Begin Parameters\nNEWJOB_REFRESH=y\nRESOURCE_RESERVE_PER_SLOT = Y\nEnd Parameters\n"},
                {"/c/lsbatch/lab/configdir/lsb.queues", ""}}};
  const auto cluster = read_cluster_files(files.sources());
  std::vector<std::string> lines = lines_of(cluster.problems);
  ASSERT_EQ(lines.size(), 9U) << "one line for each";
  EXPECT_EQ(lines[0], "/c/lsf.conf:1: warning: LSF_VERSION has no effect: it is only a version number");
  EXPECT_EQ(lines[6], "/c/lsf.conf:7: warning: SITE_OWN has no effect: this release does not know it");
  for (const std::size_t known : {0U, 1U, 2U, 3U, 4U, 5U, 7U, 8U})
    EXPECT_EQ(lines[known].find("does not know"), std::string::npos) << lines[known];
  lines = lines_of(read_lsb_files(files.sources(), *cluster.files).problems);
  EXPECT_EQ(
      lines,
      std::vector<std::string>{
          "/c/lsbatch/lab/configdir/lsb.params:2: warning: NEWJOB_REFRESH has no effect: mbatchd answers "
          "queries itself, in one process, and places jobs when something changes"});
}

}  // namespace
}  // namespace rollcall::conf
