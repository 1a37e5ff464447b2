// Links with keys of several peers: the key proves which peer a caller is, and a peer has none of a daemon's rights.
#include <algorithm>

#include "tests/io/common/links_fixture.hpp"

namespace rollcall::lim {
namespace {

class PeerLinks : public LimLinks {
 protected:
  void SetUp() override { ASSERT_TRUE(keys.add({"east", east})); }
  Client caller(const io::ClusterKey& with, std::uint16_t port) {
    return Client(connect(port), ClusterChannel::dial_naming_key(with, io::random_seed()));
  }

  io::ClusterKey east = new_key();
  io::PeerKeys keys{key};
};

TEST_F(PeerLinks, CallerIsWhomItsKeyProves) {
  Side server(loop, keys), other(loop, key);
  const std::uint16_t port = listen(server);
  Client peer = caller(east, port);
  wait_until([&] { return peer.open() && server.opened.size() == 1; }, "the peer");
  EXPECT_EQ(server.opened.begin()->second.caller, Caller::peer);
  EXPECT_EQ(server.opened.begin()->second.peer, "east");
  other.links.dial("127.0.0.1", port);
  wait_until([&] { return server.opened.size() == 2; }, "a daemon that names no key");
  EXPECT_EQ(server.opened.rbegin()->second.caller, Caller::daemon);
  EXPECT_EQ(server.opened.rbegin()->second.peer, "");
}

TEST_F(PeerLinks, CallerWithAnUnknownKeyIsRefused) {
  Side server(loop, keys);
  Client stranger = caller(new_key(), listen(server));
  wait_until([&] { return !stranger.read(); }, "its end");
  EXPECT_TRUE(server.opened.empty());
  EXPECT_TRUE(server.ended.empty());
  EXPECT_EQ(server.said.size(), 1U) << "logged once";
}

// A daemon may have any number of connections, and silence; a peer has a stranger's.
TEST_F(PeerLinks, PeerHasTheLimitsOfAStranger) {
  Side server(loop, keys, {.idle = milliseconds(200)}), other(loop, key);
  const std::uint16_t port = listen(server);
  other.links.dial("127.0.0.1", port);
  wait_until([&] { return server.opened.size() == 1; }, "the daemon");
  const io::LinkId daemon = server.opened.begin()->first;
  Client peer = caller(east, port);
  wait_until([&] { return peer.open() && server.opened.size() == 2; }, "the peer");
  wait_until([&] { return server.ended.size() == 1; }, "the end of the peer");
  EXPECT_EQ(server.ended.count(daemon), 0U);
}

}  // namespace
}  // namespace rollcall::lim
