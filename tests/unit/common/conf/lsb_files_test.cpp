// Users, profiles and tasks of the batch system as the manuals print them, and the set of files as a whole.
#include "common/conf/lsb/lsb_files.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/common/conf/lsb_checked.hpp"

namespace rollcall::conf {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using namespace std::chrono_literals;

// A section under a name with a slip is left out, with all that the site set in it. Later releases of LSF have sections of their own.
TEST(SectionNames, OneOrTwoLettersOffAreAnError) {
  const auto of = [](const std::string& file, const std::string& section) {
    return said({{file, "Begin " + section + "\nNAME = x\nEnd " + section + "\n"}});
  };
  EXPECT_THAT(of("queues", "Qeueu"),
              ElementsAre("queues:1: found section \"Qeueu\", expected Queue (did you mean Queue?)"));
  EXPECT_THAT(
      of("users", "UserGruop"),
      ElementsAre("users:1: found section \"UserGruop\", expected User UserGroup UserMap (did you mean "
                  "UserGroup?)"));
  for (const auto& [file, section] :
       {std::pair("queues", "QUEUES"), std::pair("queues", "Quue"), std::pair("params", "Paramters"),
        std::pair("users", "Usr"), std::pair("hosts", "Hosts"), std::pair("hosts", "HostGruop"),
        std::pair("applications", "Aplication"), std::pair("resources", "Limits")})
    EXPECT_THAT(of(file, section), ElementsAre(HasSubstr("(did you mean "))) << section;
  for (const auto& [file, section] :
       {std::pair("queues", "QueueGroup"), std::pair("queues", "Qxxxe"), std::pair("users", "Peer"),
        std::pair("users", "UserProfile"), std::pair("hosts", "Cost2"), std::pair("resources", "Pool")})
    EXPECT_THAT(of(file, section), ElementsAre(HasSubstr("warning: found section "))) << section;
}

TEST(LsbUsers, WarnOfAGroupForWhichDefaultHolds) {
  const auto told = [](const std::string& rows) {
    return said({{"users", "Begin User\nUSER_NAME MAX_JOBS JL/P\n" + rows +
                               "End User\nBegin UserGroup\nGROUP_NAME GROUP_MEMBER\ng1 (ann)\ng2 (bob)\ng3 "
                               "(all)\nEnd UserGroup\n"}});
  };
  EXPECT_THAT(
      told("ann 5 -\ndefault 9 -\ng1@ 2 -\ng2 - -\n"),
      ElementsAre("users:4: warning: USER_NAME: found default and no row of group \"g3\", expected one: "
                  "MAX_JOBS and JL/P of default hold for all of its members together"));
  EXPECT_THAT(told("default - -\n"), IsEmpty()) << "no limit";
}

TEST(LsbUsers, LimitsGroupsAndMaps) {
  const auto users = taken({{"users",
                             "Begin User\nUSER_NAME MAX_JOBS JL/P\nann 5 0.5\ndept@ 2 -\nEnd User\n"
                             "Begin UserGroup\nGROUP_NAME GROUP_MEMBER USER_SHARES\ng1 (ann bob) ([ann, 5] "
                             "[others, 1])\ng2 (all ~ann) ()\nEnd UserGroup\n"
                             "Begin UserMap\nLOCAL REMOTE DIRECTION\nann ann2@far export\ng1 (a@far b@far) "
                             "import\nEnd UserMap\n"}})
                         .users;
  EXPECT_EQ(users.users.at(0).max_jobs, 5);
  EXPECT_EQ(users.users.at(0).per_processor, 0.5);
  EXPECT_EQ(users.users.at(1).per_processor, std::nullopt);
  EXPECT_THAT(users.groups.at(0).shares, ElementsAre(Share{"ann", 5}, Share{"others", 1}));
  EXPECT_THAT(users.mappings.at(1).remote, ElementsAre("a@far", "b@far"));
  EXPECT_EQ(users.mappings.at(1).direction, UserMapping::Direction::import_jobs);
  EXPECT_THAT(said({{"users",
                     "Begin User\nUSER_NAME\na\na\nEnd User\nBegin UserMap\nLOCAL REMOTE DIRECTION\na b "
                     "sideways\na b export\nEnd UserMap\n"}}),
              ElementsAre(HasSubstr("users:4: USER_NAME: found \"a\", expected each user once"),
                          "users:8: DIRECTION: found \"sideways\", expected export or import",
                          "users:9: REMOTE: found \"b\", expected USER@CLUSTER"));
}

TEST(LsbApplications, ProfilesAreRead) {
  const auto files = taken({{"applications",
                             "Begin Application\nNAME = fluent\nDESCRIPTION = FLUENT (any version)\nCPULIMIT "
                             "= 180\nRES_REQ = order[mem]\nEnd Application\n"}});
  EXPECT_EQ(files.applications.at(0).name, "fluent");
  EXPECT_EQ(files.applications.at(0).jobs.cpu_limit.most->time, 180min);
  EXPECT_EQ(files.applications.at(0).jobs.description, "FLUENT (any version)");
  EXPECT_EQ(files.application("fluent"), &files.applications.at(0));
  EXPECT_EQ(files.application("other"), nullptr);
  EXPECT_EQ(files.application(""), nullptr);
}

TEST(LsbApplications, EnvironmentOfAProfile) {
  EXPECT_THAT(*parse_env_vars("\"A='1 2', B_2='', A='3'\""), ElementsAre("B_2=", "A=3"));
  EXPECT_THAT(*parse_env_vars("A='='"), ElementsAre("A=="));
  for (const char* text : {"", "\"\"", "A", "A=1", "A='1", "1A='x'", "='x'", "A='1' B='2'", "A='1',",
                           "A='a,b'", "A B='1'", "A='\"'"})
    EXPECT_FALSE(parse_env_vars(text)) << text;
}

TEST(LsbApplications, KeywordsWithoutEffectAreReported) {
  Problems problems;
  const auto file = parse_sections(
      "Begin Application\nNAME = a\nCHKPNT_DIR = /c\nRUNTIME = 5\nSTOP_COND = ut > 1\nMIG = ()\nEnd "
      "Application\n",
      "applications", {}, problems);
  EXPECT_EQ(read_lsb_applications(file, {}, problems).size(), 1U);
  EXPECT_THAT(
      lines_of(problems),
      ElementsAre("applications:3: warning: CHKPNT_DIR of application profile \"a\" has no effect: jobs "
                  "are not checkpointed",
                  "applications:4: warning: RUNTIME of application profile \"a\" has no effect: "
                  "estimated run times are not supported in this release",
                  "applications:5: warning: STOP_COND of application profile \"a\" has no effect: it "
                  "is a queue's parameter"));
}

TEST(LsbApplications, ErrorsAreReported) {
  EXPECT_THAT(
      said({{"applications",
             "Begin Application\nNAME = a\nCHKPNT_DIR = /c\nRUNTIME = 5\nSTOP_COND = ut > 1\nMIG = ()\n"
             "ENV_VARS = A\nRERUNNABLE = perhaps\nMAX_JOB_REQUEUE = -1\nNOSUCH = 1\nEnd Application\n"
             "Begin Application\nNAME = a\nEnd Application\n"},
            {"params", "Begin Parameters\nDEFAULT_APPLICATION = b\nEnd Parameters\n"}}),
      ::testing::UnorderedElementsAre(
          "params:2: warning: DEFAULT_APPLICATION: found \"b\", expected an application profile of "
          "lsb.applications",
          "applications:7: ENV_VARS: found \"A\", expected NAME='VALUE',NAME='VALUE'",
          HasSubstr("applications:8: RERUNNABLE: found \"perhaps\""),
          HasSubstr("applications:9: MAX_JOB_REQUEUE: found \"-1\""),
          HasSubstr("applications:10: warning: found \"NOSUCH\" in section Application"),
          HasSubstr("applications:13: NAME: found \"a\"")));
}

TEST(LsbApplications, AnInvalidValueLeavesTheQueuesInForce) {
  Problems problems;
  const auto file = parse_sections(
      "Begin Application\nNAME = a\nNICE = 50\nREQUEUE_EXIT_VALUES = 99x\nEnd Application\n"
      "Begin Application\nNAME = b\nNICE = 5\nREQUEUE_EXIT_VALUES = 99\nEnd Application\n",
      "applications", {}, problems);
  const auto profiles = read_lsb_applications(file, {}, problems);
  ASSERT_EQ(profiles.size(), 2U);
  EXPECT_FALSE(profiles[0].nice);
  EXPECT_FALSE(profiles[0].requeue_exits);
  EXPECT_TRUE(profiles[1].nice);
  EXPECT_TRUE(profiles[1].requeue_exits);
}

TEST(ParallelLinks, OfAProfileAQueueAndAllJobs) {
  const char* lines =
      "DJOB_HB_INTERVAL = 20\nDJOB_RU_INTERVAL = 25\nDJOB_COMMFAIL_ACTION = \"IGNORE_COMMFAIL\"\n";
  const auto files =
      taken({{"applications", std::string("Begin Application\nNAME = mpi\n") + lines + "End Application\n"},
             {"params", std::string("Begin Parameters\n") + lines + "End Parameters\n"},
             {"queues", "Begin Queue\nQUEUE_NAME = q\nDJOB_COMMFAIL_ACTION = KILL_TASKS\nEnd Queue\n"}});
  for (const auto& links : {files.applications.at(0).jobs.links, files.params.links}) {
    EXPECT_EQ(links.heartbeat, Duration(20s));
    EXPECT_EQ(links.usage, Duration(25s));
    EXPECT_EQ(links.action, CommfailAction::ignore_commfail);
  }
  const auto both = joined(files.queue("q")->jobs.links, files.params.links);
  EXPECT_EQ(both.action, CommfailAction::kill_tasks);
  EXPECT_EQ(both.heartbeat, Duration(20s));
  EXPECT_THAT(said_of_queue("DJOB_COMMFAIL_ACTION = KILL\nDJOB_HB_INTERVAL = 0"),
              ::testing::UnorderedElementsAre(
                  HasSubstr("DJOB_COMMFAIL_ACTION: found \"KILL\", expected KILL_TASKS or IGNORE_COMMFAIL"),
                  HasSubstr("DJOB_HB_INTERVAL: found \"0\"")));
}

TEST(LsfTaskTest, TheSitesAndTheUsersOwn) {
  LsfTask tasks;
  Problems problems;
  const auto read = [&](const std::string& text) {
    read_lsf_task(parse_sections(text, "t", lsf_task_syntax(), problems), tasks, problems);
  };
  read(
      "Begin LocalTask\ncd\nls\nEnd LocalTask\nBegin RemoteTasks\ncc\nmake/cpu\n\"troff/type==any "
      "order[cpu]\"\nEnd RemoteTasks\n");
  read(
      "Begin LocalTasks\n-cd\n+vi\nEnd LocalTasks\nBegin RemoteTask\n-cc\n+make/\"mem>20\"\nEnd "
      "RemoteTask\n");
  EXPECT_THAT(lines_of(problems), IsEmpty());
  EXPECT_THAT(tasks.local, ElementsAre("ls", "vi"));
  EXPECT_THAT(tasks.remote,
              ElementsAre(testing::Pair("make", "mem>20"), testing::Pair("troff", "type==any order[cpu]")));
  read("Begin RemoteTask\n/x\na b\nEnd RemoteTask\nBegin LocalTask\na/b\nEnd LocalTask\n");
  EXPECT_EQ(lines_of(problems).size(), 3U);
}

// lsb.params, DEFAULT_QUEUE: without it there is a queue "default".
TEST(LsbFiles, ThereIsAQueueForJobsThatNameNone) {
  auto files = cluster();
  const auto queues = [&files](const std::string& params, const std::string& rows) {
    files.files["/c/lsbatch/lab/configdir/lsb.params"] = "Begin Parameters\n" + params + "End Parameters\n";
    files.files["/c/lsbatch/lab/configdir/lsb.queues"] = rows;
    files.files["/c/lsbatch/lab/configdir/lsb.hosts"] = "";
    const auto checked = read_lsb_files(files.sources(), *read_cluster_files(files.sources()).files);
    std::vector<std::string> names;
    if (checked.files)
      for (const auto& queue : checked.files->queues) names.push_back(queue.name);
    return names;
  };
  const std::string night = "Begin Queue\nQUEUE_NAME = night\nEnd Queue\n",
                    own = "Begin Queue\nQUEUE_NAME = default\nEnd Queue\n";
  EXPECT_THAT(queues("", night), ElementsAre("night", "default"));
  EXPECT_THAT(queues("DEFAULT_QUEUE = night\n", night), ElementsAre("night"));
  EXPECT_THAT(queues("", night + own), ElementsAre("night", "default")) << "it is there already";
  EXPECT_THAT(queues("", ""), ElementsAre("default"));
}

TEST(LsbFiles, MissingFilesAreReported) {
  auto files = cluster();
  const auto checked = read_cluster_files(files.sources());
  EXPECT_EQ(lsb_directory(*checked.files), "/c/lsbatch/lab/configdir");
  EXPECT_THAT(lines_of(read_lsb_files(files.sources(), *checked.files).problems),
              ElementsAre("/c/lsbatch/lab/configdir/lsb.params: found nothing to read, expected a file: No "
                          "such file or directory",
                          "/c/lsbatch/lab/configdir/lsb.queues: found nothing to read, expected a file: No "
                          "such file or directory"));
}

}  // namespace
}  // namespace rollcall::conf
