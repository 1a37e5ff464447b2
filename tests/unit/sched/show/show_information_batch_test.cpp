// busers, bparams, bmgroup, bugroup, bapp, blimits.
#include <gtest/gtest.h>

#include "sched/policy/show/show_information.hpp"

namespace rollcall::sched::show {
namespace {

TEST(ClustersTable, SaysWhyAClusterIsNotOkWithL) {
  wire::BatchReply::ClusterRows clusters;
  auto& good = *clusters.add_rows();
  good.set_queue("night");
  good.set_remote_queue("guests");
  good.set_cluster("east");
  good.set_status("ok");
  good.mutable_figures()->set_total(8);
  good.mutable_figures()->set_priority(40);
  good.mutable_figures()->set_age_s(3);
  good.mutable_figures()->set_lowest_preemptable(10);
  good.mutable_figures()->add_types("X86_64");
  good.mutable_figures()->add_booleans("bigmem");
  good.mutable_figures()->add_booleans("gpu");
  auto& bad = *clusters.add_rows();
  bad.set_queue("night");
  bad.set_remote_queue("nowhere");
  bad.set_cluster("east");
  bad.set_status("reject");
  bad.set_why("queue nowhere there does not receive jobs of this cluster (RCVJOBS_FROM)");
  const std::string table = clusters_table(clusters, true);
  EXPECT_EQ(
      table.substr(0, table.find("\n\n")),
      "[Job Forwarding Information ]\n"
      "LOCAL_QUEUE     JOB_FLOW   REMOTE     CLUSTER    STATUS  TOTAL AVAIL   RUN  PEND PREEM  JOBS SLOTS  "
      "PRIO   AGE  REASON\n"
      "night           send       guests     east       ok         8     0     0     0     0     -     -    "
      "40    3s\n"
      "night           send       nowhere    east       reject     -     -     -     -     -     -     -     "
      "-     -  queue nowhere there does not receive jobs of this cluster (RCVJOBS_FROM)");
  EXPECT_NE(table.find("\n[Remote Queue Information ]\n"
                       "REMOTE          CLUSTER    PREEMPT_PRIO  HOST_TYPES      BOOLEANS\n"
                       "guests          east                 10  X86_64          bigmem,gpu\n"),
            std::string::npos)
      << table;
  EXPECT_NE(clusters_json(clusters, true).find("\"BOOLEANS\":\"bigmem,gpu\""), std::string::npos);
  EXPECT_NE(clusters_table(clusters, false).find("nowhere    east       reject\n"), std::string::npos);
  EXPECT_NE(clusters_json(clusters, true).find("\"REASON\":\"queue nowhere there"), std::string::npos);
}

TEST(UsersTable, HasLimitsAndCounts) {
  wire::BatchReply::Users users;
  auto& standard = *users.add_users();
  standard.set_name("default");
  standard.set_processor_limit(1);
  standard.set_max(12);
  auto& user = *users.add_users();
  user.set_name("user9");
  user.set_max(12);
  user.mutable_counts()->set_jobs(34);
  user.mutable_counts()->set_pending(22);
  user.mutable_counts()->set_running(10);
  user.mutable_counts()->set_ssusp(2);
  EXPECT_EQ(users_table(users),
            "USER/GROUP          JL/P    MAX  NJOBS   PEND    RUN  SSUSP  USUSP    RSV \n"
            "default                1     12      -      -      -      -      -      -\n"
            "user9                  -     12     34     22     10      2      0      0\n");
  EXPECT_EQ(*users_fields(users, "user njobs", {}), "USER NJOBS\ndefault -\nuser9 34\n");
  user.set_max_pending(50);
  user.mutable_counts()->set_pending_jobs(4);
  EXPECT_EQ(
      users_table(users, UserForm::wide),
      "USER/GROUP          JL/P    MAX  NJOBS   PEND    RUN  SSUSP  USUSP    RSV  MPEND  PJOBS MPJOBS\n"
      "default                1     12      -      -      -      -      -      -      -      -      -\n"
      "user9                  -     12     34     22     10      2      0      0      -      4     50\n");
  EXPECT_EQ(*users_fields(users, "mpend pjobs mpjobs", {false, false}), "- - -\n- 4 50\n");
}

// A limit in an answer may be any number, also one that no integer holds.
TEST(UsersTable, ShowsProcessorLimitsOfAnySize) {
  wire::BatchReply::Users users;
  auto& user = *users.add_users();
  user.set_name("ann");
  for (const auto& [limit, shown] :
       {std::pair(1.5, "1.5"), std::pair(2.0, "2"), std::pair(1e19, "10000000000000000000")}) {
    user.set_processor_limit(limit);
    EXPECT_EQ(*users_fields(users, "jl/p", {false, false}), std::string(shown) + "\n");
  }
}

wire::BatchReply::Parameters parameters() {
  wire::BatchReply::Parameters all;
  const auto add = [&](const char* name, const char* value, const char* meaning, const char* unit) {
    auto& p = *all.add_parameters();
    p.set_name(name);
    p.set_value(value);
    p.set_meaning(meaning);
    p.set_unit(unit);
  };
  add("DEFAULT_QUEUE", "normal idle", "System default queues for automatic queue selection", "");
  add("DEFAULT_HOST_SPEC", "DECAXP", "", "");
  add("MBD_SLEEP_TIME", "20", "The interval for dispatching jobs by master batch daemon", "seconds");
  add("SBD_SLEEP_TIME", "15", "The interval for checking jobs by slave batch daemon", "seconds");
  add("JOB_ACCEPT_INTERVAL", "1", "The interval for a host to accept two batch jobs subsequently",
      "* MBD_SLEEP_TIME");
  add("RESOURCE_RESERVE_PER_TASK", "Y", "", "");
  return all;
}

TEST(Parameters, AreThoseOfTheManual) {
  EXPECT_EQ(parameters_text(parameters(), ParameterForm::shortly),
            "Default Queues:  normal idle\n"
            "Default Host Specification:  DECAXP\n"
            "Job Dispatch Interval:  20 seconds\n"
            "Job Checking Interval:  15 seconds\n"
            "Job Accepting Interval:  20 seconds\n");
  EXPECT_EQ(parameters_text(parameters(), ParameterForm::explained),
            "\nSystem default queues for automatic queue selection:\n    DEFAULT_QUEUE = normal idle\n"
            "\nThe interval for dispatching jobs by master batch daemon:\n    MBD_SLEEP_TIME = 20 (seconds)\n"
            "\nThe interval for checking jobs by slave batch daemon:\n    SBD_SLEEP_TIME = 15 (seconds)\n"
            "\nThe interval for a host to accept two batch jobs subsequently:\n"
            "    JOB_ACCEPT_INTERVAL = 1 (* MBD_SLEEP_TIME)\n");
  EXPECT_NE(parameters_text(parameters(), ParameterForm::all).find("    RESOURCE_RESERVE_PER_TASK = Y\n"),
            std::string::npos);
}

TEST(GroupsTable, IsOneLineForEach) {
  wire::BatchReply::Groups groups;
  auto& group = *groups.add_groups();
  group.set_name("pd");
  for (const char* name : {"dm006", "dm007"}) group.add_members(name);
  groups.add_groups()->set_name("a_long_group_name");
  groups.mutable_groups(1)->add_members("all");
  EXPECT_EQ(groups_table(groups, false),
            "GROUP_NAME    HOSTS\n"
            "pd           dm006 dm007\n"
            "a_long_group_name all\n");
  EXPECT_EQ(groups_table(groups, true).substr(0, 20), "GROUP_NAME    USERS\n");
}

TEST(GroupBlocks, HaveAdministratorsAndShares) {
  wire::BatchReply::Groups groups;
  auto& group = *groups.add_groups();
  group.set_name("staff");
  for (const char* name : {"anna", "dev/"}) group.add_members(name);
  group.add_administrators("boss");
  for (const char* share : {"[anna, 4]", "[others, 1]"}) group.add_shares(share);
  groups.add_groups()->set_name("empty");
  EXPECT_EQ(groups_long(groups, true),
            "GROUP_NAME:   staff\n"
            "USERS:        anna dev/\n"
            "GROUP_ADMIN:  boss\n"
            "SHARES:       [anna, 4] [others, 1]\n"
            "\n"
            "GROUP_NAME:   empty\n");
  groups.mutable_groups(1)->add_members("hostA");
  groups.mutable_groups(1)->set_condensed(true);
  EXPECT_NE(groups_long(groups, false).find("HOSTS:        hostA\nCONDENSE:     Y\n"), std::string::npos);
}

TEST(LimitsTable, HasAColumnForEachKind) {
  wire::BatchReply::LimitRows rows;
  auto& row = *rows.add_rows();
  row.set_name("limit1");
  row.add_users("anna");
  const auto add = [](auto& to, const char* kind, double taken, double most) -> auto& {
    auto& amount = *to.add_amounts();
    amount.set_kind(kind);
    amount.set_taken(taken);
    amount.set_most(most);
    return amount;
  };
  add(row, "SLOTS", 3, 4);
  EXPECT_EQ(limits_table(rows, false),
            "\nINTERNAL RESOURCE LIMITS:\n\n"
            "NAME                USERS       QUEUES      HOSTS       PROJECTS    SLOTS     \n"
            "limit1              anna        -           -           -           3/4       \n");
  auto& other = *rows.add_rows();
  other.set_name("a_limit_with_a_long_name");
  for (const char* queue : {"normal", "night"}) other.add_queues(queue);
  other.add_hosts("hostA");
  other.set_more_hosts(true);
  other.add_applications("cfd");
  add(other, "MEM", 0.5, 30).set_percent(true);
  add(other, "SLOTS", 1, 0.5).set_per_processor(true);
  EXPECT_EQ(
      limits_table(rows, false),
      "\nINTERNAL RESOURCE LIMITS:\n\n"
      "NAME                USERS       QUEUES      HOSTS       PROJECTS    APPS        MEM       SLOTS     \n"
      "limit1              anna        -           -           -           -           -         3/4       \n"
      "a_limit_with_a_long_name -           normal,night hostA,...   -           cfd         0.5/30%   "
      "1/0.5*CPUS \n");
}

TEST(Json, HasARecordForEachRow) {
  wire::BatchReply::Parameters parameters;
  auto& p = *parameters.add_parameters();
  p.set_name("MBD_SLEEP_TIME");
  p.set_value("20");
  p.set_unit("seconds");
  parameters.add_parameters()->set_name("DEFAULT_HOST_SPEC");
  EXPECT_EQ(parameters_json(parameters),
            "{\n  \"COMMAND\":\"bparams\",\n  \"PARAMETERS\":1,\n  \"RECORDS\":[\n    {\n"
            "      \"NAME\":\"MBD_SLEEP_TIME\",\n      \"VALUE\":\"20\",\n      \"UNIT\":\"seconds\"\n"
            "    }\n  ]\n}\n");
  wire::BatchReply::Applications applications;
  auto& one = *applications.add_applications();
  one.set_name("solver");
  one.mutable_counts()->set_pending(3);
  (*one.mutable_lines())["CPULIMIT"] = "24:0";
  const std::string brief = applications_json(applications, false),
                    all = applications_json(applications, true);
  EXPECT_NE(brief.find("\"APPS\":1"), std::string::npos);
  EXPECT_NE(brief.find("\"APP_NAME\":\"solver\""), std::string::npos);
  EXPECT_NE(brief.find("\"PEND\":\"3\""), std::string::npos);
  EXPECT_EQ(brief.find("CPULIMIT"), std::string::npos);
  EXPECT_NE(all.find("\"CPULIMIT\":\"24:0\""), std::string::npos);
  wire::BatchReply::LimitRows rows;
  auto& row = *rows.add_rows();
  row.set_name("limit1");
  row.add_applications("solver");
  auto& amount = *row.add_amounts();
  amount.set_kind("SLOTS");
  amount.set_taken(3);
  amount.set_most(4);
  rows.add_rows()->set_name("limit2");
  const std::string limits = limits_json(rows);
  EXPECT_NE(limits.find("\"LIMITS\":2"), std::string::npos);
  EXPECT_NE(limits.find("\"APPS\":\"solver\",\n      \"SLOTS\":\"3\\/4\""), std::string::npos) << limits;
  EXPECT_NE(limits.find("\"SLOTS\":\"-\""), std::string::npos) << "each record has every key";
}

TEST(Applications, HaveRowsAndBlocks) {
  wire::BatchReply::Applications applications;
  auto& one = *applications.add_applications();
  one.set_name("solver");
  one.set_description("A solver");
  (*one.mutable_lines())["CPULIMIT"] = "24:0";
  EXPECT_EQ(applications_table(applications),
            "APP_NAME             NJOBS   PEND    RUN   SUSP \n"
            "solver                   0      0      0      0\n");
  EXPECT_NE(applications_long(applications).find("APPLICATION NAME: solver\n  -- A solver\n"),
            std::string::npos);
  EXPECT_NE(applications_long(applications).find("\nCPULIMIT:  24:0\n"), std::string::npos);
  one.mutable_counts()->set_jobs(12);
  one.mutable_counts()->set_running(9);
  one.mutable_counts()->set_ususp(3);
  EXPECT_NE(applications_long(applications)
                .find("STATISTICS:\n"
                      "    NJOBS     PEND      RUN    SSUSP    USUSP      RSV\n"
                      "       12        0        9        0        3        0\n"),
            std::string::npos);
}

}  // namespace
}  // namespace rollcall::sched::show
