// What bclusters and bhosts -e print of leases.
#include "sched/policy/show/show_leases.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sched/policy/show/show_information.hpp"

namespace rollcall::sched::show {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

wire::BatchReply::LeaseRow lease(const std::string& name, const std::string& cluster,
                                 const std::string& state = "active") {
  wire::BatchReply::LeaseRow row;
  row.set_lease(name);
  row.set_cluster(cluster);
  row.set_status("ok");
  row.set_state(state);
  row.set_grant("7.12");
  return row;
}
void add_host(wire::BatchReply::LeaseRow& row, const std::string& name, int exported, int held,
              unsigned running) {
  auto& host = *row.add_hosts();
  host.set_host(name);
  host.set_exported(exported);
  host.set_slots(held);
  host.mutable_counts()->set_jobs(running);
  host.mutable_counts()->set_running(running);
}
// Two leases of host a; one of them has b and a resource, too.
wire::BatchReply::Leases two_leases() {
  wire::BatchReply::Leases leases;
  auto& first = *leases.add_rows();
  first = lease("east#1", "west");
  add_host(first, "a", 4, 3, 2);
  add_host(first, "b", 2, 2, 0);
  first.mutable_hosts(0)->set_memory_mb(100);
  first.set_shared(true);
  auto& resource = *first.add_resources();
  resource.set_resource("AppX");
  resource.set_instances(3);
  resource.set_used(1);
  auto& second = *leases.add_rows();
  second = lease("east#2", "north");
  add_host(second, "a", 1, 1, 1);
  return leases;
}

TEST(LeaseTable, IsALineForEachLease) {
  wire::BatchReply::ClusterRows clusters;
  *clusters.add_leases() = lease("east#1", "west");
  clusters.mutable_leases(0)->set_imports(true);
  *clusters.add_leases() = lease("here#4", "north", "offered");
  clusters.mutable_leases(1)->set_status("conn");
  EXPECT_EQ(clusters_table(clusters, false),
            "[Job Forwarding Information ]\n"
            "No local queue sending/receiving jobs from remote clusters\n\n"
            "[Resource Lease Information ]\n"
            "REMOTE_CLUSTER  RESOURCE_FLOW  STATUS\n"
            "west            IMPORT         ok\n"
            "north           EXPORT         conn\n");
}

TEST(LeaseTable, OfAClusterWithoutLeasesSaysSo) {
  wire::BatchReply::ClusterRows clusters;
  EXPECT_EQ(clusters_table(clusters, false), "No local queue sending/receiving jobs from remote clusters\n");
  clusters.add_rows()->set_queue("q");
  EXPECT_THAT(clusters_table(clusters, false),
              HasSubstr("\n\n[Resource Lease Information ]\nNo resources have been exported or borrowed\n"));
}

TEST(LeaseTable, ShowsStateAndReasonWithL) {
  wire::BatchReply::ClusterRows clusters;
  *clusters.add_leases() = lease("here#4", "north", "inactive");
  clusters.mutable_leases(0)->set_shared(true);
  clusters.mutable_leases(0)->set_reason("3 idle slots");
  EXPECT_THAT(
      clusters_table(clusters, true),
      HasSubstr("REMOTE_CLUSTER  RESOURCE_FLOW  STATUS LEASE           STATE     TYPE      GRANT     REASON\n"
                "north           EXPORT         ok     here#4          inactive  shared    7.12      "
                "3 idle slots\n"));
}

TEST(LeaseTable, NamesDefinitionsThatDifferWithL) {
  wire::BatchReply::ClusterRows clusters;
  *clusters.add_leases() = lease("here#4", "north");
  auto& row = *clusters.add_differences();
  row.set_cluster("north");
  row.set_text("host type \"SUN\" is defined there alone");
  EXPECT_THAT(clusters_table(clusters, true),
              HasSubstr("\n\n[Resource Definitions ]\nREMOTE_CLUSTER  DIFFERENCE\n"
                        "north           host type \"SUN\" is defined there alone\n"));
  EXPECT_EQ(clusters_table(clusters, false).find("SUN"), std::string::npos);
}

TEST(ClusterTable, SaysWithLWhyAClusterTakesOrGetsNoJobs) {
  wire::BatchReply::ClusterRows clusters;
  auto& row = *clusters.add_rows();
  row.set_queue("normal");
  row.set_cluster("east");
  row.set_remote_queue("guests");
  row.set_status("reject");
  row.set_why("its cluster has not answered 1000 offers");
  EXPECT_THAT(clusters_table(clusters, false), HasSubstr("east       reject\n"));
  EXPECT_THAT(clusters_table(clusters, true), HasSubstr("    -  its cluster has not answered 1000 offers\n"));
  row.mutable_figures()->set_age_s(3);
  EXPECT_THAT(clusters_table(clusters, true),
              HasSubstr("    3s  its cluster has not answered 1000 offers\n"));
  EXPECT_THAT(clusters_json(clusters, false), HasSubstr("\"STATUS\":\"reject\""));
  EXPECT_THAT(clusters_json(clusters, true),
              HasSubstr("\"REASON\":\"its cluster has not answered 1000 offers\""));
}

TEST(LeaseTable, IsAListOfItsOwnInJson) {
  wire::BatchReply::ClusterRows clusters;
  EXPECT_EQ(clusters_json(clusters, false).find("LEASES"), std::string::npos);
  *clusters.add_leases() = lease("here#4", "north");
  const std::string json = clusters_json(clusters, false);
  EXPECT_THAT(json, HasSubstr("  ],\n  \"LEASES\":[\n"));
  EXPECT_THAT(json, HasSubstr("\"REMOTE_CLUSTER\":\"north\",\n      \"RESOURCE_FLOW\":\"EXPORT\",\n      "
                              "\"STATUS\":\"ok\""));
  EXPECT_THAT(clusters_json(clusters, true), HasSubstr("\"STATE\":\"active\""));
}

TEST(ExportedHosts, AreOneLineEachWithoutStatusAndUserLimit) {
  EXPECT_EQ(exported_hosts_table(two_leases(), false),
            "HOST_NAME             MAX  NJOBS    RUN  SSUSP  USUSP    RSV \n"
            "a                       5      3      3      0      0      0\n"
            "b                       2      0      0      0      0      0\n");
}

TEST(ExportedHosts, AreALineForEachConsumerWithL) {
  EXPECT_EQ(
      exported_hosts_long(two_leases()),
      "HOST_NAME          CONSUMER        LEASE           STATE      TYPE         MAX   HELD  NJOBS    "
      "RUN  SSUSP  USUSP    RSV        MEM        SWP\n"
      "a                  west            east#1          active     shared         4      3      2      "
      "2      0      0      0       100M          -\n"
      "b                  west            east#1          active     shared         2      2      0      "
      "0      0      0      0          -          -\n"
      "a                  north           east#2          active     exclusive      1      1      1      "
      "1      0      0      0          -          -\n");
}

TEST(ExportedHosts, HaveARecordForEachConsumer) {
  const std::string json = exported_hosts_json(two_leases());
  EXPECT_THAT(json, HasSubstr("\"HOSTS\":3"));
  EXPECT_THAT(json, HasSubstr("\"MEM_MB\":\"100\",\n      \"SWP_MB\":\"\""));
}

TEST(ExportedHosts, WarnOfWholeHostsThatNeitherClusterCanUse) {
  auto leases = two_leases();
  EXPECT_THAT(wasted_lines(leases), IsEmpty());
  leases.mutable_rows(0)->set_state("offered");
  EXPECT_THAT(wasted_lines(leases), IsEmpty());
  leases.mutable_rows(0)->mutable_hosts(1)->set_whole(true);
  EXPECT_THAT(wasted_lines(leases),
              ElementsAre("neither cluster can use b: cluster west has not asked for lease east#1"));
  leases.mutable_rows(0)->mutable_hosts(1)->set_exported(0);
  EXPECT_THAT(wasted_lines(leases), IsEmpty()) << "the policy does not export it any more";
}

TEST(ExportedResources, AreOneLineForEachLease) {
  EXPECT_TRUE(exports_resources(two_leases()));
  EXPECT_EQ(exported_resources_table(two_leases()),
            "RESOURCE                 TOTAL       RESERVED       LOCATION\n"
            "AppX                       3.0            1.0       a b\n");
  EXPECT_EQ(exported_resources_long(two_leases()),
            "RESOURCE             CONSUMER        LEASE           STATE           TOTAL       RESERVED       "
            "LOCATION\n"
            "AppX                 west            east#1          active            3.0            1.0       "
            "a b\n");
  EXPECT_THAT(exported_resources_json(two_leases()), HasSubstr("\"TOTAL\":\"3\""));
}

TEST(ExportedHosts, KeepABlankBetweenLargeAmounts) {
  auto leases = two_leases();
  leases.mutable_rows(0)->mutable_hosts(0)->set_memory_mb(102'400);
  leases.mutable_rows(0)->mutable_hosts(0)->set_swap_mb(1'000'000'000);
  EXPECT_THAT(exported_hosts_long(leases), HasSubstr("      0    102400M 1000000000M\n"));
}

TEST(ExportedHosts, NameAConsumerThatGetsNothing) {
  auto leases = two_leases();
  EXPECT_THAT(left_out_lines(leases), IsEmpty());
  auto& row = *leases.add_rows();
  row.set_cluster("south");
  row.set_status("disc");
  row.set_reason("its share is less than one");
  EXPECT_THAT(left_out_lines(leases), ElementsAre("cluster south gets nothing: its share is less than one"));
  auto taken = leases;
  taken.mutable_rows(taken.rows_size() - 1)->set_lease("east#3");
  taken.mutable_rows(taken.rows_size() - 1)->set_state("recalling");
  EXPECT_THAT(left_out_lines(taken), ElementsAre("lease east#3 of cluster south: its share is less than one"))
      << "it may have slots of other hosts";
  wire::BatchReply::ClusterRows clusters;
  *clusters.add_leases() = row;
  EXPECT_THAT(
      clusters_table(clusters, true),
      HasSubstr(
          "south           EXPORT         disc   -               -         exclusive -         its share"));
}

TEST(ExportedResources, HaveTheStateOfTheirLeaseInJson) {
  EXPECT_THAT(exported_resources_json(two_leases()), HasSubstr("\"STATE\":\"active\""));
}

}  // namespace
}  // namespace rollcall::sched::show
