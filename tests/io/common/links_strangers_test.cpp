// Connections without a proof: how many they may hold, and that they keep no other client out.
#include <netinet/in.h>
#include <sys/socket.h>

#include <optional>

#include "tests/io/common/links_fixture.hpp"

namespace rollcall::lim {
namespace {

TEST_F(LimLinks, TheUnprovedAreLimitedAndALimComesThrough) {
  Side server(loop, key, {.time_to_prove = milliseconds(400), .strangers = 8});
  const auto port = listen(server);
  std::vector<tcp::socket> idle;
  for (int i = 0; i < 40; ++i) idle.push_back(connect(port));
  Side other(loop, key, {.time_to_prove = std::chrono::seconds(15)});
  const io::LinkId dialled = other.links.dial("127.0.0.1", port);
  wait_until([&] { return other.opened.count(dialled) == 1; }, "a LIM to come through 40 idle connections");
}

TEST_F(LimLinks, TooManyClientsCostTheIdlestItsPlaceAndNoLim) {
  Side server(loop, key, {.clients = 3});
  const auto port = listen(server);
  Side other(loop, key);
  const io::LinkId dialled = other.links.dial("127.0.0.1", port);
  wait_until([&] { return other.opened.count(dialled) == 1 && server.opened.size() == 1; }, "the LIM");
  std::vector<std::unique_ptr<Client>> clients;
  for (std::size_t i = 0; i < 5; ++i) {
    clients.push_back(
        std::make_unique<Client>(connect(port), ClusterChannel::dial_as_owner(key, io::random_seed())));
    wait_until([&] { return clients.back()->open() && server.opened.size() == i + 2; }, "a client");
  }
  wait_until([&] { return server.ended.size() == 2; }, "the ends of two");
  EXPECT_TRUE(other.ended.empty());
  EXPECT_FALSE(clients[0]->read());
  EXPECT_TRUE(clients[4]->read());
}

// Holders as a test says them: by the address of the socket at the other end. 127.0.0.2 is one user's, and so on.
ConnectionHolder by_address(int socket) {
  sockaddr_in6 name{};
  socklen_t size = sizeof name;
  getpeername(socket, reinterpret_cast<sockaddr*>(&name), &size);
  return {"10.0.0." + std::to_string(static_cast<int>(name.sin6_addr.s6_addr[15])), false};
}

// Longer than a busy machine may keep a client from its request.
constexpr milliseconds kIdle{2000};

class LimLinksOfStrangers : public LimLinks {
 protected:
  // A connection of the user that 127.0.0.`user` stands for.
  tcp::socket connect_as(int user, std::uint16_t port) {
    tcp::socket socket(loop, tcp::v4());
    socket.bind({boost::asio::ip::make_address("127.0.0." + std::to_string(user)), 0});
    socket.connect({boost::asio::ip::make_address("127.0.0.1"), port});
    return socket;
  }
  std::unique_ptr<Client> anyone(int user, std::uint16_t port) {
    return std::make_unique<Client>(connect_as(user, port),
                                    ClusterChannel::dial_as_anyone(key.public_half, io::random_seed()));
  }
  void answer_everything(Side& server) {
    server.on_message = [&](io::LinkId id, std::string_view) { server.links.send(id, "answer"); };
  }
  void ask(Client& client) {
    const auto before = client.heard.size();
    client.say("question");
    wait_until([&] { return client.wrote() && client.read() && client.heard.size() > before; }, "an answer");
  }
};

TEST_F(LimLinksOfStrangers, HandshakenClientThatAsksNothingIsClosed) {
  Side server(loop, key, {.idle = milliseconds(300)}, by_address);
  const auto silent = anyone(2, listen(server));
  wait_until([&] { return silent->open() && server.opened.size() == 1; }, "the link");
  wait_until([&] { return !silent->read(); }, "its end");
  EXPECT_EQ(server.ended.size(), 1U) << "the handler is told, since it knew of it";
  EXPECT_THAT(server.said, testing::ElementsAre(testing::HasSubstr("asked nothing for too long")));
}

TEST_F(LimLinksOfStrangers, StrangerIsClosedBetweenRequestsAsWell) {
  Side server(loop, key, {.idle = kIdle}, by_address);
  answer_everything(server);
  const auto client = anyone(2, listen(server));
  wait_until([&] { return client->open() && server.opened.size() == 1; }, "the link");
  ask(*client);
  wait_until([&] { return !client->read(); }, "its end");
}

TEST_F(LimLinksOfStrangers, IdentifiedClientsAndPromisedAnswersAreNotIdle) {
  Side server(loop, key, {.idle = kIdle}, by_address);
  std::optional<io::LinkId> waits;
  server.on_message = [&](io::LinkId id, std::string_view payload) {
    if (payload == "I am ada") server.links.identified(id, 1000), server.links.send(id, "welcome");
    if (payload == "wait") server.links.promise(id), waits = id;
  };
  const auto port = listen(server);
  const auto ada = anyone(2, port), waiting = anyone(3, port), silent = anyone(4, port);
  wait_until([&] { return ada->open() && waiting->open() && silent->open() && server.opened.size() == 3; },
             "the links");
  ada->say("I am ada");
  waiting->say("wait");
  wait_until([&] { return ada->wrote() && waiting->wrote() && waits && ada->read() && !ada->heard.empty(); },
             "both requests");
  wait_until([&] { return !silent->read(); }, "the end of the one that says nothing");
  const auto second = anyone(5, port);
  wait_until([&] { return second->open(); }, "one more");
  wait_until([&] { return !second->read(); }, "its end: another idle time has passed");
  EXPECT_TRUE(ada->read());
  EXPECT_TRUE(waiting->read());
  server.links.send(*waits, "at last");
  wait_until([&] { return waiting->read() && waiting->heard.size() == 1; }, "the promised answer");
}

TEST_F(LimLinksOfStrangers, SilentConnectionsOfOneUserKeepNobodyElseOut) {
  Side server(loop, key, {.time_to_prove = std::chrono::seconds(15), .strangers = 64, .share = 32},
              by_address);
  answer_everything(server);
  const auto port = listen(server);
  std::vector<tcp::socket> silent;
  for (int i = 0; i < 200; ++i) silent.push_back(connect_as(2, port));
  const auto other = anyone(3, port);
  wait_until([&] { return other->open(); }, "another user's connection beside 200 silent ones");
  ask(*other);
  EXPECT_THAT(server.said,
              testing::ElementsAre(testing::HasSubstr("of 10.0.0.2 that have not proved who they are")));
}

TEST_F(LimLinksOfStrangers, HandshakenConnectionsOfOneUserKeepNobodyElseOut) {
  Side server(loop, key, {.idle = std::chrono::seconds(60), .strangers = 64, .share = 32}, by_address);
  answer_everything(server);
  const auto port = listen(server);
  std::vector<std::unique_ptr<Client>> held;
  for (int i = 0; i < 100; ++i) {
    held.push_back(anyone(2, port));
    wait_until([&] { return held.back()->open(); }, "a handshake");
  }
  const auto other = anyone(3, port);
  wait_until([&] { return other->open(); }, "another user's connection");
  ask(*other);
  EXPECT_FALSE(held.front()->read()) << "the oldest went";
  EXPECT_TRUE(held.back()->read());
  EXPECT_TRUE(other->read());
  EXPECT_EQ(server.ended.size(), 68U) << "of 100, a share of 32 is left";
}

TEST_F(LimLinksOfStrangers, DaemonsThatHaveProvedThemselvesAreNeverClosedForRoom) {
  Side server(loop, key, {.strangers = 16, .share = 8}, by_address);
  Side other(loop, key);
  const auto port = listen(server);
  std::vector<io::LinkId> dialled;
  for (int i = 0; i < 40; ++i) dialled.push_back(other.links.dial("127.0.0.1", port));
  // All come from one address, and more than its share: each that lost its place dials again.
  wait_until(
      [&] {
        for (auto& id : dialled)
          if (other.ended.erase(id) > 0) id = other.links.dial("127.0.0.1", port);
        return other.links.open_links() == 40;
      },
      "40 daemons from one address");
  std::vector<tcp::socket> silent;
  for (int i = 0; i < 100; ++i) silent.push_back(connect_as(1, port));
  const auto late = anyone(3, port);
  wait_until([&] { return late->open(); }, "a client");
  EXPECT_EQ(other.links.open_links(), 40U);
  EXPECT_TRUE(server.ended.empty());
}

TEST(LinkLimits, FitIntoTheDescriptorsOfTheProcess) {
  const auto few = io::fitted({.clients = 20'000}, 1024);
  EXPECT_EQ(few.strangers, 256U);
  EXPECT_EQ(few.share, 128U);
  EXPECT_EQ(few.clients, 512U);
  const auto many = io::fitted({.clients = 20'000}, 1 << 20);
  EXPECT_EQ(many.strangers, io::LinkLimits{}.strangers);
  EXPECT_EQ(many.share, io::LinkLimits{}.share);
  EXPECT_EQ(many.clients, 20'000U);
  EXPECT_GE(io::fitted({}, 3).share, 1U);
}

TEST_F(LimLinksOfStrangers, HandshakeOfAnotherUserDoesNotWaitForACrowd) {
  constexpr std::size_t kCrowd = 200;
  Side server(loop, key, {.time_to_prove = std::chrono::seconds(20), .strangers = 1000, .share = 500},
              by_address);
  const auto port = listen(server);
  std::vector<std::unique_ptr<Client>> crowd;
  for (std::size_t i = 0; i < kCrowd; ++i) crowd.push_back(anyone(2, port));
  const auto other = anyone(3, port);
  const auto opened_by_other = [&] {
    for (const auto& [id, peer] : server.opened)
      if (peer.holder == "10.0.0.3") return true;
    return false;
  };
  wait_until([&] { return (other->open(), opened_by_other()); }, "the other user's handshake");
  EXPECT_LT(server.opened.size(), kCrowd - 20) << "it waited for the crowd";
  wait_until(
      [&] {
        for (const auto& client : crowd) client->open();
        return server.opened.size() == kCrowd + 1;
      },
      "the crowd, which waits and is not refused");
}

}  // namespace
}  // namespace rollcall::lim
