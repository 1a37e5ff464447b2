// Callers that name a key: the key proves who each is, and a stranger learns nothing of the keys.
#include "common/io/peer_keys.hpp"

#include <set>

#include "tests/io/common/cluster_ends.hpp"

namespace rollcall::io {
namespace {

using test::bytes_of;
using test::Caller;
using test::cluster_key;
using test::ClusterEnd;
using test::frame;

constexpr std::uint8_t kNextOwn = 0x12, kEast = 0x51, kWest = 0x52, kUnknown = 0x66;

class PeerKeysTest : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(keys_.add({"", cluster_key(kNextOwn)}));
    ASSERT_TRUE(keys_.add({"east", cluster_key(kEast)}));
    ASSERT_TRUE(keys_.add({"west", cluster_key(kWest)}));
  }
  ClusterEnd acceptor() const {
    return ClusterEnd(ClusterChannel::accept(keys_, ClusterChannel::OwnKey(bytes_of(0x33))));
  }
  static ClusterEnd naming(const ClusterKey& key, std::uint8_t seed = 0x22) {
    return ClusterEnd(ClusterChannel::dial_naming_key(key, bytes_of(seed)));
  }

  PeerKeys keys_{cluster_key()};
};

TEST_F(PeerKeysTest, CallerProvesThePeerWhoseKeyItHolds) {
  for (const auto& [key, name] : {std::pair(kEast, "east"), {kWest, "west"}}) {
    ClusterEnd dialler = naming(cluster_key(key)), acceptor = this->acceptor();
    acceptor.answer(dialler.answer(acceptor.answer(dialler.channel.start())));
    ASSERT_TRUE(acceptor.channel.open() && dialler.channel.open());
    EXPECT_EQ(acceptor.channel.caller(), Caller::peer);
    EXPECT_EQ(acceptor.channel.peer(), name);
    acceptor.answer(dialler.channel.seal("there"));
    dialler.answer(acceptor.channel.seal("back"));
    EXPECT_EQ(acceptor.payloads, std::vector<std::string>{"there"});
    EXPECT_EQ(dialler.payloads, std::vector<std::string>{"back"});
    EXPECT_EQ(acceptor.channel.hash(), dialler.channel.hash());
  }
}

TEST_F(PeerKeysTest, BothKeysOfOurClusterProveADaemon) {
  for (const std::uint8_t key : {std::uint8_t{0x11}, kNextOwn}) {
    ClusterEnd dialler = naming(cluster_key(key)), acceptor = this->acceptor();
    acceptor.answer(dialler.answer(acceptor.answer(dialler.channel.start())));
    ASSERT_TRUE(acceptor.channel.open());
    EXPECT_EQ(acceptor.channel.caller(), Caller::daemon);
    EXPECT_EQ(acceptor.channel.peer(), "");
  }
}

TEST_F(PeerKeysTest, CallThatNamesNoKeyIsAnsweredAsByADaemonOfOneKey) {
  for (const Caller who : test::kCallers) {
    ClusterEnd dialler = test::a_dialler(who), acceptor = this->acceptor(), of_one = test::an_acceptor();
    const std::string dial = dialler.channel.start(), accept = acceptor.answer(dial);
    EXPECT_EQ(accept, of_one.answer(dial));
    acceptor.answer(dialler.answer(accept));
    ASSERT_TRUE(acceptor.channel.open());
    EXPECT_EQ(acceptor.channel.caller(), who);
    EXPECT_EQ(acceptor.channel.peer(), "");
  }
}

TEST_F(PeerKeysTest, UnknownKeyIsRefusedWithoutAByte) {
  ClusterEnd acceptor = this->acceptor();
  EXPECT_EQ(acceptor.refusal(naming(cluster_key(kUnknown)).channel.start()),
            "a call that names a key which this daemon does not have");
  EXPECT_EQ(acceptor.sent, "");
  EXPECT_FALSE(acceptor.channel.open());
}

// The own key's call with a peer's key: our answer proves our key, and the caller's proof is not of it.
TEST_F(PeerKeysTest, PeersKeyOpensNoCallOfOurOwnCluster) {
  ClusterKey mixed = cluster_key();  // the public half that everybody has
  mixed.secret = cluster_key(kEast).secret;
  for (const Caller who : {Caller::daemon, Caller::owner}) {
    ClusterEnd dialler = test::a_dialler(who, cluster_key(kEast)), acceptor = this->acceptor();
    EXPECT_NE(dialler.refusal(acceptor.answer(dialler.channel.start())), "");
    ClusterEnd liar = test::a_dialler(who, mixed), other = this->acceptor();
    EXPECT_EQ(other.refusal(liar.answer(other.answer(liar.channel.start()))),
              "the caller does not hold the cluster's key");
  }
}

TEST_F(PeerKeysTest, PublicHalfOfAPeersKeyProvesNothing) {
  ClusterKey without = cluster_key(kEast);
  without.secret = cluster_key(kUnknown).secret;
  ClusterEnd dialler = naming(without), acceptor = this->acceptor();
  EXPECT_EQ(acceptor.refusal(dialler.answer(acceptor.answer(dialler.channel.start()))),
            "the caller does not hold the cluster's key");
  EXPECT_FALSE(acceptor.channel.open());
}

// Only a holder of the key can make the mark, and it differs in each call: a recorded one tells nothing elsewhere.
TEST_F(PeerKeysTest, MarkIsOfOneCallAlone) {
  const std::string call = naming(cluster_key(kEast)).channel.start();
  for (std::size_t bit = 4 * 8; bit < call.size() * 8; ++bit) {
    std::string changed = call;
    changed[bit / 8] = static_cast<char>(changed[bit / 8] ^ (1 << bit % 8));
    ClusterEnd acceptor = this->acceptor();
    EXPECT_NE(acceptor.refusal(changed), "") << "bit " << bit;
    EXPECT_EQ(acceptor.sent, "") << "bit " << bit;
  }
  std::set<std::string> marks;
  for (std::uint8_t seed = 1; seed < 20; ++seed)
    marks.insert(naming(cluster_key(kEast), seed).channel.start().substr(4 + 34));
  EXPECT_EQ(marks.size(), 19U);
}

TEST_F(PeerKeysTest, DaemonOfOneKeyKnowsNoCallThatNamesOne) {
  ClusterEnd older = test::an_acceptor();
  EXPECT_EQ(older.refusal(naming(cluster_key()).channel.start()), "a call of 66 bytes, expected 34");
}

TEST_F(PeerKeysTest, CallOfWrongSizeIsRefused) {
  const std::string call = naming(cluster_key(kEast)).channel.start();
  for (const std::size_t size : {34U, 65U}) {
    ClusterEnd acceptor = this->acceptor();
    EXPECT_NE(acceptor.refusal(frame(call.substr(4, size))), "") << size;
  }
  ClusterEnd acceptor = this->acceptor();
  EXPECT_NE(acceptor.refusal(frame(call.substr(4) + "x")), "");
}

TEST_F(PeerKeysTest, KeyProvesOnePeerAlone) {
  EXPECT_EQ(keys_.add({"north", cluster_key(kEast)}).error().text,
            "the key of north is that of east too, expected a key of its own");
  EXPECT_FALSE(keys_.add({"north", cluster_key()}));
  EXPECT_TRUE(keys_.add({"east", cluster_key(0x53)})) << "while it changes its key";
  for (std::uint8_t value = 0x80; value < 0x80 + PeerKeys::kMost - 5; ++value)
    EXPECT_TRUE(keys_.add({"another", cluster_key(value)}));
  EXPECT_FALSE(keys_.add({"one more", cluster_key(0x7f)}));
}

}  // namespace
}  // namespace rollcall::io
