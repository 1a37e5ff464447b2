// A LIM's connections, with real sockets on 127.0.0.1: which peers are accepted, told apart, and disconnected.
#include <new>

#include "common/io/memory_reserve.hpp"
#include "tests/io/common/links_fixture.hpp"

namespace rollcall::lim {
namespace {

TEST_F(LimLinks, TwoLimsTalkAndEachKnowsTheOtherForADaemon) {
  Side server(loop, key);
  Side other(loop, key);
  const io::LinkId dialled = other.links.dial("127.0.0.1", listen(server));
  wait_until([&] { return other.opened.count(dialled) == 1 && server.opened.size() == 1; },
             "both ends to open");
  const io::LinkId accepted = server.opened.begin()->first;
  const auto& peer = server.opened.begin()->second;
  EXPECT_FALSE(peer.dialled);
  EXPECT_EQ(peer.caller, Caller::daemon);
  EXPECT_EQ(peer.address, "127.0.0.1");
  EXPECT_EQ(peer.hash, other.opened[dialled].hash);
  other.links.send(dialled, "there");
  wait_until([&] { return server.heard == std::vector<std::string>{"there"}; }, "the message");
  server.links.send(accepted, "back");
  wait_until([&] { return other.heard == std::vector<std::string>{"back"}; }, "the answer");
  other.links.close(dialled);
  wait_until([&] { return server.ended.count(accepted) == 1; }, "the end");
  EXPECT_EQ(server.ended[accepted], io::LinkEnd::closed);
  EXPECT_TRUE(other.ended.empty()) << "the side that closes gets no event";
}

TEST_F(LimLinks, ThePortOfTheRunBeforeIsTakenAgain) {
  Side other(loop, key);
  std::uint16_t port = 0;
  {
    Side server(loop, key);
    port = listen(server);
    const io::LinkId dialled = other.links.dial("127.0.0.1", port);
    wait_until([&] { return other.opened.count(dialled) == 1; }, "the link");
  }  // which it ends first, so the kernel keeps it for a while
  Side next(loop, key);
  const auto again = next.links.listen(port);
  ASSERT_TRUE(again) << again.error().text;
}

TEST_F(LimLinks, DialsByNameAsWell) {
  Side server(loop, key);
  Side other(loop, key);
  const io::LinkId dialled = other.links.dial("localhost", listen(server));
  wait_until([&] { return other.opened.count(dialled) == 1; }, "the link to localhost");
}

TEST_F(LimLinks, AClosedPortRefuses) {
  std::uint16_t port = 0;
  {
    Side gone(loop, key);
    port = listen(gone);
  }
  Side other(loop, key);
  const io::LinkId dialled = other.links.dial("127.0.0.1", port);
  wait_until([&] { return other.ended.count(dialled) == 1; }, "the refusal");
  EXPECT_EQ(other.ended[dialled], io::LinkEnd::refused);
}

TEST_F(LimLinks, AStoppedLimIsSilent) {
  tcp::acceptor stopped(loop,
                        {boost::asio::ip::make_address("127.0.0.1"), 0});  // the kernel takes the connection
  Side other(loop, key, {.time_to_prove = milliseconds(300)});
  const io::LinkId dialled = other.links.dial("127.0.0.1", stopped.local_endpoint().port());
  wait_until([&] { return other.ended.count(dialled) == 1; }, "the end of the patience");
  EXPECT_EQ(other.ended[dialled], io::LinkEnd::silent);
}

TEST_F(LimLinks, AnotherClustersLimIsAStrangerToBoth) {
  Side server(loop, key);
  Side other(loop, new_key());
  const io::LinkId dialled = other.links.dial("127.0.0.1", listen(server));
  wait_until([&] { return other.ended.count(dialled) == 1; }, "the end");
  EXPECT_EQ(other.ended[dialled], io::LinkEnd::stranger);
  EXPECT_TRUE(server.opened.empty());
  EXPECT_TRUE(server.ended.empty()) << "the handler never knew of it";
}

TEST_F(LimLinks, UnknownHostCountsAsSilence) {
  Side other(loop, key);
  const io::LinkId dialled = other.links.dial("no-such-host.invalid", 1);
  wait_until([&] { return other.ended.count(dialled) == 1; }, "the end");
  EXPECT_EQ(other.ended[dialled], io::LinkEnd::silent);
}

TEST_F(LimLinks, ALinkClosedWhileItDialsIsHeardOfNoMore) {
  Side server(loop, key);
  Side other(loop, key);
  other.links.close(other.links.dial("127.0.0.1", listen(server)));
  const io::LinkId second = other.links.dial("127.0.0.1", listen(server));
  wait_until([&] { return other.opened.count(second) + other.ended.count(second) == 1; }, "the second one");
  EXPECT_EQ(other.opened.size() + other.ended.size(), 1U);
}

TEST_F(LimLinks, SilentAndInvalidClientsAreClosedAndNamedOnce) {
  Side server(loop, key, {.time_to_prove = milliseconds(200)});
  const auto port = listen(server);
  auto silent = connect(port);
  auto garbage = connect(port);
  boost::asio::write(garbage, boost::asio::buffer(std::string(300, 'x')));
  const auto ended = [](tcp::socket& socket) {
    boost::system::error_code error;
    char byte = 0;
    socket.non_blocking(true);
    socket.read_some(boost::asio::buffer(&byte, 1), error);
    return error && error != boost::asio::error::would_block;
  };
  wait_until([&] { return ended(silent) && ended(garbage); }, "both to be closed");
  EXPECT_EQ(server.said.size(), 1U) << "one line for the address";
  EXPECT_TRUE(server.opened.empty());
}

TEST_F(LimLinks, ADaemonThatDoesNotReadIsCut) {
  Side server(loop, key, {.unsent = 1 << 20});
  const auto port = listen(server);
  Client deaf(connect(port), ClusterChannel::dial_as_daemon(key, io::random_seed()));
  wait_until([&] { return deaf.open() && !server.opened.empty(); }, "the link");
  const io::LinkId id = server.opened.begin()->first;
  const std::string much(500'000, 'm');
  for (int i = 0; i < 100 && server.ended.empty(); ++i) server.links.send(id, much);
  ASSERT_EQ(server.ended.count(id), 1U);
  EXPECT_EQ(server.ended[id], io::LinkEnd::offended);
}

TEST_F(LimLinks, MessageWithoutMemoryEndsItsLinkAlone) {
  Side server(loop, key), other(loop, key), poor(loop, key);
  const auto port = listen(server);
  server.on_message = [](io::LinkId, std::string_view payload) {
    if (payload == "large") throw std::bad_alloc();
  };
  const io::LinkId stays = other.links.dial("127.0.0.1", port);
  const io::LinkId goes = poor.links.dial("127.0.0.1", port);
  wait_until([&] { return server.opened.size() == 2; }, "both to open");
  wait_until([&] { return other.opened.count(stays) == 1 && poor.opened.count(goes) == 1; },
             "both to know it");
  poor.links.send(goes, "large");
  wait_until([&] { return poor.ended.count(goes) == 1; }, "the link to end");
  other.links.send(stays, "small");
  wait_until([&] { return server.heard.back() == "small"; }, "the other's message");
  EXPECT_EQ(server.ended.size(), 1U);
  EXPECT_EQ(other.ended.count(stays), 0U);
}

TEST_F(LimLinks, ChangeWithoutMemoryIsLeftToTheDaemon) {
  Side server(loop, key), other(loop, key);
  server.on_message = [](io::LinkId, std::string_view) { io::changing([] { throw std::bad_alloc(); }); };
  const io::LinkId dialled = other.links.dial("127.0.0.1", listen(server));
  wait_until([&] { return other.opened.count(dialled) == 1; }, "the link");
  other.links.send(dialled, "change");
  bool begins_anew = false;
  wait_until(
      [&] {
        try {
          loop.restart();
          loop.run_one_for(milliseconds(20));
        } catch (const io::StateUnknown&) {
          begins_anew = true;
        }
        return begins_anew;
      },
      "the daemon to hear of it");
  EXPECT_TRUE(server.ended.empty()) << "the sender is not to blame";
}

TEST_F(LimLinks, ARefusedMessageEndsTheLink) {
  Side server(loop, key);
  Side other(loop, key);
  const io::LinkId dialled = other.links.dial("127.0.0.1", listen(server));
  wait_until([&] { return other.opened.count(dialled) == 1; }, "the link");
  other.links.send(dialled, "nonsense");
  wait_until([&] { return server.ended.size() == 1 && other.ended.size() == 1; }, "the end at both sides");
  EXPECT_EQ(server.ended.begin()->second, io::LinkEnd::offended);
  ASSERT_EQ(server.said.size(), 1U);
  EXPECT_THAT(server.said[0], testing::HasSubstr("expected sense"));
}

TEST_F(LimLinks, APortInUseIsOneLine) {
  Side server(loop, key);
  const auto port = listen(server);
  Side second(loop, key);
  const auto result = second.links.listen(port);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().text,
            "cannot listen on port " + std::to_string(port) + ": Address already in use");
}

}  // namespace
}  // namespace rollcall::lim
