// A LIM's connections, with real sockets on 127.0.0.1: who is taken, who is told apart, and who is cut.
#include "common/io/links.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <sys/socket.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/write.hpp>
#include <filesystem>
#include <map>
#include <new>

namespace rollcall::lim {
namespace {

using boost::asio::ip::tcp;
using io::ClusterChannel;
using Caller = io::ClusterChannel::Caller;
using std::chrono::milliseconds;

constexpr auto kDeadline = std::chrono::seconds(20);

io::ClusterKey new_key() {
  char directory[] = "/tmp/rollcall-links.XXXXXX";
  EXPECT_NE(mkdtemp(directory), nullptr);
  const std::string path = std::string(directory) + "/key";
  EXPECT_TRUE(io::create_cluster_key(path));
  const auto key = io::load_cluster_key(path);
  EXPECT_TRUE(key);
  std::filesystem::remove_all(directory);
  return key ? *key : io::ClusterKey{};
}

// One LIM's links, with a book of what its handler heard.
struct Side {
  Side(boost::asio::io_context& loop, const io::ClusterKey& key, const io::LinkLimits& limits = {},
       std::function<ConnectionHolder(int)> holder = {})
      : links(loop, key, limits,
              {[this](io::LinkId id, const io::LinkPeer& peer) { opened[id] = peer; },
               [this](io::LinkId id, std::string_view payload) { return hear(id, payload); },
               [this](io::LinkId id, io::LinkEnd end, const std::string&) {
                 ended[id] = end;
                 if (on_ended) on_ended(id);
               },
               [this](const std::string& line) { said.push_back(line); }, nullptr, std::move(holder)}) {}

  Result<void> hear(io::LinkId id, std::string_view payload) {
    heard.emplace_back(payload);
    if (payload == "nonsense") return internal_error("found nonsense, expected sense");
    if (on_message) on_message(id, payload);
    return {};
  }

  std::map<io::LinkId, io::LinkPeer> opened;
  std::map<io::LinkId, io::LinkEnd> ended;
  std::vector<std::string> heard, said;
  std::function<void(io::LinkId, std::string_view)> on_message;
  std::function<void(io::LinkId)> on_ended;
  io::Links links;
};

class LimLinks : public testing::Test {
 protected:
  template <class Condition>
  void wait_until(Condition condition, const char* what) {
    const auto deadline = std::chrono::steady_clock::now() + kDeadline;
    while (!condition() && std::chrono::steady_clock::now() < deadline) {
      loop.restart();
      loop.run_one_for(milliseconds(20));
    }
    ASSERT_TRUE(condition()) << "waited in vain for: " << what;
  }

  std::uint16_t listen(Side& side) {
    const auto port = side.links.listen(0);
    EXPECT_TRUE(port);
    return port ? *port : 0;
  }

  tcp::socket connect(std::uint16_t port) {
    tcp::socket socket(loop);
    socket.connect({boost::asio::ip::make_address("127.0.0.1"), port});
    return socket;
  }

  boost::asio::io_context loop{1};
  io::ClusterKey key = new_key();
};

// A client without Asio's help: writes, and reads only when it is told to.
class Client {
 public:
  Client(tcp::socket socket, ClusterChannel channel)
      : socket_(std::move(socket)), channel_(std::move(channel)) {
    boost::asio::write(socket_, boost::asio::buffer(channel_.start()));
    socket_.non_blocking(true);
  }
  bool open() {
    if (!channel_.open()) read();
    return channel_.open();
  }
  void say(std::string_view payload) { out_ += channel_.seal(payload); }
  // Writes what is said as far as the peer takes it.
  bool wrote() {
    boost::system::error_code error;
    if (!out_.empty()) out_.erase(0, socket_.write_some(boost::asio::buffer(out_), error));
    return out_.empty();
  }
  // False at the end of the connection.
  bool read() {
    boost::system::error_code error;
    const std::size_t size = socket_.read_some(boost::asio::buffer(buffer_), error);
    if (error && error != boost::asio::error::would_block) return false;
    std::string out;
    const auto fed = channel_.feed({buffer_.data(), size}, out, [this](std::string_view payload) {
      heard.emplace_back(payload);
      return Result<void>();
    });
    EXPECT_TRUE(fed) << fed.error().text;
    out_ += out;
    wrote();
    return true;
  }
  std::vector<std::string> heard;

 private:
  tcp::socket socket_;
  ClusterChannel channel_;
  std::string out_;
  std::array<char, 65536> buffer_{};
};

TEST_F(LimLinks, TwoLimsTalkAndEachKnowsTheOtherForADaemon) {
  Side server(loop, key);
  Side other(loop, key);
  const io::LinkId dialled = other.links.dial("127.0.0.1", listen(server));
  wait_until([&] { return other.opened.count(dialled) == 1 && server.opened.size() == 1; },
             "both ends to open");
  const auto& [accepted, peer] = *server.opened.begin();
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
  EXPECT_TRUE(other.ended.empty()) << "who closes is not told of it";
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

TEST_F(LimLinks, ByNameAsWell) {
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

TEST_F(LimLinks, AHostNobodyKnowsIsSilence) {
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

TEST_F(LimLinks, WhoSaysNothingOrGarbageIsClosedAndNamedOnce) {
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

TEST_F(LimLinks, TheUnprovedAreLimitedAndALimComesThrough) {
  Side server(loop, key, {.time_to_prove = milliseconds(400), .strangers = 8});
  const auto port = listen(server);
  std::vector<tcp::socket> idle;
  for (int i = 0; i < 40; ++i) idle.push_back(connect(port));
  Side other(loop, key, {.time_to_prove = std::chrono::seconds(15)});
  const io::LinkId dialled = other.links.dial("127.0.0.1", port);
  wait_until([&] { return other.opened.count(dialled) == 1; }, "a LIM to come through 40 idle connections");
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

TEST_F(LimLinks, AnAnswerOfManyPartsIsMadeAsTheClientReads) {
  Side server(loop, key);
  constexpr int kParts = 60;
  int made = 0;
  server.on_message = [&](io::LinkId id, std::string_view) {
    server.links.answer(id, [&made]() -> std::optional<std::string> {
      if (made == kParts) return std::nullopt;
      return std::to_string(made++) + std::string(200'000, '.');
    });
  };
  Client client(connect(listen(server)), ClusterChannel::dial_as_anyone(key.public_half, io::random_seed()));
  wait_until([&] { return client.open() && !server.opened.empty(); }, "the link");
  EXPECT_EQ(server.opened.begin()->second.caller, Caller::anyone);
  client.say("all");
  client.say("again");
  wait_until([&] { return client.wrote() && made > 0; }, "the answer to begin");
  for (int turn = 0; turn < 50; ++turn) loop.poll();
  EXPECT_LT(made, kParts) << "12 MB were made for a client that has read nothing";
  EXPECT_EQ(server.heard.size(), 1U) << "what else it asks waits";
  wait_until([&] { return client.read() && client.heard.size() >= kParts; }, "all of it");
  for (int i = 0; i < kParts; ++i) EXPECT_EQ(std::stoi(client.heard[static_cast<std::size_t>(i)]), i);
  wait_until([&] { return server.heard.size() == 2; }, "the second request");
}

TEST_F(LimLinks, ALongAnswerIsMadeBetweenOtherRequests) {
  Side server(loop, key);
  constexpr int kParts = 50;
  int made = 0, made_when_short_was_heard = -1;
  server.on_message = [&](io::LinkId id, std::string_view payload) {
    if (payload == "short") {
      made_when_short_was_heard = made;
      return server.links.answer(id, [sent = false]() mutable -> std::optional<std::string> {
        return std::exchange(sent, true) ? std::nullopt : std::optional<std::string>("short answer");
      });
    }
    server.links.answer(id, [&made]() -> std::optional<std::string> {
      if (made == kParts) return std::nullopt;
      // As long as the loop gives to answers in one lap.
      const auto until = std::chrono::steady_clock::now() + milliseconds(2);
      while (std::chrono::steady_clock::now() < until) continue;
      return std::to_string(made++);
    });
  };
  const auto port = listen(server);
  Client lister(connect(port), ClusterChannel::dial_as_anyone(key.public_half, io::random_seed()));
  Client other(connect(port), ClusterChannel::dial_as_anyone(key.public_half, io::random_seed()));
  wait_until([&] { return lister.open() && other.open() && server.opened.size() == 2; }, "both clients");
  lister.say("long");
  other.say("short");
  wait_until([&] { return lister.wrote() && other.wrote() && other.read() && !other.heard.empty(); },
             "the short answer");
  EXPECT_GE(made_when_short_was_heard, 0);
  EXPECT_LT(made, kParts) << "the short request waited for the whole of the long answer";
  wait_until([&] { return lister.read() && lister.heard.size() == kParts; }, "the long answer");
  for (int i = 0; i < kParts; ++i) EXPECT_EQ(std::stoi(lister.heard[static_cast<std::size_t>(i)]), i);
}

TEST_F(LimLinks, ALongAnswerWaitsForATurnThatSomebodyElseWaitsFor) {
  Side server(loop, key);
  int made = 0, made_at_promise = -1, made_at_reply = -1;
  std::chrono::steady_clock::time_point promised;
  std::chrono::steady_clock::duration took{};
  std::function<void(io::LinkId, int)> turn = [&](io::LinkId id, int laps) {
    if (laps > 0) return boost::asio::post(loop, [&turn, id, laps] { turn(id, laps - 1); });
    made_at_reply = made;
    took = std::chrono::steady_clock::now() - promised;
    server.links.send(id, "done");
  };
  server.on_message = [&](io::LinkId id, std::string_view payload) {
    if (payload == "turn") {
      server.links.promise(id);
      made_at_promise = made;
      promised = std::chrono::steady_clock::now();
      return turn(id, 20);
    }
    server.links.answer(id, [&made]() -> std::optional<std::string> {
      const auto until = std::chrono::steady_clock::now() + milliseconds(2);
      while (std::chrono::steady_clock::now() < until) continue;
      return std::to_string(made++);
    });
  };
  const auto port = listen(server);
  Client lister(connect(port), ClusterChannel::dial_as_anyone(key.public_half, io::random_seed()));
  Client other(connect(port), ClusterChannel::dial_as_anyone(key.public_half, io::random_seed()));
  wait_until([&] { return lister.open() && other.open() && server.opened.size() == 2; }, "both clients");
  lister.say("long");
  wait_until([&] { return lister.wrote() && lister.read() && made > 3; }, "the long answer to go on");
  other.say("turn");
  wait_until([&] { return other.wrote() && lister.read() && other.read() && !other.heard.empty(); },
             "the turn");
  // Slices are 10 ms apart then, however long the turn takes on this machine; else each lap would have one.
  EXPECT_LE(made_at_reply - made_at_promise, 1 + took / milliseconds(10));
  const int then = made;
  wait_until([&] { return lister.read() && made > then + 3; }, "the long answer to go on after the turn");
}

TEST_F(LimLinks, AnAnswerThatHasNothingEndsAtOnce) {
  Side server(loop, key);
  server.on_message = [&](io::LinkId id, std::string_view) {
    server.links.answer(id, [] { return std::nullopt; });
  };
  Client client(connect(listen(server)), ClusterChannel::dial_as_anyone(key.public_half, io::random_seed()));
  wait_until([&] { return client.open() && !server.opened.empty(); }, "the link");
  client.say("one");
  client.say("two");
  wait_until([&] { return client.wrote() && server.heard.size() == 2; }, "both requests");
}

TEST_F(LimLinks, APromisedAnswerComesBeforeTheNextRequestIsRead) {
  Side server(loop, key);
  std::vector<io::LinkId> promised;
  server.on_message = [&](io::LinkId id, std::string_view) {
    server.links.promise(id);
    promised.push_back(id);
  };
  Client client(connect(listen(server)), ClusterChannel::dial_as_anyone(key.public_half, io::random_seed()));
  wait_until([&] { return client.open() && !server.opened.empty(); }, "the link");
  for (const char* request : {"one", "two", "three"}) client.say(request);
  wait_until([&] { return client.wrote() && !promised.empty(); }, "the first request");
  for (int turn = 0; turn < 50; ++turn) loop.poll();
  EXPECT_EQ(server.heard, std::vector<std::string>{"one"});
  server.links.send(promised[0], "first");
  wait_until([&] { return promised.size() == 2; }, "the second request");
  server.links.answer(promised[1], [parts = 2]() mutable -> std::optional<std::string> {
    return parts-- > 0 ? std::optional<std::string>("second") : std::nullopt;
  });
  wait_until([&] { return promised.size() == 3 && client.read() && client.heard.size() == 3; }, "the third");
  EXPECT_EQ(client.heard, (std::vector<std::string>{"first", "second", "second"}));
  server.links.close_when_sent(promised[2]);
  server.links.send(promised[2], "last");
  wait_until([&] { return !client.read(); }, "the end of the connection");
  EXPECT_EQ(client.heard.back(), "last");
}

TEST_F(LimLinks, AClientThatNeverReadsIsCutInTheEnd) {
  Side server(loop, key, {.stall = milliseconds(300)});
  server.on_message = [&](io::LinkId id, std::string_view) {
    server.links.answer(id, [] { return std::optional<std::string>(std::string(200'000, '.')); });
  };
  Client client(connect(listen(server)), ClusterChannel::dial_as_owner(key, io::random_seed()));
  wait_until([&] { return client.open() && !server.opened.empty(); }, "the link");
  EXPECT_EQ(server.opened.begin()->second.caller, Caller::owner);
  client.say("all");
  wait_until([&] { return client.wrote() && server.ended.size() == 1; }, "its end");
  EXPECT_EQ(server.ended.begin()->second, io::LinkEnd::offended);
}

TEST_F(LimLinks, WhoIsClosedForTheEndOfAnotherIsNotToldOf) {
  Side server(loop, key, {.stall = milliseconds(300)});
  server.on_message = [&](io::LinkId id, std::string_view) {
    server.links.answer(id, [] { return std::optional<std::string>(std::string(200'000, '.')); });
  };
  server.on_ended = [&](io::LinkId) {
    for (const auto& [id, peer] : server.opened) server.links.close(id);
  };
  const auto port = listen(server);
  Client one(connect(port), ClusterChannel::dial_as_owner(key, io::random_seed()));
  Client other(connect(port), ClusterChannel::dial_as_owner(key, io::random_seed()));
  wait_until([&] { return one.open() && other.open() && server.opened.size() == 2; }, "both links");
  one.say("all");
  other.say("all");
  wait_until([&] { return one.wrote() && other.wrote() && server.links.open_links() == 0; }, "their ends");
  EXPECT_EQ(server.ended.size(), 1U) << "neither reads: the first that was found took the other along";
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

TEST_F(LimLinks, TheLastWordIsSentBeforeTheLinkIsClosed) {
  Side server(loop, key);
  const auto port = listen(server);
  server.on_message = [&](io::LinkId id, std::string_view) {
    server.links.send(id, std::string(900'000, 'w'));
    server.links.close_when_sent(id);
  };
  Client client(connect(port), ClusterChannel::dial_as_owner(key, io::random_seed()));
  wait_until([&] { return client.open() && !server.opened.empty(); }, "the link");
  client.say("end");
  wait_until([&] { return client.wrote() && !client.read(); }, "the end of the connection");
  ASSERT_EQ(client.heard.size(), 1U);
  EXPECT_EQ(client.heard[0].size(), 900'000U);
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

TEST_F(LimLinks, APortInUseIsOneLine) {
  Side server(loop, key);
  const auto port = listen(server);
  Side second(loop, key);
  const auto result = second.links.listen(port);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().text,
            "cannot listen on port " + std::to_string(port) + ": Address already in use");
}

// Holders as a test says them: by the address of the socket at the other end. 127.0.0.2 is one user's, and so on.
ConnectionHolder by_address(int socket) {
  sockaddr_in6 name{};
  socklen_t size = sizeof name;
  getpeername(socket, reinterpret_cast<sockaddr*>(&name), &size);
  return {"10.0.0." + std::to_string(static_cast<int>(name.sin6_addr.s6_addr[15])), false};
}

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
  Side server(loop, key, {.idle = milliseconds(300)}, by_address);
  answer_everything(server);
  const auto client = anyone(2, listen(server));
  wait_until([&] { return client->open() && server.opened.size() == 1; }, "the link");
  ask(*client);
  wait_until([&] { return !client->read(); }, "its end");
}

TEST_F(LimLinksOfStrangers, IdentifiedClientsAndPromisedAnswersAreNotIdle) {
  Side server(loop, key, {.idle = milliseconds(200)}, by_address);
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
  // All from one address, and more than its share: whoever lost its place dials again.
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

}  // namespace
}  // namespace rollcall::lim
