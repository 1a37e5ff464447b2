// A conversation that begins with a ticket: which calls are accepted, that none is accepted twice, and attacks on the wire.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "tests/io/common/cluster_ends.hpp"

namespace rollcall::io {
namespace {

using test::an_acceptor;
using test::bytes_of;
using test::Caller;
using test::ClusterEnd;
using test::frame;
using testing::ElementsAre;
using testing::IsEmpty;

const std::string kNo = frame(std::string(1, '\0'));

Ticket a_ticket(std::uint8_t id = 7, std::uint8_t secret = 9) {
  Ticket ticket;
  ticket.id.fill(id);
  ticket.secret = bytes_of(secret);
  return ticket;
}

// Knows tickets by heart, and every nonce.
struct Desk : TicketDesk {
  std::vector<Ticket> tickets{a_ticket()};
  std::set<std::pair<TicketId, cluster::Bytes32>> spent;
  std::string address = "10.0.0.1";
  int asked_to_spend = 0;

  std::optional<cluster::Bytes32> secret(const TicketId& id, const std::string& from) override {
    for (const auto& ticket : tickets)
      if (ticket.id == id && from == address) return ticket.secret;
    return std::nullopt;
  }
  bool spend(const TicketId& id, const cluster::Bytes32& nonce) override {
    ++asked_to_spend;
    return spent.emplace(id, nonce).second;
  }
};

ClusterEnd with_ticket(const Ticket& ticket = a_ticket(), std::uint8_t seed = 0x22) {
  return ClusterEnd(ClusterChannel::dial_with_ticket(ticket, bytes_of(seed)));
}
ClusterEnd honouring(Desk& desk, std::uint8_t seed = 0x33, const std::string& from = "10.0.0.1") {
  ClusterEnd end = an_acceptor(test::cluster_key(), seed);
  end.channel.honour_tickets(desk, from);
  return end;
}

std::string flight_of(ClusterEnd& client, std::string_view request = "request") {
  std::string bytes = client.channel.start();
  return bytes += client.channel.seal(request);
}

TEST(TicketChannel, OpensWithTheRequestInTheFirstFlight) {
  Desk desk;
  ClusterEnd client = with_ticket(), daemon = honouring(desk);
  EXPECT_EQ(client.channel.most(), 0u);
  std::string flight = client.channel.start();
  EXPECT_EQ(client.channel.most(), (1u << 16) - 17);
  EXPECT_FALSE(client.channel.open());
  flight += client.channel.seal("request");
  EXPECT_EQ(daemon.answer(flight), "") << "the answer leaves with the first reply, in one packet";
  EXPECT_THAT(daemon.payloads, ElementsAre("request"));
  ASSERT_TRUE(daemon.channel.open());
  EXPECT_EQ(daemon.channel.caller(), Caller::ticket);
  EXPECT_EQ(daemon.channel.ticket(), a_ticket().id);
  client.answer(daemon.channel.seal("reply"));
  ASSERT_TRUE(client.channel.open());
  EXPECT_THAT(client.payloads, ElementsAre("reply"));
  EXPECT_EQ(client.channel.hash(), daemon.channel.hash());
  daemon.answer(client.channel.seal("more"));
  client.answer(daemon.channel.seal(std::string(wire::kFrameLimit - 17, 'x')));
  EXPECT_THAT(daemon.payloads, ElementsAre("request", "more"));
  EXPECT_EQ(client.payloads.size(), 2u);
}

// Computed by a program written from docs/protocol.md alone.
TEST(TicketChannel, SaysByteForByteWhatTheProtocolSays) {
  const auto hex = [](std::string_view bytes) {
    std::string text(2 * bytes.size() + 1, '\0');
    sodium_bin2hex(text.data(), text.size(), cluster::octets(bytes), bytes.size());
    text.pop_back();
    return text;
  };
  Desk desk;
  ClusterEnd client = with_ticket(), daemon = honouring(desk);
  const std::string flight = flight_of(client);
  EXPECT_EQ(hex(flight),
            "0000003201030707070707070707070707070707070722222222222222222222222222222222222222222222222222"
            "22222222222222000000180dbdd25bb0661ac8e808551476341f0fbadd9b799c64bbb6");
  daemon.answer(flight);
  EXPECT_EQ(hex(daemon.channel.seal("reply")),
            "0000004059eab6d5f0ac0897b372438663c4da422445869a9df9ccba705fef6430c805c02813d6896a8f3a75fbc528"
            "c6cf1fd2ea7854bddb5362ebdedfae2dc64a645b73000000169c4e93721094728202569fcc568130789d372f40b749");
}

TEST(TicketChannel, AFlightMayComeByteForByte) {
  Desk desk;
  ClusterEnd client = with_ticket(), daemon = honouring(desk);
  const std::string flight = flight_of(client);
  for (const char byte : flight) daemon.answer({&byte, 1});
  for (const char byte : daemon.channel.seal("reply")) client.answer({&byte, 1});
  EXPECT_THAT(daemon.payloads, ElementsAre("request"));
  EXPECT_THAT(client.payloads, ElementsAre("reply"));
}

TEST(TicketChannel, RepeatedFlightIsRefused) {
  Desk desk;
  ClusterEnd client = with_ticket(), daemon = honouring(desk), again = honouring(desk, 0x34);
  std::string flight = flight_of(client);
  flight += client.channel.seal("more");
  daemon.answer(flight);
  EXPECT_EQ(again.answer(flight), kNo);
  EXPECT_THAT(again.payloads, IsEmpty());
  EXPECT_FALSE(again.channel.open());
  EXPECT_TRUE(again.channel.turned_away());
  EXPECT_EQ(again.answer(flight), "") << "and no further byte";
  EXPECT_THAT(again.payloads, IsEmpty());
  EXPECT_EQ(again.channel.most(), 0u);
}

TEST(TicketChannel, UnknownTicketIsRefusedAndTheClientIsTold) {
  Desk desk;
  for (auto* const end : {"unknown", "elsewhere", "none"}) {
    if (end == std::string("none")) desk.tickets.clear();
    ClusterEnd client = with_ticket(end == std::string("unknown") ? a_ticket(8) : a_ticket());
    ClusterEnd daemon = honouring(desk, 0x33, end == std::string("elsewhere") ? "10.0.0.2" : "10.0.0.1");
    const std::string said = daemon.answer(flight_of(client, std::string(60'000, 'x')));
    EXPECT_EQ(said, kNo) << end;
    EXPECT_THAT(daemon.payloads, IsEmpty());
    EXPECT_EQ(client.refusal(said), "the daemon does not take our ticket");
    EXPECT_TRUE(client.channel.turned_away());
    EXPECT_EQ(client.channel.seal("x"), "");
    EXPECT_NE(client.refusal(said), "") << "an error is final";
  }
}

TEST(TicketChannel, IgnoresDataThatFollowsARefusedCall) {
  Desk desk;
  ClusterEnd client = with_ticket(a_ticket(8)), daemon = honouring(desk);
  const std::string too_long_a_frame = "\xff" + std::string(60, 'x');
  EXPECT_EQ(daemon.answer(client.channel.start() + too_long_a_frame), kNo);
  EXPECT_TRUE(daemon.channel.turned_away());
  EXPECT_EQ(daemon.answer(too_long_a_frame), "");
  EXPECT_THAT(daemon.payloads, IsEmpty());
}

TEST(TicketChannel, IdWithoutItsSecretIsRefusedAndUsesNoNonce) {
  Desk desk;
  ClusterEnd thief = with_ticket(a_ticket(7, 10)), daemon = honouring(desk);
  EXPECT_NE(daemon.refusal(flight_of(thief)), "");
  EXPECT_THAT(daemon.payloads, IsEmpty());
  EXPECT_FALSE(daemon.channel.open());
  EXPECT_EQ(desk.asked_to_spend, 0);
}

// A's ticket with a record that B sealed under his own.
TEST(TicketChannel, ARecordIsOfItsTicketAndItsCallAlone) {
  Desk desk;
  desk.tickets.push_back(a_ticket(8, 8));
  ClusterEnd ada = with_ticket(), ben = with_ticket(a_ticket(8, 8)),
             ada_again = with_ticket(a_ticket(), 0x23);
  const std::string call = ada.channel.start();
  ben.channel.start();
  ada_again.channel.start();
  EXPECT_NE(honouring(desk).refusal(call + ben.channel.seal("request")), "");
  EXPECT_NE(honouring(desk).refusal(call + ada_again.channel.seal("request")), "");
  EXPECT_EQ(desk.asked_to_spend, 0);
}

TEST(TicketChannel, RejectsARequestWithAnyChangedByte) {
  Desk desk;
  ClusterEnd client = with_ticket();
  const std::string flight = flight_of(client);
  for (std::size_t i = 0; i < flight.size(); ++i)
    for (const int change : {1, 0x80}) {
      std::string changed = flight;
      changed[i] = static_cast<char>(changed[i] ^ change);
      ClusterEnd daemon = honouring(desk);
      static_cast<void>(daemon.feed(changed));
      EXPECT_THAT(daemon.payloads, IsEmpty()) << "byte " << i;
      EXPECT_FALSE(daemon.channel.open()) << "byte " << i;
    }
  EXPECT_EQ(desk.asked_to_spend, 0);
}

TEST(TicketChannel, RejectsAnAnswerWithAnyChangedByte) {
  Desk desk;
  const auto reply_to = [&](ClusterEnd& client) {
    desk.spent.clear();
    ClusterEnd daemon = honouring(desk);
    daemon.answer(flight_of(client));
    return daemon.channel.seal("reply");
  };
  ClusterEnd first = with_ticket();
  const std::size_t size = reply_to(first).size();
  for (std::size_t i = 0; i < size; ++i) {
    ClusterEnd client = with_ticket();
    std::string reply = reply_to(client);
    reply[i] = static_cast<char>(reply[i] ^ 1);
    static_cast<void>(client.feed(reply));
    EXPECT_THAT(client.payloads, IsEmpty()) << "byte " << i;
  }
}

TEST(TicketChannel, OnlyTheGiverOfTheTicketCanAnswer) {
  Desk other;
  other.tickets = {a_ticket(7, 10)};
  ClusterEnd client = with_ticket(), their_client = with_ticket(a_ticket(7, 10)), impostor = honouring(other);
  client.channel.start();
  impostor.answer(flight_of(their_client));
  EXPECT_EQ(client.refusal(impostor.channel.seal("reply")), "what answers did not give us our ticket");
  EXPECT_THAT(client.payloads, IsEmpty());
}

TEST(TicketChannel, AMirrorIsNoDaemon) {
  ClusterEnd client = with_ticket();
  const std::string flight = flight_of(client);
  EXPECT_NE(client.refusal(flight), "");
  EXPECT_THAT(client.payloads, IsEmpty());
}

// The same answer again, to another call: its half is new, but the call is in the keys as well.
TEST(TicketChannel, AnAnswerIsOfItsCallAlone) {
  Desk desk;
  ClusterEnd client = with_ticket(), later = with_ticket(a_ticket(), 0x23), daemon = honouring(desk);
  daemon.answer(flight_of(client));
  later.channel.start();
  EXPECT_EQ(later.refusal(daemon.channel.seal("reply")), "what answers did not give us our ticket");
}

TEST(TicketChannel, TwoAnswersToOneCallHaveTwoKeys) {
  Desk desk;
  std::set<std::string> replies;
  for (const std::uint8_t seed : {0x33, 0x34}) {
    desk.spent.clear();
    ClusterEnd client = with_ticket(), daemon = honouring(desk, seed);
    daemon.answer(flight_of(client));
    replies.insert(daemon.channel.seal("reply").substr(4 + 64));
  }
  EXPECT_EQ(replies.size(), 2u);
}

TEST(TicketChannel, DaemonWithoutTicketsRefusesTheCall) {
  ClusterEnd client = with_ticket(), daemon = an_acceptor();
  EXPECT_EQ(daemon.refusal(client.channel.start()), "a call of 50 bytes, expected 34");
}

TEST(TicketChannel, ClientsWithoutATicketConnectAsBefore) {
  Desk desk;
  for (const Caller who : test::kCallers) {
    ClusterEnd client = test::a_dialler(who), daemon = honouring(desk);
    daemon.answer(client.answer(daemon.answer(client.channel.start())));
    ASSERT_TRUE(daemon.channel.open());
    EXPECT_EQ(daemon.channel.caller(), who);
  }
  EXPECT_EQ(honouring(desk).refusal(std::string("\0\0\1\1", 4)), "a frame of 257 bytes, expected 1 to 256");
}

TEST(TicketChannel, TheFirstRecordIsNoLargerThanAnyonesMayBe) {
  Desk desk;
  ClusterEnd client = with_ticket(), daemon = honouring(desk);
  EXPECT_NE(daemon.refusal(client.channel.start() + std::string("\0\1\0\1", 4)), "");
}

}  // namespace
}  // namespace rollcall::io
