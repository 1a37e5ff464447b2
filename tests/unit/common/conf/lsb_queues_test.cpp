// lsb.queues as the manuals print it, and what is reported of it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/common/conf/lsb_checked.hpp"

namespace rollcall::conf {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using namespace std::chrono_literals;

TEST(LsbQueues, AQueueOfTheManual) {
  const auto night = queue(
      "PRIORITY = 15\nRUN_WINDOW = 5:19:00-1:8:30 20:00-8:30\nr1m = 0.8/2.5\nUT=/90\nscratch = "
      "100/\nJOB_CONTROLS = SUSPEND[SIGTERM]\n"
      "FAIRSHARE = USER_SHARES[[gold,10] [silver, 4] [bronze,1]]\nDESCRIPTION = For large jobs, \\\nduring "
      "off hours\nNICE=10\n"
      "CPULIMIT = 1:30/host1\nRUNLIMIT=60 120\nMEMLIMIT=1000 5000\nPROCLIMIT=2 4 "
      "8\nQJOB_LIMIT=60\nPJOB_LIMIT=0.5\n"
      "HOSTS = all ~host2\nUSERS=all\nRES_REQ = select[type==any] rusage[mem=7000]\nPRE_EXEC = /bin/test -d "
      "\"/x # y\"\n"
      "REQUEUE_EXIT_VALUES = 30 "
      "EXCLUDE(20)\nEXCLUSIVE=Y\nINTERACTIVE=ONLY\nMIG=30\nSLOT_RESERVE=MAX_RESERVE_TIME[5]\n"
      "TERMINATE_WHEN = WINDOW LOAD");
  EXPECT_EQ(night.priority, 15);
  EXPECT_EQ(night.run_windows.text(), "5:19:00-1:8:30 20:00-8:30");
  EXPECT_THAT(night.thresholds, ElementsAre(testing::Pair("r1m", Threshold{0.8, 2.5}),
                                            testing::Pair("scratch", Threshold{100, std::nullopt}),
                                            testing::Pair("ut", Threshold{std::nullopt, 0.9})));
  EXPECT_EQ(night.jobs.job_controls.suspend, "SIGTERM");
  EXPECT_THAT(*night.fairshare, ElementsAre(Share{"gold", 10}, Share{"silver", 4}, Share{"bronze", 1}));
  EXPECT_EQ(night.jobs.description, "For large jobs, during off hours");
  EXPECT_EQ(*night.jobs.cpu_limit.most, (TimeLimit{90min, "host1"}));
  EXPECT_EQ(night.jobs.run_limit.standard->time, 60min);
  EXPECT_EQ(night.jobs.run_limit.most->time, 120min);
  EXPECT_EQ(*night.jobs.memory_limit.standard, 1000);
  EXPECT_THAT(night.jobs.task_limit, ElementsAre(2, 4, 8));
  EXPECT_EQ(night.jobs.res_req, "select[type==any] rusage[mem=7000]");
  EXPECT_EQ(night.jobs.pre_exec, "/bin/test -d \"/x # y\"");
  EXPECT_EQ(night.jobs.requeue_exits, (RequeueExits{false, {30}, {20}}));
  EXPECT_TRUE(night.exclusive && night.interactive == QueueRow::Interactive::only);
  EXPECT_EQ(night.migrate_after, 30);
  EXPECT_EQ(night.reserve_slots_for, 5);
  EXPECT_EQ(night.queue_limit, 60);
  EXPECT_THAT(night.hosts, ElementsAre(HostItem{.name = "all"}, HostItem{.name = "host2", .excluded = true}));
  EXPECT_EQ(queue("").priority, 1) << "a queue without PRIORITY is legal";
}

TEST(LsbQueues, OtherClustersAndPreemption) {
  const auto sending = queue(
      "SNDJOBS_TO   =  recv@far  "
      "other@far\nRCVJOBS_FROM=allclusters\nHOSTS=none\nIMPT_JOBBKLG=infinit\nMAX_RSCHED_TIME=100\n"
      "PREEMPTION=PREEMPTIVE[[q+1]] PREEMPTABLE");
  EXPECT_THAT(sending.send_jobs_to, ElementsAre(RemoteQueue{"recv", "far"}, RemoteQueue{"other", "far"}));
  EXPECT_EQ(sending.import_backlog, std::nullopt);
  EXPECT_EQ(sending.max_reschedule_time, 100);
  EXPECT_EQ(queue("").import_backlog, 50);
  EXPECT_EQ(queue("").import_slot_backlog, std::nullopt);
  EXPECT_EQ(queue("IMPT_SLOTBKLG=30").import_slot_backlog, 30);
  EXPECT_EQ(queue("IMPT_SLOTBKLG=infinit").import_slot_backlog, std::nullopt);
  EXPECT_EQ(queue("").max_reschedule_time, 20);
  EXPECT_EQ(queue("MAX_RSCHED_TIME=infinit").max_reschedule_time, std::nullopt);
  EXPECT_THAT(sending.receive_jobs_from, ElementsAre("allclusters"));
  EXPECT_THAT(queue("FWD_USERS=all ~ann ~bob").forward_users, ElementsAre("all", "~ann", "~bob"));
  EXPECT_TRUE(sending.preemption.preemptable && sending.preemption.preemptable->empty());
  EXPECT_THAT(queue("PREEMPTION = PREEMPTIVE[q+1]").preemption.preemptive,
              testing::Optional(ElementsAre(HostItem{.name = "q", .preference = 1})));
}

TEST(LsbQueues, ValuesOfForwardingWithoutEffectAreNamed) {
  const std::pair<const char*, const char*> kCases[] = {
      {"SNDJOBS_TO=q@moon",
       "queues:3: warning: SNDJOBS_TO: found \"q@moon\", expected a cluster of lsf.shared"},
      {"SNDJOBS_TO=q@lab",
       "queues:3: warning: SNDJOBS_TO: found \"q@lab\", expected another cluster than this one"},
      {"RCVJOBS_FROM=lab",
       "queues:3: warning: RCVJOBS_FROM: found \"lab\", expected another cluster than this one"},
      {"IMPT_JOBBKLG=5", "queues:3: warning: IMPT_JOBBKLG has no effect: the queue has no RCVJOBS_FROM"},
      {"IMPT_SLOTBKLG=5", "queues:3: warning: IMPT_SLOTBKLG has no effect: the queue has no RCVJOBS_FROM"},
      {"MAX_RSCHED_TIME=5", "queues:3: warning: MAX_RSCHED_TIME has no effect: the queue has no SNDJOBS_TO"},
      {"FWD_USERS=all", "queues:3: warning: FWD_USERS has no effect: the queue has no SNDJOBS_TO"},
      {"HOSTS=none",
       "queues:3: warning: HOSTS: found \"none\", expected SNDJOBS_TO beside it: the queue starts no jobs"},
      {"HOSTS=all+x", "queues:3: HOSTS: found \"all+x\", expected a whole number after +"},
      {"IMPT_JOBBKLG=0\nRCVJOBS_FROM=allclusters",
       "queues:3: warning: IMPT_JOBBKLG: found \"0\", expected 1 or more, or infinit: the queue takes no "
       "jobs of "
       "other clusters"},
  };
  for (const auto& [lines, said] : kCases) {
    const auto checked =
        check({{"queues", "Begin Queue\nQUEUE_NAME = q\n" + std::string(lines) + "\nEnd Queue\n"}});
    EXPECT_THAT(lines_of(checked.problems), ElementsAre(testing::EndsWith(said))) << lines;
  }
  EXPECT_THAT(
      said_of_queue("SNDJOBS_TO=q@allclusters\nHOSTS=none\nMAX_RSCHED_TIME=infinit\nFWD_USERS=all ~ann\n"
                    "RCVJOBS_FROM=allclusters\nIMPT_JOBBKLG=infinit\nIMPT_SLOTBKLG=3"),
      IsEmpty());
}

TEST(LsbQueues, SndjobsToIsIgnoredBesideHostsOfOtherClusters) {
  for (const char* hosts : {"allremote", "host1 far1@far", "all@far"}) {
    const std::string lines = "SNDJOBS_TO=recv@far\nHOSTS=" + std::string(hosts);
    const auto checked = check({{"queues", "Begin Queue\nQUEUE_NAME = q\n" + lines + "\nEnd Queue\n"}});
    const QueueRow* row = checked.files->queue("q");
    ASSERT_TRUE(row);
    EXPECT_THAT(row->send_jobs_to, IsEmpty()) << hosts;
    EXPECT_THAT(said_of_queue(lines),
                testing::Contains(HasSubstr("queues:3: warning: SNDJOBS_TO: found \"recv@far\"")));
  }
  EXPECT_THAT(queue("SNDJOBS_TO=recv@far\nHOSTS=host1").send_jobs_to, testing::SizeIs(1));
}

TEST(LsbQueues, HostsOfUnknownClustersAreNamed) {
  for (const char* word : {"all@moon", "host1@moon", "~all@moon", "~host1@moon"})
    EXPECT_THAT(said_of_queue("PRIORITY=3\nHOSTS=all " + std::string(word)),
                ElementsAre("queues:4: warning: HOSTS: found \"" + std::string(word) +
                            "\", expected a cluster of lsf.shared"));
  for (const char* word : {"allremote@moon", "others@moon", "others@far", "allremote@far"}) {
    const std::string lines = "PRIORITY=3\nHOSTS=" + std::string(word);
    EXPECT_THAT(said_of_queue(lines), ElementsAre("queues:4: HOSTS: found \"" + std::string(word) +
                                                  "\", expected HOST@CLUSTER or all@CLUSTER"));
    const auto checked = check({{"queues", "Begin Queue\nQUEUE_NAME = q\n" + lines + "\nEnd Queue\n"}});
    EXPECT_THAT(checked.files->queue("q")->hosts, ElementsAre(HostItem{.name = "none"})) << word;
  }
  EXPECT_THAT(said_of_queue("HOSTS=all all@far host1@far ~host2@far host1@lab all@lab"), IsEmpty());
  EXPECT_THAT(said_of_queue("HOSTS=hostX@lab"),
              ElementsAre("queues:3: warning: HOSTS of queue q: found \"hostX\", expected a host or a group "
                          "of hosts"));
}

TEST(LsbQueues, ErrorsAreReported) {
  EXPECT_THAT(
      said_of_queue("PRIORITY=high\nHOSTS=hostX ~host1\nHOSTS=hostX host1+1 "
                    "far1@far\nRUN_WINDOW=25-3\nr1m=a/b\nFAIRSHARE=[[a,1]]\nSNDJOBS_TO=x\n"
                    "IMPT_JOBBKLG=lots\nPREEMPTION=NEVER\nPROCLIMIT=4 "
                    "2\nCPULIMIT=x\nMEMLIMIT=-1\nTERMINATE_WHEN=BORED\nINTERACTIVE=maybe\n"
                    "SLOT_RESERVE=5\nRC_HOSTS=all\nRES_RES=x"),
      ElementsAre(
          "queues:3: PRIORITY: found \"high\", expected a whole number from 0 to 10000000",
          "queues:4: warning: HOSTS: found \"hostX ~host1\", expected HOSTS once; line 5 counts",
          "queues:5: warning: HOSTS of queue q: found \"hostX\", expected a host or a group of hosts",
          "queues:6: RUN_WINDOW: found \"25-3\", expected a time window "
          "[day:]hour[:minute]-[day:]hour[:minute]",
          "queues:7: r1m: found \"a/b\", expected LOADSCHED/LOADSTOP, numbers",
          "queues:8: FAIRSHARE: found \"[[a,1]]\", expected USER_SHARES[[USER, SHARES] ...]",
          "queues:9: SNDJOBS_TO: found \"x\", expected QUEUE@CLUSTER",
          "queues:10: IMPT_JOBBKLG: found \"lots\", expected a whole number or infinit",
          "queues:11: PREEMPTION: found \"NEVER\", expected PREEMPTIVE[QUEUE ...] or PREEMPTABLE[QUEUE ...]",
          "queues:12: PROCLIMIT: found \"4 2\", expected [MINIMUM [DEFAULT]] MAXIMUM, none less than the one "
          "before",
          "queues:13: CPULIMIT: found \"x\", expected [HOURS:]MINUTES[/HOST_SPEC]",
          "queues:14: MEMLIMIT: found \"-1\", expected a whole number",
          "queues:15: TERMINATE_WHEN: found \"BORED\", expected WINDOW, LOAD, PREEMPT or USER",
          "queues:16: INTERACTIVE: found \"maybe\", expected YES, NO or ONLY",
          "queues:17: SLOT_RESERVE: found \"5\", expected MAX_RESERVE_TIME[WHOLE]",
          HasSubstr("queues:19: warning: found \"RES_RES\" in section Queue")));
  EXPECT_THAT(said({{"queues",
                     "Begin Queue\nQUEUE_NAME=a\nEnd Queue\nBegin Queue\nQUEUE_NAME=a\nEnd Queue\nBegin "
                     "Queue\nNICE=1\nEnd Queue\n"}}),
              ElementsAre(HasSubstr("queues:4: QUEUE_NAME: found \"a\" again (first at /c/lsbatch"),
                          "queues:7: found no QUEUE_NAME in section Queue, expected it"));
}

TEST(LsbQueues, WarnOfLimitsForTheSpeedOfNoHostAndNoModel) {
  EXPECT_THAT(said_of_queue("RUNLIMIT = 10/host1 240/hostZ\nCPULIMIT = 60/Slow"),
              ElementsAre("queues:1: warning: CPULIMIT of q: found \"Slow\", expected a host or a model of "
                          "lsf.shared",
                          "queues:1: warning: RUNLIMIT of q: found \"hostZ\", expected a host or a model of "
                          "lsf.shared"));
  EXPECT_THAT(said_of_queue("RUNLIMIT = 10/host1 240/host1\nCPULIMIT = 60"), IsEmpty());
  EXPECT_THAT(
      said({{"params", "Begin Parameters\nDEFAULT_HOST_SPEC = hostZ\nEnd Parameters\n"}}),
      ElementsAre("params:2: warning: DEFAULT_HOST_SPEC: found \"hostZ\", expected a host or a model of "
                  "lsf.shared"));
  EXPECT_THAT(
      said({{"applications", "Begin Application\nNAME = app\nRUNLIMIT = 9/hostZ\nEnd Application\n"}}),
      ElementsAre("applications:1: warning: RUNLIMIT of app: found \"hostZ\", expected a host or a "
                  "model of lsf.shared"));
}

TEST(LsbQueues, ExclusiveUseOfComputeUnitsIsNamed) {
  EXPECT_THAT(said_of_queue("EXCLUSIVE = CU[rack]"),
              ElementsAre("queues:3: warning: EXCLUSIVE: found \"CU[rack]\", expected Y: whole compute units "
                          "are not kept for a job in this release"));
}

}  // namespace
}  // namespace rollcall::conf
