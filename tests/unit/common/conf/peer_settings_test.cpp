// Which clusters may talk to this one, and where they are: lsf.shared, RemoteClusters, ROLLCALL_PEERS.
#include "common/conf/peer_settings.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/common/conf/conf_files.hpp"

namespace rollcall::conf {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

struct Read {
  PeerSettings peers;
  std::vector<std::string> said;
};
Read read(const std::string& lsf_conf, const std::string& remote = {}) {
  const MemoryFiles files{
      .files = {
          {"/c/lsf.conf", "LSF_CLUSTER_NAME=west\n" + lsf_conf},
          {"/c/lsf.shared",
           "Begin Cluster\nClusterName Servers\nwest (w1)\neast (e1 e2)\nnorth ()\nEnd Cluster\n"
           "Begin HostType\nTYPENAME\nX86_64\nEnd HostType\nBegin HostModel\nMODELNAME CPUFACTOR\nPC 1\nEnd "
           "HostModel\n"},
          {"/c/lsf.cluster.west",
           "Begin Host\nHOSTNAME model type server RESOURCES\nw1 ! ! 1 ()\nEnd Host\n" + remote},
      }};
  const auto cluster = read_cluster_files(files.sources());
  if (!cluster.files) return {{}, lines_of(cluster.problems)};
  Problems problems;
  Read read{read_peer_settings(*cluster.files, 6881, problems), {}};
  read.said = lines_of(problems);
  return read;
}

TEST(PeerSettings, AreTheServersOfLsfSharedOnOurPort) {
  const auto [peers, said] = read("ROLLCALL_PEER_KEYS=/k\n");
  EXPECT_EQ(peers.key_directory, "/k");
  ASSERT_EQ(peers.clusters.size(), 2U) << "all but this one";
  EXPECT_THAT(peers.cluster("east")->addresses,
              ElementsAre(PeerAddress{"e1", 6881}, PeerAddress{"e2", 6881}));
  EXPECT_THAT(peers.cluster("north")->addresses, IsEmpty()) << "it calls us";
  EXPECT_FALSE(peers.cluster("east")->lacks_address());
  EXPECT_TRUE(peers.cluster("north")->lacks_address());
  EXPECT_EQ(peers.cluster("west"), nullptr);
  EXPECT_THAT(said, IsEmpty());
}

TEST(PeerSettings, TakeAddressesFromRollcallPeers) {
  const auto [peers, said] = read("ROLLCALL_PEERS=\"east=none north=n1:7001,10.0.0.9\"\n");
  EXPECT_THAT(peers.cluster("east")->addresses, IsEmpty());
  EXPECT_FALSE(peers.cluster("east")->lacks_address()) << "none is an answer";
  EXPECT_THAT(peers.cluster("north")->addresses,
              ElementsAre(PeerAddress{"n1", 7001}, PeerAddress{"10.0.0.9", 6881}));
  EXPECT_THAT(said, IsEmpty());
}

TEST(PeerSettings, LeaveOutWhatRemoteClustersLeavesOut) {
  const auto [peers, said] = read("", "Begin RemoteClusters\nCLUSTERNAME\nnorth\nEnd RemoteClusters\n");
  EXPECT_EQ(peers.cluster("east"), nullptr);
  EXPECT_NE(peers.cluster("north"), nullptr);
  EXPECT_THAT(said, IsEmpty());
}

TEST(PeerSettings, SayWhatCannotBeRead) {
  for (const char* word : {"east", "east=", "east=:1", "east=h:0", "east=h:99999", "east=h,", "east=a:b:1"}) {
    const auto [peers, said] = read(std::string("ROLLCALL_PEERS=") + word + "\n");
    ASSERT_EQ(said.size(), 1U) << word;
    EXPECT_THAT(said[0], HasSubstr("expected CLUSTER=HOST[:PORT]")) << word;
    EXPECT_EQ(peers.cluster("east")->addresses.size(), 2U) << word << ": those of lsf.shared stay";
  }
  for (const char* word : {"moon=h", "west=h"})
    EXPECT_THAT(read(std::string("ROLLCALL_PEERS=") + word + "\n").said.at(0),
                HasSubstr("expected clusters of lsf.shared"))
        << word;
  EXPECT_THAT(read("ROLLCALL_PEERS=\"north=n1 moon=h\"\n").said,
              ElementsAre(HasSubstr("ROLLCALL_PEERS: found \"moon=h\", expected")));
}

}  // namespace
}  // namespace rollcall::conf
