// lsb.params as the manuals print it, and what is reported of it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/conf/lsb/matching_resources.hpp"
#include "tests/unit/common/conf/lsb_checked.hpp"

namespace rollcall::conf {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using namespace std::chrono_literals;

TEST(LsbParams, DefaultsAndValues) {
  const auto none = taken({}).params;
  EXPECT_EQ(none.mbd_sleep_time, 60s);
  EXPECT_EQ(none.sbd_sleep_time, 30s);
  EXPECT_EQ(none.default_project, "default");
  EXPECT_EQ(none.mc_reclaim_delay, 10min);
  EXPECT_EQ(none.forward_choice.kind, ForwardChoice::Kind::off);
  const auto files =
      taken({{"params",
              "Begin Parameters\nDEFAULT_QUEUE  = normal   #default job queue name\nMBD_SLEEP_TIME = 10\n"
              "HIST_HOURS=7\nMC_RECLAIM_DELAY=2\nMC_PLUGIN_SCHEDULE_ENHANCE = COUNT_PREEMPTABLE "
              "HIGH_QUEUE_PRIORITY\n"
              "MC_PLUGIN_UPDATE_INTERVAL=30\nCOMPUTE_UNIT_TYPES=cell enclosure! rack\nEnd Parameters\n"},
             {"queues", "Begin Queue\nQUEUE_NAME=normal\nEnd Queue\n"}});
  EXPECT_THAT(files.params.default_queues, ElementsAre("normal"));
  EXPECT_EQ(files.params.mbd_sleep_time, 10s);
  EXPECT_EQ(files.params.hist_hours, 7);
  EXPECT_EQ(files.params.mc_reclaim_delay, 2min);
  EXPECT_TRUE(files.params.forward_choice.kind == ForwardChoice::Kind::count_preemptable &&
              files.params.forward_choice.high_queue_priority &&
              !files.params.forward_choice.pending_when_no_slots);
  EXPECT_THAT(files.params.compute_unit_types, ElementsAre("cell", "enclosure", "rack"));
  EXPECT_EQ(files.params.default_compute_unit_type, "enclosure");
}

// mbatchd reads these numbers only where it uses them; an invalid one must be reported all the same.
TEST(LsbParams, EachNumberIsChecked) {
  for (const char* name :
       {"MAX_JOB_ARRAY_SIZE", "MAX_JOB_REQUEUE", "LOCAL_MAX_PREEXEC_RETRY", "JOB_PREPROC_TIMEOUT",
        "JOB_POSTPROC_TIMEOUT", "JOB_TERMINATE_INTERVAL", "ACCT_ARCHIVE_AGE", "ACCT_ARCHIVE_SIZE",
        "MAX_ACCT_ARCHIVE_FILE", "GLOBAL_EXIT_RATE", "JOB_EXIT_RATE_DURATION"}) {
    Problems problems;
    const auto read = [&](const std::string& value) {
      return read_lsb_params(
          parse_sections("Begin Parameters\n" + std::string(name) + " = " + value + "\nEnd Parameters\n", "p",
                         {}, problems),
          problems);
    };
    EXPECT_TRUE(read("7").cells.given(name));
    EXPECT_THAT(lines_of(problems), IsEmpty()) << name;
    EXPECT_FALSE(read("many").cells.given(name)) << name << ": the default is in force";
    EXPECT_THAT(lines_of(problems), ElementsAre(HasSubstr("p:2: " + std::string(name) + ": found \"many\"")))
        << name;
  }
}

TEST(LsbParams, NumbersGoAsFarAsTheManualSays) {
  const auto taken = [](const std::string& name, long value) {
    Problems problems;
    const auto text = "Begin Parameters\n" + name + " = " + std::to_string(value) + "\nEnd Parameters\n";
    const bool given = read_lsb_params(parse_sections(text, "p", {}, problems), problems).cells.given(name);
    EXPECT_EQ(given, lines_of(problems).empty()) << text;
    return given;
  };
  for (const auto& [name, least, most] :
       std::initializer_list<std::tuple<const char*, long, long>>{{"MAX_JOBID", 999999, 2147483646},
                                                                  {"MAX_JOB_ARRAY_SIZE", 1, 2147483646},
                                                                  {"MAX_JOB_REQUEUE", 0, 2147483647},
                                                                  {"JOB_TERMINATE_INTERVAL", 0, 4294967}}) {
    EXPECT_TRUE(taken(name, least) && taken(name, most)) << name;
    EXPECT_FALSE(taken(name, least - 1) || taken(name, most + 1)) << name;
  }
}

TEST(LsbParams, ErrorsAreReported) {
  EXPECT_THAT(
      said({{"params",
             "Begin "
             "Parameters\nDEFAULT_QUEUE=none\nMBD_SLEEP_TIME=x\nMC_PLUGIN_SCHEDULE_ENHANCE=RESOURCE_ONLY "
             "PENDING_WHEN_NOSLOTS\n"
             "COMPUTE_UNIT_TYPES=a! b!\nSITE_OWN_WORD = QUEUE & USERNAME\nEnd Parameters\n"}}),
      ElementsAre(
          "params:2: DEFAULT_QUEUE: found \"none\", expected a queue of lsb.queues",
          "params:3: MBD_SLEEP_TIME: found \"x\", expected seconds from 0 to 1000000000",
          HasSubstr(
              "params:4: MC_PLUGIN_SCHEDULE_ENHANCE: found \"RESOURCE_ONLY\", expected RESOURCE_ONLY alone"),
          "params:5: COMPUTE_UNIT_TYPES: found \"b\", expected names, each once, one of them with ! at its "
          "end",
          HasSubstr("params:6: warning: found \"SITE_OWN_WORD\" in section Parameters, which is unknown")));
}

TEST(LsbParams, InvalidForwardChoiceIsOffAndReportedOnce) {
  for (const char* words :
       {"RESOURCE_ONLY RESOURCE_ONLY", "HIGH_QUEUE_PRIORITY RESOURCE_ONLY", "MOST LEAST"}) {
    const std::string text =
        "Begin Parameters\nMC_PLUGIN_SCHEDULE_ENHANCE = " + std::string(words) + "\nEnd Parameters\n";
    const auto checked = check({{"params", text}});
    EXPECT_EQ(checked.files->params.forward_choice.kind, ForwardChoice::Kind::off) << words;
    EXPECT_THAT(said({{"params", text}}),
                ElementsAre(HasSubstr("params:2: MC_PLUGIN_SCHEDULE_ENHANCE: found")));
  }
}

TEST(LsbParams, ForwardChoiceWithoutUpdatesIsAWarning) {
  EXPECT_THAT(
      said({{"params", "Begin Parameters\nMC_PLUGIN_SCHEDULE_ENHANCE = RESOURCE_ONLY\nEnd Parameters\n"}}),
      ElementsAre(HasSubstr("params:2: warning: MC_PLUGIN_SCHEDULE_ENHANCE")));
}

TEST(LsbParams, JobTypesOfPreemptionThatAreNotSupportedAreTold) {
  EXPECT_THAT(
      lines_of(check({{"params", "Begin Parameters\nPREEMPT_JOBTYPE = BACKFILL affinity\nEnd Parameters\n"}})
                   .problems),
      ElementsAre(HasSubstr("params:2: warning: PREEMPT_JOBTYPE: BACKFILL has no effect yet: backfill is not "
                            "supported in this release"),
                  HasSubstr("params:2: warning: PREEMPT_JOBTYPE: affinity has no effect yet: binding jobs to "
                            "processors is not supported in this release")));
}

TEST(LsbParams, PreemptableResourcesAreSharedAndGivenBackBySuspendedJobs) {
  auto files = cluster();
  files.files["/c/lsf.shared"] =
      "Begin Cluster\nClusterName\nlab\nEnd Cluster\n"
      "Begin Resource\nRESOURCENAME TYPE INTERVAL INCREASING RELEASE DESCRIPTION\nlic Numeric () N Y (x)\n"
      "kept Numeric () N N (x)\nload Numeric 30 Y Y (x)\nown Numeric () N Y (x)\nEnd Resource\n";
  files.files["/c/lsf.cluster.lab"] =
      "Begin Host\nHOSTNAME\nhost1\nEnd Host\nBegin ResourceMap\nRESOURCENAME LOCATION\n"
      "lic (3@[all])\nkept (3@[all])\nload ([all])\nEnd ResourceMap\n";
  const std::string dir = "/c/lsbatch/lab/configdir/lsb.";
  for (const char* name : {"queues", "hosts"}) files.files[dir + name] = "";
  files.files[dir + "params"] =
      "Begin Parameters\nPREEMPTABLE_RESOURCES = lic kept load own none mem\nEnd Parameters\n";
  const auto checked = read_cluster_files(files.sources());
  ASSERT_TRUE(checked.files);
  const auto lsb = read_lsb_files(files.sources(), *checked.files);
  const auto wrong = [](const std::string& name) {
    return HasSubstr("params:2: warning: PREEMPTABLE_RESOURCES: found \"" + name +
                     "\", expected a shared resource with TYPE Numeric, INCREASING N and RELEASE Y");
  };
  EXPECT_THAT(lines_of(lsb.problems),
              testing::UnorderedElementsAre(
                  wrong("kept"), wrong("load"), wrong("own"), wrong("none"),
                  HasSubstr("PREEMPTABLE_RESOURCES: mem has no effect yet: preempting jobs for memory is not "
                            "supported in this release")));
}

TEST(LsbParams, MatchingResourcesAreOfHostsAndNotConsumed) {
  auto files = cluster();
  files.files["/c/lsf.shared"] =
      "Begin Cluster\nClusterName\nlab\nEnd Cluster\n"
      "Begin Resource\nRESOURCENAME TYPE CONSUMABLE DESCRIPTION\nlicver Numeric () (x)\nos String () (x)\n"
      "own Numeric () (x)\nlic Numeric () (x)\nused Numeric Y (x)\ngpu Boolean () (x)\nEnd Resource\n";
  files.files["/c/lsf.cluster.lab"] =
      "Begin Host\nHOSTNAME RESOURCES\nhost1 (licver=5 os=rhel8)\nEnd Host\nBegin ResourceMap\nRESOURCENAME "
      "LOCATION\n"
      "lic (3@[all])\nown (7@[default])\nEnd ResourceMap\n";
  const std::string dir = "/c/lsbatch/lab/configdir/lsb.";
  for (const char* name : {"queues", "hosts"}) files.files[dir + name] = "";
  files.files[dir + "params"] =
      "Begin Parameters\nMC_RESOURCE_MATCHING_CRITERIA = os licver own os lic used gpu mem none\nEnd "
      "Parameters\n";
  const auto checked = read_cluster_files(files.sources());
  ASSERT_TRUE(checked.files);
  const auto lsb = read_lsb_files(files.sources(), *checked.files);
  const auto wrong = [](const std::string& name) {
    return HasSubstr("params:2: warning: MC_RESOURCE_MATCHING_CRITERIA: found \"" + name +
                     "\", expected a numeric or string resource of lsf.shared");
  };
  EXPECT_THAT(lines_of(lsb.problems), testing::UnorderedElementsAre(wrong("lic"), wrong("used"), wrong("gpu"),
                                                                    wrong("mem"), wrong("none")));
  std::vector<std::string> names;
  for (const ResourceId id : matching_resources(lsb.files->params, *checked.files))
    names.push_back(checked.files->indices.at(id).name);
  EXPECT_THAT(names, ElementsAre("os", "licver", "own"));
}

}  // namespace
}  // namespace rollcall::conf
