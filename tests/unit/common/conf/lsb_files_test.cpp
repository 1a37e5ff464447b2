// The files of the batch system: every view with what manuals print, and the set as a whole.
#include "common/conf/lsb/lsb_files.hpp"

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

TEST(LsbHosts, HostsGroupsPartitionsAndUnits) {
  const auto files =
      taken({{"hosts",
              "Begin Host\nHOST_NAME MXJ JL/U r1m pg DISPATCH_WINDOW AFFINITY # Keywords\ndefault 2 1 "
              "0.6/1.6 20/40 () (Y)\n"
              "host1 ! () () () (8-17) ()\nX86_64 () () () () () N\nEnd Host\n"
              "Begin HostGroup\nGROUP_NAME GROUP_MEMBER CONDENSE GROUP_ADMIN\ng1 (host1 host[2-3]) Y "
              "(ann)\ng2 (g1 ~host2) N ()\ng3 (!) () ()\ng4 all () ()\nEnd HostGroup\n"
              "Begin HostPartition\nHPART_NAME = p1\nHosts = all\nUser_Shares = ([a, 500] [others, 1])\nEnd "
              "HostPartition\n"
              "Begin ComputeUnit\nNAME MEMBER TYPE\ncell1 (host1 host2) cell\nrack1 (cell1) rack\nEnd "
              "ComputeUnit\n"},
             {"params", "Begin Parameters\nCOMPUTE_UNIT_TYPES=cell rack\nEnd Parameters\n"}});
  ASSERT_EQ(files.hosts.hosts.size(), 3U);
  EXPECT_EQ(files.hosts.hosts[0].slots, 2);
  EXPECT_EQ(files.hosts.hosts[0].user_slots, 1);
  EXPECT_EQ(files.hosts.hosts[0].affinity, "Y");
  EXPECT_EQ(files.hosts.hosts[0].thresholds.at("pg"), (Threshold{20, 40}));
  EXPECT_TRUE(files.hosts.hosts[1].slots_of_cpus && !files.hosts.hosts[1].slots);
  EXPECT_EQ(files.hosts.hosts[1].dispatch_windows.text(), "8-17");
  EXPECT_THAT(files.hosts.groups.at(0).members, ElementsAre("host1", "host[2-3]"));
  EXPECT_TRUE(files.hosts.groups.at(0).condensed);
  EXPECT_THAT(files.hosts.groups.at(0).administrators, ElementsAre("ann"));
  EXPECT_THAT(files.hosts.partitions.at(0).shares, ElementsAre(Share{"a", 500}, Share{"others", 1}));
  EXPECT_EQ(files.hosts.compute_units.at(1).type, "rack");
}

TEST(LsbHosts, ErrorsAreReported) {
  EXPECT_THAT(
      said({{"hosts",
             "Begin Host\nHOST_NAME MXJ\nhostX many\nhost1 1\nhost1 2\nEnd Host\n"
             "Begin HostGroup\nGROUP_NAME GROUP_MEMBER\nhost2 (nobody)\ng (host[3-1])\nEnd HostGroup\n"
             "Begin HostPartition\nHPART_NAME HOSTS USER_SHARES\np (hostY) ([a, x])\nEnd HostPartition\n"
             "Begin ComputeUnit\nNAME MEMBER TYPE\nc (host1) cell\nEnd ComputeUnit\n"}}),
      ElementsAre("hosts:3: MXJ: found \"many\", expected a whole number from 0 to 10000000",
                  HasSubstr("hosts:5: found \"host1\" again"),
                  "hosts:9: warning: the name: found \"host2\", expected one that no host has",
                  "hosts:9: warning: members of host2: found \"nobody\", expected a host or a group of hosts",
                  "hosts:10: GROUP_MEMBER: found \"host[3-1]\", expected a name, NAME* or NAME[1-10,15]",
                  "hosts:14: USER_SHARES: found \"[a, x]\", expected [NAME, NUMBER]",
                  "hosts:18: TYPE: found \"cell\", expected a type of COMPUTE_UNIT_TYPES in lsb.params"));
}

// Cluster far may lend hosts of such names.
TEST(LsbHosts, PatternsThatNoHostOfOursMatchMayBeForBorrowedHosts) {
  const std::string group =
      "Begin HostGroup\nGROUP_NAME GROUP_MEMBER\ng (n[1-4] m*)\nh (n1)\nEnd HostGroup\n";
  EXPECT_THAT(said({{"hosts", group}}),
              ElementsAre("hosts:4: warning: members of h: found \"n1\", expected a "
                          "host or a group of hosts"));
}

TEST(LsbHosts, GroupsNameNoBorrowedHostAndNoCluster) {
  EXPECT_THAT(
      said({{"hosts",
             "Begin HostGroup\nGROUP_NAME GROUP_MEMBER\ng (host1 hostA@far)\nall_far (all@far)\nfar "
             "(allremote)\nEnd HostGroup\n"
             "Begin HostPartition\nHPART_NAME HOSTS USER_SHARES\np (hostA@far) ([a, 1])\nq (allremote) "
             "([a, 1])\nEnd HostPartition\n"}}),
      ElementsAre("hosts:3: GROUP_MEMBER: found \"hostA@far\", expected a host of this cluster, a "
                  "pattern, or allremote for all borrowed hosts",
                  HasSubstr("hosts:4: GROUP_MEMBER: found \"all@far\", expected a host of this cluster"),
                  HasSubstr("hosts:9: HOSTS: found \"hostA@far\", expected a host of this cluster")));
}

TEST(LsbHosts, RowsOfBorrowedHosts) {
  EXPECT_THAT(
      said({{"hosts",
             "Begin Host\nHOST_NAME MXJ\nn2@far 4\nhost1@moon 4\nall@far 2\nhost1@lab 1\nEnd Host\n"}}),
      ElementsAre("hosts:4: warning: HOST_NAME: found \"host1@moon\", expected a cluster of lsf.shared",
                  "hosts:5: warning: HOST_NAME: found \"all@far\", expected HOST@CLUSTER for a borrowed "
                  "host",
                  "hosts:6: warning: HOST_NAME: found \"host1@lab\", expected another cluster than this "
                  "one"));
}

TEST(LsbHosts, WarnOfADefaultMxjThatLimitsBorrowedHosts) {
  const auto told = [](const std::string& hosts, const std::string& mxj) {
    return said({{"queues", "Begin Queue\nQUEUE_NAME = q\nHOSTS = " + hosts + "\nEnd Queue\n"},
                 {"hosts", "Begin Host\nHOST_NAME MXJ\nhost1 2\nn2@far 4\ndefault " + mxj + "\nEnd Host\n"}});
  };
  for (const char* hosts : {"all allremote", "all@far", "host1@far"})
    EXPECT_THAT(
        told(hosts, "1"),
        ElementsAre("hosts:5: warning: MXJ: found 1 for default while queue \"q\" uses borrowed hosts: no "
                    "more slots of each are used, whatever is lent; a row HOST@CLUSTER counts before "
                    "default"))
        << hosts;
  for (const char* hosts : {"all", "host1@lab", "all ~all@far"})
    EXPECT_THAT(told(hosts, "1"), IsEmpty()) << hosts;
  EXPECT_THAT(told("all@moon", "1"), ElementsAre(HasSubstr("HOSTS: found \"all@moon\"")));
  for (const char* no_limit : {"!", "()"}) EXPECT_THAT(told("allremote", no_limit), IsEmpty()) << no_limit;
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
