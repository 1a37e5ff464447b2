// The test vectors of docs/protocol.md, "The conversations of a cluster", are what the code says and takes.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <string>

#include "common/wire/load.pb.h"
#include "tests/io/common/cluster_ends.hpp"
#include "tests/support/hex.hpp"

namespace rollcall::io {
namespace {

using test::Caller;
using test::ClusterEnd;
using test::kCallers;

using rollcall::test::from_hex;
using rollcall::test::to_hex;

// The block of the document: "name:", then digits on lines that start with a blank.
std::map<std::string, std::string> read_vectors() {
  std::ifstream document(ROLLCALL_PROTOCOL_DOCUMENT);
  if (!document) throw std::runtime_error("cannot open " ROLLCALL_PROTOCOL_DOCUMENT);
  std::map<std::string, std::string> vectors;
  std::string line, name;
  bool inside = false;
  while (std::getline(document, line)) {
    if (line.starts_with("```"))
      inside = line == "```cluster-vectors";
    else if (inside && line.ends_with(':'))
      name = line.substr(0, line.size() - 1);
    else if (inside)
      vectors[name] += line.substr(line.find_first_not_of(' '));
  }
  return vectors;
}

const char* kind_of(Caller who) {
  return who == Caller::daemon ? "daemon" : who == Caller::owner ? "owner" : "anyone";
}

class ClusterVectors : public testing::Test {
 protected:
  const std::string& digits(const std::string& name) {
    const auto found = vectors_.find(name);
    if (found == vectors_.end()) throw std::runtime_error("docs/protocol.md has no vector \"" + name + "\"");
    return found->second;
  }
  std::string bytes(const std::string& name) { return from_hex(digits(name)); }
  Seed array(const std::string& name) {
    const std::string from = bytes(name);
    Seed to{};
    EXPECT_EQ(from.size(), to.size()) << name;
    std::copy_n(from.begin(), std::min(from.size(), to.size()), to.begin());
    return to;
  }
  ClusterKey key() { return {array("secret"), array("cluster public half")}; }
  ClusterEnd dialler(Caller who) {
    const Seed scalar = array("dialler's scalar");
    if (who == Caller::daemon) return ClusterEnd(ClusterChannel::dial_as_daemon(key(), scalar));
    if (who == Caller::owner) return ClusterEnd(ClusterChannel::dial_as_owner(key(), scalar));
    return ClusterEnd(ClusterChannel::dial_as_anyone(key().public_half, scalar));
  }
  ClusterEnd acceptor() { return ClusterEnd(ClusterChannel::accept(key(), array("acceptor's scalar"))); }

  std::map<std::string, std::string> vectors_ = read_vectors();
};

TEST_F(ClusterVectors, TheMessagesAreThoseOfTheText) {
  wire::ToLim hello, report;
  hello.mutable_peer()->set_host("n1");
  report.mutable_report();
  wire::FromLim welcome;
  welcome.mutable_welcome()->set_host("n2");
  welcome.mutable_welcome()->set_master(true);
  EXPECT_EQ(to_hex(hello.SerializeAsString()), digits("PeerHello"));
  EXPECT_EQ(to_hex(report.SerializeAsString()), digits("Report"));
  EXPECT_EQ(to_hex(welcome.SerializeAsString()), digits("PeerWelcome"));
}

TEST_F(ClusterVectors, TheKeysComeFromTheSecret) {
  const Seed scalar = cluster::exchange_scalar(array("secret"));
  EXPECT_EQ(to_hex(cluster::view(scalar)), digits("cluster scalar"));
  EXPECT_EQ(to_hex(cluster::view(cluster::public_half(scalar))), digits("cluster public half"));
  EXPECT_EQ(to_hex(cluster::view(cluster::proof_key(array("secret")))), digits("proof key"));
}

TEST_F(ClusterVectors, EveryHandshakeHasTheseBytes) {
  for (const Caller who : kCallers) {
    const std::string kind = kind_of(who);
    ClusterEnd dialler = this->dialler(who), acceptor = this->acceptor();
    const std::string dial = dialler.channel.start();
    EXPECT_EQ(to_hex(dial), digits(kind + " dial frame"));
    const std::string accept = acceptor.answer(dial);
    EXPECT_EQ(to_hex(accept), digits(kind + " accept frame"));
    const std::string finish = dialler.answer(accept);
    EXPECT_EQ(to_hex(finish), digits(kind + " finish frame"));
    acceptor.answer(finish);
    ASSERT_TRUE(acceptor.channel.open());
    EXPECT_EQ(acceptor.channel.caller(), who);
    EXPECT_EQ(to_hex(dialler.channel.hash()), digits(kind + " hash"));
    EXPECT_EQ(to_hex(acceptor.channel.hash()), digits(kind + " hash"));
  }
}

TEST_F(ClusterVectors, CallThatNamesItsKeyHasTheseBytes) {
  const PeerKeys keys(key());
  ClusterEnd dialler(ClusterChannel::dial_naming_key(key(), array("dialler's scalar")));
  ClusterEnd acceptor(ClusterChannel::accept(keys, array("acceptor's scalar")));
  const std::string dial = dialler.channel.start();
  EXPECT_EQ(to_hex(dial), digits("naming daemon dial frame"));
  const std::string accept = acceptor.answer(dial);
  EXPECT_EQ(to_hex(accept), digits("naming daemon accept frame"));
  const std::string finish = dialler.answer(accept);
  EXPECT_EQ(to_hex(finish), digits("naming daemon finish frame"));
  acceptor.answer(finish);
  ASSERT_TRUE(acceptor.channel.open());
  EXPECT_EQ(to_hex(dialler.channel.hash()), digits("naming daemon hash"));
  EXPECT_EQ(to_hex(acceptor.channel.hash()), digits("naming daemon hash"));
}

TEST_F(ClusterVectors, RecordsHaveTheseBytes) {
  ClusterEnd dialler = this->dialler(Caller::daemon), acceptor = this->acceptor();
  dialler.channel.start();
  dialler.answer(bytes("daemon accept frame"));
  acceptor.answer(bytes("daemon dial frame"));
  acceptor.answer(bytes("daemon finish frame"));
  EXPECT_EQ(to_hex(dialler.channel.seal(bytes("PeerHello"))), digits("PeerHello sealed"));
  EXPECT_EQ(to_hex(dialler.channel.seal(bytes("Report"))), digits("Report sealed"));
  EXPECT_EQ(to_hex(acceptor.channel.seal(bytes("PeerWelcome"))), digits("PeerWelcome sealed"));
  acceptor.answer(bytes("PeerHello sealed") + bytes("Report sealed"));
  EXPECT_EQ(acceptor.payloads, (std::vector<std::string>{bytes("PeerHello"), bytes("Report")}));
  dialler.answer(bytes("PeerWelcome sealed"));
  EXPECT_EQ(dialler.payloads, std::vector<std::string>{bytes("PeerWelcome")});
}

TEST_F(ClusterVectors, TheSharedSecretsAndTheTranscriptAreThoseOfTheText) {
  Seed fresh, with_cluster;
  ASSERT_TRUE(
      cluster::exchange(fresh, array("dialler's scalar"), cluster::public_half(array("acceptor's scalar"))));
  ASSERT_TRUE(cluster::exchange(with_cluster, array("dialler's scalar"), array("cluster public half")));
  const std::string shared = std::string(cluster::view(fresh)) + std::string(cluster::view(with_cluster));
  EXPECT_EQ(to_hex(shared), digits("shared secrets"));
  const std::string said = bytes("cluster public half") + bytes("daemon dial frame").substr(4) +
                           bytes("daemon accept frame").substr(4, 32);
  const auto transcript = cluster::blake({}, "rollcall cluster v1", said);
  EXPECT_EQ(to_hex(cluster::view(transcript)), digits("transcript"));
  const std::string to_acceptor = "rollcall cluster to acceptor v1",
                    to_dialler = "rollcall cluster to dialler v1";
  EXPECT_EQ(to_hex(cluster::view(cluster::blake(shared, to_acceptor, cluster::view(transcript)))),
            digits("key to acceptor"));
  EXPECT_EQ(to_hex(cluster::view(cluster::blake(shared, to_dialler, cluster::view(transcript)))),
            digits("key to dialler"));
}

}  // namespace
}  // namespace rollcall::io
