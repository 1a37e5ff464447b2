// Answers over a connection: in parts as the client reads, between other requests, and promised ones.
#include <boost/asio/post.hpp>
#include <new>
#include <optional>
#include <utility>

#include "tests/io/common/links_fixture.hpp"

namespace rollcall::lim {
namespace {

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
  EXPECT_LT(made, kParts) << "12 MB were made for a client that does not read";
  EXPECT_EQ(server.heard.size(), 1U) << "its next request waits";
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

TEST_F(LimLinks, ARequestThatArrivesDuringAPartIsReadBeforeTheNextPart) {
  Side server(loop, key);
  constexpr int kDuring = 5;
  int made = 0, made_when_heard = -1;
  std::function<void()> during;
  server.on_message = [&](io::LinkId id, std::string_view payload) {
    if (payload == "short") {
      made_when_heard = made;
      return server.links.send(id, "done");
    }
    server.links.answer(id, [&]() -> std::optional<std::string> {
      if (++made == kDuring) during();
      const auto until = std::chrono::steady_clock::now() + milliseconds(2);
      while (std::chrono::steady_clock::now() < until) continue;
      return std::to_string(made);
    });
  };
  const auto port = listen(server);
  Client lister(connect(port), ClusterChannel::dial_as_anyone(key.public_half, io::random_seed()));
  Client other(connect(port), ClusterChannel::dial_as_anyone(key.public_half, io::random_seed()));
  wait_until([&] { return lister.open() && other.open() && server.opened.size() == 2; }, "both clients");
  during = [&] {
    other.say("short");
    EXPECT_TRUE(other.wrote());
  };
  lister.say("long");
  wait_until([&] { return lister.wrote() && lister.read() && made_when_heard >= 0; }, "the short request");
  EXPECT_EQ(made_when_heard, kDuring);
}

TEST_F(LimLinks, LongAnswerWaitsForTheTurnOfAnotherClient) {
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

TEST_F(LimLinks, EmptyAnswerEndsAtOnce) {
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

TEST_F(LimLinks, AnswerWithoutMemoryEndsItsLinkAlone) {
  Side server(loop, key);
  server.on_message = [&](io::LinkId id, std::string_view payload) {
    server.links.answer(
        id, [large = payload == "large", sent = false]() mutable -> std::optional<std::string> {
          if (large) throw std::bad_alloc();
          return std::exchange(sent, true) ? std::nullopt : std::optional<std::string>("answer");
        });
  };
  const auto port = listen(server);
  Client poor(connect(port), ClusterChannel::dial_as_owner(key, io::random_seed()));
  Client other(connect(port), ClusterChannel::dial_as_owner(key, io::random_seed()));
  wait_until([&] { return poor.open() && other.open() && server.opened.size() == 2; }, "both links");
  poor.say("large");
  wait_until([&] { return poor.wrote() && !poor.read(); }, "the end of the one");
  other.say("small");
  wait_until([&] { return other.wrote() && other.read() && !other.heard.empty(); }, "the other's answer");
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

TEST_F(LimLinks, LinkClosedByTheHandlerOfAnotherIsNotReported) {
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

}  // namespace
}  // namespace rollcall::lim
