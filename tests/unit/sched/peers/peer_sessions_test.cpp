// Connections with masters of other clusters: who dials when, which connection stays, who is refused.
#include "sched/policy/peers/peer_sessions.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <set>

namespace rollcall::sched::peers {
namespace {

using std::chrono::seconds;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

wire::PeerRow row(const std::string& cluster, std::uint64_t term = 1) {
  wire::PeerRow row;
  row.set_store((cluster + std::string(kIdentityBytes, '.')).substr(0, kIdentityBytes));
  row.set_term(term);
  row.set_run((std::to_string(term) + std::string(kIdentityBytes, 'r')).substr(0, kIdentityBytes));
  return row;
}

template <class T>
std::vector<T> all(const Steps& steps) {
  std::vector<T> found;
  for (const auto& one : steps)
    if (const auto* is = std::get_if<T>(&one)) found.push_back(*is);
  return found;
}

wire::PeerMessage greeting(const std::string& cluster, std::uint64_t term = 1) {
  wire::PeerMessage message;
  message.set_number(1);
  *message.mutable_hello() = hello_of({cluster, row(cluster, term), "1.0"});
  return message;
}

conf::PeerSettings settings(std::vector<conf::PeerCluster> clusters) {
  return {"/keys", std::move(clusters)};
}

// "west" with the peer "east", which has two addresses.
class Sessions : public testing::Test {
 protected:
  void SetUp() override { sessions.configure(east_alone, {"east"}, at(0)); }
  static TimePoint at(int s) { return {seconds(s)}; }
  Steps hear(LinkNumber link, const wire::PeerMessage& message, int s = 0) {
    auto steps = sessions.message(link, message, at(s));
    EXPECT_TRUE(steps) << steps.error().text;
    return steps ? *steps : Steps{};
  }
  Steps connect(LinkNumber link, bool dialled = false, int s = 0, std::uint64_t term = 1) {
    sessions.opened(link, "east", dialled, at(s));
    return hear(link, greeting("east", term), s);
  }
  PeerStanding standing() const { return sessions.standings().front(); }

  const conf::PeerSettings east_alone = settings({{"east", {{"e1", 6881}, {"e2", 7000}}}});
  PeerSessions sessions{{"west", row("west"), "1.0"}};
};

TEST_F(Sessions, DialsEachAddressInTurnWithLongerPauses) {
  std::vector<std::string> hosts;
  std::vector<int> times;
  for (int s = 0; s < 70; ++s)
    for (const auto& dial : all<step::Dial>(sessions.tick(at(s)))) {
      hosts.push_back(dial.address.host);
      times.push_back(s);
      sessions.ended(100 + s, "east", "refused", false, at(s));
    }
  EXPECT_THAT(times, ElementsAre(0, 1, 3, 7, 15, 31, 61));
  EXPECT_THAT(hosts, ElementsAre("e1", "e2", "e1", "e2", "e1", "e2", "e1"));
  EXPECT_EQ(standing().why, "refused");
}

std::vector<std::string> lines(const Steps& steps) {
  std::vector<std::string> lines;
  for (const auto& tell : all<step::Tell>(steps)) lines.push_back(tell.line);
  return lines;
}

TEST_F(Sessions, TellThatAPeerTakesNoCallOfOurs) {
  sessions.tick(at(0));
  const auto steps = sessions.ended(1, "east", "End of file", true, at(0));
  ASSERT_EQ(lines(steps).size(), 1U);
  EXPECT_THAT(lines(steps)[0], HasSubstr("cluster east is not reached: it does not take our call: it has no "
                                         "key for cluster west, or another one"));
  EXPECT_EQ(standing().state, PeerState::refused);
  EXPECT_THAT(standing().why, HasSubstr("ROLLCALL_PEER_KEYS"));
  EXPECT_THAT(all<step::Dial>(sessions.tick(at(1))), testing::SizeIs(1)) << "it may only have been ending";
  sessions.ended(2, "east", "Connection refused", false, at(1));
  EXPECT_EQ(standing().state, PeerState::apart);
}

TEST_F(Sessions, LogEachReasonOnceUntilThePeerServes) {
  const auto fails = [&](const char* why) { return lines(sessions.ended(9, "east", why, false, at(0))); };
  EXPECT_THAT(fails("Connection refused"), ElementsAre("cluster east is not reached: Connection refused"));
  EXPECT_THAT(fails("No route to host"), ElementsAre("cluster east is not reached: No route to host"));
  EXPECT_THAT(fails("Connection refused"), IsEmpty());
  connect(1);
  sessions.ended(1, "east", "End of file", false, at(1));
  EXPECT_THAT(fails("Connection refused"), ElementsAre("cluster east is not reached: Connection refused"));
  for (int i = 0; i < 100; ++i) fails(std::to_string(i).c_str());
  EXPECT_THAT(fails("another one"), IsEmpty()) << "a peer fills no log";
}

TEST_F(Sessions, TellOnceThatThereIsNoKey) {
  const auto both = settings({{"east", {{"e1", 6881}}}, {"north", {}}});
  EXPECT_THAT(
      lines(sessions.configure(both, {"east"}, at(0))),
      ElementsAre(HasSubstr("no key for cluster north, so it is not connected: lsf_daemons peerkey north")));
  EXPECT_THAT(lines(sessions.configure(both, {"east"}, at(1))), IsEmpty());
}

TEST_F(Sessions, TellOnceThatNoFileNamesAnAddress) {
  const char* const kWhy = "lsf.shared names no Servers of it, and ROLLCALL_PEERS has no address";
  const auto unnamed = settings({{"east", {}}});
  sessions.configure(settings({}), {}, at(0));
  EXPECT_THAT(lines(sessions.configure(unnamed, {"east"}, at(0))),
              ElementsAre(std::string("cluster east is not reached: ") + kWhy));
  EXPECT_THAT(lines(sessions.configure(unnamed, {"east"}, at(1))), IsEmpty());
  EXPECT_EQ(standing().state, PeerState::apart);
  EXPECT_EQ(standing().why, kWhy);
  connect(1);
  EXPECT_EQ(standing().why, "") << "it may call us";
  sessions.ended(1, "east", "End of file", false, at(2));
  EXPECT_EQ(standing().why, "End of file");
}

// ROLLCALL_PEERS=east=none
TEST_F(Sessions, TellNothingOfAPeerThatIsNeverDialled) {
  EXPECT_THAT(lines(sessions.configure(settings({{"east", {}, true}}), {"east"}, at(0))), IsEmpty());
  EXPECT_EQ(standing().why, "");
}

// The peer shows it: bclusters there says reject, and why.
TEST_F(Sessions, TellACallerThatIsNoPeerWhy) {
  const auto steps = sessions.opened(5, "moon", false, at(0));
  const auto said = all<step::Say>(steps);
  ASSERT_EQ(said.size(), 1U);
  EXPECT_EQ(said[0].message.refused().why(),
            "cluster moon is not in lsf.shared of cluster west, or left out of its RemoteClusters");
  ASSERT_EQ(all<step::Close>(steps).size(), 1U);
  EXPECT_TRUE(all<step::Close>(steps)[0].when_sent);
}

// A peer of an earlier release: the order that it does not know is named by its number.
TEST_F(Sessions, TellWhichOrderThePeerDoesNotKnow) {
  connect(1);
  wire::PeerMessage offer, figures;
  offer.mutable_offer()->mutable_attempt()->mutable_key()->set_id(7);
  offer.mutable_offer()->mutable_attempt()->set_attempt(3);
  figures.mutable_figures();
  const auto first = sessions.say("east", offer)->message.number();
  const auto second = sessions.say("east", figures)->message.number();
  wire::PeerMessage unsupported;
  unsupported.mutable_unsupported()->set_number(first);
  const auto untaken = all<step::Untaken>(hear(1, unsupported));
  ASSERT_EQ(untaken.size(), 1U);
  EXPECT_EQ(untaken[0].cluster, "east");
  EXPECT_EQ(untaken[0].kind, wire::PeerMessage::kOffer);
  EXPECT_EQ(untaken[0].attempt.key().id(), 7);
  EXPECT_EQ(untaken[0].attempt.attempt(), 3U);
  unsupported.mutable_unsupported()->set_number(second);
  EXPECT_EQ(all<step::Tell>(hear(1, unsupported)).size(), 1U) << "of other messages the log is told once";
  EXPECT_THAT(hear(1, unsupported), IsEmpty());
}

TEST_F(Sessions, DialsNobodyWithoutKeyOrAddressOrWhileConnected) {
  sessions.configure(east_alone, {}, at(0));
  EXPECT_THAT(all<step::Dial>(sessions.tick(at(1))), IsEmpty());
  EXPECT_EQ(standing().state, PeerState::no_key);
  sessions.configure(settings({{"east", {}}}), {"east"}, at(0));
  EXPECT_THAT(all<step::Dial>(sessions.tick(at(1))), IsEmpty());
  sessions.configure(east_alone, {"east"}, at(0));
  connect(1);
  EXPECT_THAT(all<step::Dial>(sessions.tick(at(5))), IsEmpty());
}

TEST_F(Sessions, AreServedAfterBothHaveSaidHello) {
  const auto opened = sessions.opened(1, "east", false, at(0));
  ASSERT_EQ(all<step::Say>(opened).size(), 1U);
  EXPECT_EQ(all<step::Say>(opened)[0].message.hello().cluster(), "west");
  EXPECT_EQ(standing().state, PeerState::apart);
  const auto heard = hear(1, greeting("east", 5));
  ASSERT_EQ(all<step::Remember>(heard).size(), 1U) << "before it serves";
  EXPECT_EQ(all<step::Remember>(heard)[0].row->term(), 5U);
  EXPECT_EQ(all<step::Serves>(heard).size(), 1U);
  EXPECT_EQ(standing().state, PeerState::serves);
  EXPECT_EQ(standing().term, 5U);
}

TEST_F(Sessions, RememberNothingTwice) {
  connect(1);
  sessions.ended(1, "east", "cut", false, at(1));
  EXPECT_THAT(all<step::Remember>(connect(2, false, 2)), IsEmpty());
}

TEST_F(Sessions, WithAnotherStoreAreRefusedUntilForgotten) {
  sessions.known("north", row("north", 9));
  const auto both = settings({{"east", {}}, {"north", {{"n1", 1}}}});
  sessions.configure(both, {"east", "north"}, at(0));
  sessions.opened(1, "north", false, at(0));
  const auto steps = hear(1, greeting("north", 3));
  ASSERT_EQ(all<step::Say>(steps).size(), 1U);
  EXPECT_THAT(all<step::Say>(steps)[0].message.refused().why(), HasSubstr("older state"));
  ASSERT_EQ(all<step::Close>(steps).size(), 1U);
  EXPECT_TRUE(all<step::Close>(steps)[0].when_sent);
  EXPECT_EQ(sessions.standings()[1].state, PeerState::refused);
  const auto [forgotten, there] = sessions.forget("north", at(1));
  EXPECT_TRUE(there);
  EXPECT_FALSE(all<step::Remember>(forgotten).at(0).row);
  sessions.opened(2, "north", false, at(1));
  EXPECT_EQ(all<step::Serves>(hear(2, greeting("north", 3))).size(), 1U);
  EXPECT_FALSE(sessions.forget("nobody", at(1)).second);
}

// badmin showstatus has a line for it: its jobs may still be here.
TEST_F(Sessions, OfAClusterThatTheFilesDropStandAsLeftOut) {
  connect(1);
  sessions.configure(settings({}), {"east"}, at(1));
  ASSERT_EQ(sessions.standings().size(), 1U);
  EXPECT_EQ(standing().cluster, "east");
  EXPECT_EQ(standing().state, PeerState::left_out);
  sessions.forget("east", at(1));
  EXPECT_THAT(sessions.standings(), IsEmpty());
}

TEST_F(Sessions, ThatCannotBeRememberedDoNotServe) {
  sessions.opened(1, "east", false, at(0));
  hear(1, greeting("east", 5));
  const auto steps = sessions.not_remembered(1, "disk full", at(0));
  EXPECT_EQ(all<step::Close>(steps).size(), 1U);
  EXPECT_EQ(standing().state, PeerState::apart);
  EXPECT_EQ(all<step::Remember>(connect(2, false, 1, 5)).size(), 1U) << "it is tried again";
}

TEST_F(Sessions, ThatForgetTheirStoreWhileTheDiskIsFullStayRefused) {
  connect(1, false, 0, 5);
  sessions.ended(1, "east", "cut", false, at(1));
  sessions.opened(2, "east", false, at(2));
  hear(2, greeting("east", 6), 2);
  sessions.not_remembered(2, "disk full", at(2));
  sessions.opened(3, "east", false, at(3));
  EXPECT_EQ(all<step::Say>(hear(3, greeting("east", 4), 3))[0].message.what_case(),
            wire::PeerMessage::kRefused);
}

TEST_F(Sessions, SayWhatTheyDoNotKnowAndAnswerPings) {
  connect(1);
  wire::PeerMessage ping;
  ping.set_number(2);
  ping.mutable_ping();
  EXPECT_TRUE(all<step::Say>(hear(1, ping)).at(0).message.has_pong());
  wire::PeerMessage unknown;
  unknown.set_number(17);
  EXPECT_EQ(all<step::Say>(hear(1, unknown)).at(0).message.unsupported().number(), 17U);
}

TEST_F(Sessions, ThatSayAnythingBeforeHelloOrHelloTwiceEnd) {
  sessions.opened(1, "east", false, at(0));
  wire::PeerMessage ping;
  ping.mutable_ping();
  EXPECT_FALSE(sessions.message(1, ping, at(0)));
  connect(2);
  EXPECT_FALSE(sessions.message(2, greeting("east"), at(0)));
  sessions.opened(3, "east", false, at(0));
  EXPECT_FALSE(sessions.message(3, greeting("north"), at(0))) << "another cluster than its key's";
}

TEST_F(Sessions, ThatWeDialledWaitForTheHelloAndEndWithoutIt) {
  ASSERT_EQ(all<step::Dial>(sessions.tick(at(0))).size(), 1U);
  sessions.opened(7, "east", true, at(0));
  for (int s = 1; s < 30; ++s) EXPECT_THAT(sessions.tick(at(s)), IsEmpty()) << s;
  EXPECT_EQ(sessions.next_deadline(), at(30));
  const auto steps = sessions.tick(at(30));
  ASSERT_EQ(all<step::Close>(steps).size(), 1U);
  EXPECT_THAT(all<step::Tell>(steps).front().line, HasSubstr("does not say hello"));
  EXPECT_THAT(all<step::Dial>(sessions.tick(at(60))), testing::SizeIs(1));
}

TEST_F(Sessions, ThatCalledUsAndSayNothingAreClosed) {
  sessions.configure(settings({{"east", {}}}), {"east"}, at(0));
  for (LinkNumber link = 1; link <= 20; ++link) sessions.opened(link, "east", false, at(0));
  EXPECT_THAT(all<step::Close>(sessions.tick(at(29))), IsEmpty());
  EXPECT_EQ(all<step::Close>(sessions.tick(at(30))).size(), 20U);
}

TEST_F(Sessions, ThatCalledUsSayNothingOfOurDialWhenTheyEnd) {
  ASSERT_EQ(all<step::Dial>(sessions.tick(at(0))).size(), 1U);
  sessions.opened(1, "east", false, at(0));
  EXPECT_THAT(sessions.ended(1, "east", "closed", false, at(1)), IsEmpty());
  for (int s = 1; s < 20; ++s)
    EXPECT_THAT(all<step::Dial>(sessions.tick(at(s))), IsEmpty()) << "it is under way";
}

TEST_F(Sessions, ThatFallSilentCountAsGone) {
  connect(1);
  int pings = 0;
  std::vector<int> lost;
  for (int s = 1; s < 100 && lost.empty(); ++s) {
    const auto steps = sessions.tick(at(s));
    pings += static_cast<int>(all<step::Say>(steps).size());
    if (!all<step::Lost>(steps).empty()) lost.push_back(s);
  }
  EXPECT_EQ(pings, 3);
  EXPECT_THAT(lost, ElementsAre(40));
}

TEST_F(Sessions, OfAClusterThatIsNoPeerAnyMoreAreClosed) {
  connect(1);
  const auto steps = sessions.configure(settings({}), {}, at(1));
  EXPECT_EQ(all<step::Close>(steps).size(), 1U);
  EXPECT_EQ(all<step::Lost>(steps).size(), 1U);
  EXPECT_EQ(all<step::Close>(sessions.opened(2, "east", false, at(1))).size(), 1U)
      << "left out of RemoteClusters";
  sessions.configure(east_alone, {"east"}, at(2));
  sessions.opened(3, "east", false, at(2));
  EXPECT_THAT(all<step::Remember>(hear(3, greeting("east"))), IsEmpty()) << "it was known all the time";
}

TEST_F(Sessions, OfAPeerThatCallsTooOftenAreClosedUnheard) {
  int heard = 0, told = 0;
  for (LinkNumber link = 1; link <= 100; ++link) {
    const auto steps = sessions.opened(link, "east", false, at(1));
    heard += static_cast<int>(all<step::Say>(steps).size());
    told += static_cast<int>(all<step::Tell>(steps).size());
  }
  EXPECT_EQ(heard, 30);
  EXPECT_EQ(told, 1);
  EXPECT_EQ(all<step::Say>(sessions.opened(101, "east", false, at(62))).size(), 1U);
}

TEST_F(Sessions, RefusedByThePeerSayWhy) {
  sessions.tick(at(0));
  sessions.opened(1, "east", true, at(0));
  wire::PeerMessage refused;
  refused.mutable_refused()->set_why("an older state\n");
  hear(1, refused);
  EXPECT_EQ(standing().state, PeerState::refused);
  EXPECT_EQ(standing().why, "it refuses us: an older state?");
  EXPECT_THAT(all<step::Dial>(sessions.tick(at(29))), IsEmpty());
  EXPECT_EQ(all<step::Dial>(sessions.tick(at(30))).size(), 1U);
}

// Two real steppers over a network with any order of events: when it comes to rest, both keep the same connection.
TEST(PeerSessionsProperty, BothSidesKeepTheSameConnection) {
  for (unsigned seed = 0; seed < 2000; ++seed) {
    std::mt19937 random(seed);
    struct Side {
      PeerSessions sessions;
      std::string name, other;
      std::optional<LinkNumber> serves;
      std::set<LinkNumber> open;
    };
    Side sides[2] = {{PeerSessions({"west", row("west"), ""}), "west", "east", {}, {}},
                     {PeerSessions({"east", row("east"), ""}), "east", "west", {}, {}}};
    struct Event {
      int side;
      LinkNumber link;
      std::optional<wire::PeerMessage> message;  // none: the connection has ended
    };
    // By direction and link the order holds; among links any.
    std::map<std::pair<int, LinkNumber>, std::vector<Event>> wires;
    LinkNumber next = 1;
    const TimePoint now{};
    std::function<void(int, const Steps&)> carry_out;
    const auto open = [&](int dialler) {
      const LinkNumber link = next++;
      for (const int side : {dialler, 1 - dialler}) {
        sides[side].open.insert(link);
        carry_out(side, sides[side].sessions.opened(link, sides[side].other, side == dialler, now));
      }
    };
    carry_out = [&](int side, const Steps& steps) {
      for (const auto& one : steps) {
        if (const auto* say = std::get_if<step::Say>(&one))
          wires[{1 - side, say->link}].push_back({1 - side, say->link, say->message});
        if (const auto* close = std::get_if<step::Close>(&one)) {
          sides[side].open.erase(close->link);
          if (sides[side].serves == close->link) sides[side].serves.reset();
          wires[{1 - side, close->link}].push_back({1 - side, close->link, std::nullopt});
        }
        if (const auto* serves = std::get_if<step::Serves>(&one)) sides[side].serves = serves->link;
      }
    };
    for (auto& side : sides) side.sessions.configure(settings({{side.other, {{"h", 1}}}}), {side.other}, now);
    const int calls = 2 + static_cast<int>(random() % 3);
    for (int call = 0; call < calls || !wires.empty();) {
      if (call < calls && (wires.empty() || random() % 3 == 0)) {
        open(static_cast<int>(random() % 2));
        ++call;
        continue;
      }
      auto at = wires.begin();
      std::advance(at, random() % wires.size());
      const Event event = at->second.front();
      at->second.erase(at->second.begin());
      if (at->second.empty()) wires.erase(at);
      Side& side = sides[event.side];
      if (side.open.count(event.link) == 0) continue;
      if (event.message) {
        const auto steps = side.sessions.message(event.link, *event.message, now);
        ASSERT_TRUE(steps) << steps.error().text;
        carry_out(event.side, *steps);
      } else {
        side.open.erase(event.link);
        if (side.serves == event.link) side.serves.reset();
        carry_out(event.side, side.sessions.ended(event.link, side.other, "closed", false, now));
      }
    }
    ASSERT_TRUE(sides[0].serves) << "seed " << seed;
    ASSERT_EQ(sides[0].serves, sides[1].serves) << "seed " << seed;
    ASSERT_EQ(sides[0].open, std::set<LinkNumber>{*sides[0].serves}) << "seed " << seed;
    ASSERT_EQ(sides[1].open, sides[0].open) << "seed " << seed;
  }
}

TEST(PeerMessages, AreAtMostAFrame) {
  wire::PeerMessage message;
  message.mutable_offer()->mutable_asked()->set_script(std::string(900 * 1024, 'x'));
  EXPECT_EQ(too_large(message), std::nullopt);
  message.mutable_offer()->mutable_asked()->set_script(std::string(1024 * 1024, 'x'));
  EXPECT_THAT(too_large(message).value_or(""), testing::HasSubstr("expected at most 1048320"));
}

TEST_F(Sessions, OfAClusterThatServesHaveNothingToForget) {
  sessions.known("north", row("north", 9));
  EXPECT_EQ(sessions.why_not_forget("nobody"), "no cluster nobody is known here");
  EXPECT_EQ(sessions.why_not_forget("north"), "");
  connect(1);
  EXPECT_EQ(sessions.why_not_forget("east"),
            "cluster east is connected: its store is taken as it is already");
  sessions.ended(1, "east", "", false, at(1));
  EXPECT_EQ(sessions.why_not_forget("east"), "");
}

}  // namespace
}  // namespace rollcall::sched::peers
