// Two hosts with one address are refused: a job for one would run on the other.
#include "common/conf/shared_addresses.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/common/conf/conf_files.hpp"

namespace rollcall::conf {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::vector<std::string> said(const std::string& hosts, const std::string& system_hosts = "") {
  MemoryFiles memory;
  memory.files = {{"/c/lsf.conf", "LSF_LOGDIR=/l\n"},
                  {"/c/lsf.shared", "Begin Cluster\nClusterName\nlab\nEnd Cluster\n"},
                  {"/c/lsf.cluster.lab", "Begin Host\nHOSTNAME\nnetf3\nnetf4\nEnd Host\n"},
                  {"/c/hosts", hosts},
                  {"/etc/hosts", system_hosts}};
  const auto checked = read_cluster_files(memory.sources());
  if (!checked.files) return {"unreadable"};
  Problems problems;
  refuse_shared_addresses(*checked.files, memory.sources(), problems);
  return lines_of(problems);
}

TEST(SharedAddresses, RefusesTwoHostsOfOneAddress) {
  const auto refused = ElementsAre(HasSubstr(
      "HOSTNAME: found netf4 with the address 10.0.0.3, which is that of netf3 (/c/lsf.cluster.lab:3)"));
  EXPECT_THAT(said("10.0.0.3 netf3\n10.0.0.3 netf4\n"), refused);
  EXPECT_THAT(said("", "10.0.0.3 netf3\n10.0.0.3 netf4\n"), refused) << "by the system's own file";
  EXPECT_THAT(said("10.0.0.3 netf3\n", "10.0.0.4 netf3\n10.0.0.3 netf4\n"), refused);
}

TEST(SharedAddresses, TakesAddressesOfTheirOwnAndLoopback) {
  EXPECT_THAT(said("10.0.0.3 netf3\n10.0.0.4 netf4\n10.0.1.3 netf3\n"), IsEmpty());
  EXPECT_THAT(said("", "127.0.1.1 netf3\n127.0.1.1 netf4\n"), IsEmpty());
  EXPECT_THAT(said(""), IsEmpty()) << "hosts that only a resolver knows";
}

}  // namespace
}  // namespace rollcall::conf
