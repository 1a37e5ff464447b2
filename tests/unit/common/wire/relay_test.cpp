// TaskStarters joined to their pam: every row of the table in common/wire/relay.hpp.
#include "common/wire/relay.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rollcall::wire {
namespace {

using ::testing::ElementsAre;

std::string framed(std::string_view text) {
  std::string bytes;
  append_frame(bytes, text);
  return bytes;
}

// The relay, a pam at the other end of each connection, and what the starters were told.
class RelayTest : public ::testing::Test {
 protected:
  struct Pam {
    Channels channels{Channels::End::accepted};
    std::map<ChannelId, std::string> heard;
    std::vector<ChannelId> opened, ended;
  };

  void carry_out(const Relay::Effects& effects) {
    for (const auto& effect : effects) {
      if (const auto* e = std::get_if<relay::Dial>(&effect)) dialed.push_back(e->pam);
      if (const auto* e = std::get_if<relay::LetGo>(&effect)) let_go.push_back(e->starter);
      if (const auto* e = std::get_if<relay::HangUp>(&effect)) hung_up.push_back(e->pam);
      if (const auto* e = std::get_if<relay::Give>(&effect)) {
        given[e->starter] += e->bytes;
        if (starters_read) relay.took(e->starter, e->bytes.size());
      }
    }
  }
  void says(StarterId starter, std::string_view bytes) { carry_out(relay.said(starter, bytes)); }
  void joins(StarterId starter, const std::string& talk = "hello") {
    says(starter, framed("10.0.0.1,n1:5000") + talk);
  }

  // What the connection carries, both ways, until nothing is left.
  void settle(PamId id = 1) {
    Pam& pam = pams[id];
    for (bool more = true; more;) {
      const std::string there = relay.output(id, 1 << 16);
      std::vector<Channels::Event> events;
      ASSERT_TRUE(pam.channels.feed(there, events));
      for (const auto& event : events) {
        if (const auto* e = std::get_if<Channels::Opened>(&event)) pam.opened.push_back(e->channel);
        if (const auto* e = std::get_if<Channels::Ended>(&event)) pam.ended.push_back(e->channel);
        if (const auto* e = std::get_if<Channels::Arrived>(&event)) {
          pam.heard[e->channel] += e->bytes;
          if (pam_reads) pam.channels.passed_on(e->channel, e->bytes.size());
        }
      }
      const std::string back = pam.channels.output(1 << 16);
      carry_out(relay.heard(id, back));
      more = !there.empty() || !back.empty();
    }
  }

  Relay relay;
  std::map<PamId, Pam> pams;
  std::vector<PamId> dialed, hung_up;
  std::vector<StarterId> let_go;
  std::map<StarterId, std::string> given;
  bool starters_read = true, pam_reads = true;
};

TEST_F(RelayTest, AllOfOnePamShareOneConnection) {
  for (StarterId starter = 1; starter <= 8; ++starter) joins(starter, "hello " + std::to_string(starter));
  EXPECT_THAT(dialed, ElementsAre(1));
  EXPECT_FALSE(relay.has_output(1)) << "no byte leaves before the connection is open";
  relay.reached(1);
  settle();
  EXPECT_EQ(pams[1].opened.size(), 8U);
  for (ChannelId channel = 1; channel <= 8; ++channel)
    EXPECT_EQ(pams[1].heard[channel], "hello " + std::to_string(channel));
}

TEST_F(RelayTest, AnotherPamHasAConnectionOfItsOwn) {
  joins(1);
  says(2, framed("10.0.0.1,n1:5001") + "other");
  EXPECT_THAT(dialed, ElementsAre(1, 2));
}

TEST_F(RelayTest, WhatAStarterSaysMayComeInAnyPieces) {
  const std::string all = framed("10.0.0.1:5000") + "talk";
  for (const char byte : all) says(1, {&byte, 1});
  relay.reached(1);
  settle();
  EXPECT_EQ(pams[1].heard[1], "talk");
}

TEST_F(RelayTest, BytesGoBothWaysInOrder) {
  joins(1, "a");
  relay.reached(1);
  settle();
  says(1, "b");
  says(1, "c");
  pams[1].channels.send(1, "x");
  pams[1].channels.send(1, "y");
  settle();
  EXPECT_EQ(pams[1].heard[1], "abc");
  EXPECT_EQ(given[1], "xy");
}

TEST_F(RelayTest, StarterThatNamesNoPamIsDisconnected) {
  says(1, framed("no port"));
  says(2, framed("n1:0"));
  says(3, framed(":5"));
  says(4, framed("a,,b:5"));
  says(5, std::string("\0\0\0\0", 4));
  says(6, std::string("\x7f\0\0\0", 4));
  EXPECT_THAT(let_go, ElementsAre(1, 2, 3, 4, 5, 6));
  EXPECT_TRUE(dialed.empty());
}

TEST_F(RelayTest, WhenADialFailsItsStartersAreLetGoAndTheNextOneDialsAnew) {
  joins(1);
  joins(2);
  carry_out(relay.lost(1));
  EXPECT_THAT(let_go, ElementsAre(1, 2));
  joins(3);
  EXPECT_THAT(dialed, ElementsAre(1, 2));
}

TEST_F(RelayTest, CutLinkDisconnectsAllStartersOfThatPam) {
  joins(1);
  says(2, framed("n1,10.0.0.1:6000"));
  relay.reached(1);
  relay.reached(2);
  settle(1);
  carry_out(relay.lost(1));
  EXPECT_THAT(let_go, ElementsAre(1));
  says(2, "goes on");
  settle(2);
  EXPECT_EQ(pams[2].heard[1], "goes on");
  carry_out(relay.heard(1, "late"));
  says(1, "late");
  EXPECT_EQ(relay.output(1, 100), "");
}

TEST_F(RelayTest, ChannelThatPamClosesEndsAfterItsLastBytes) {
  joins(1);
  joins(2);
  relay.reached(1);
  settle();
  pams[1].channels.send(1, "last");
  pams[1].channels.close(1);
  settle();
  EXPECT_EQ(given[1], "last");
  EXPECT_THAT(let_go, ElementsAre(1));
}

TEST_F(RelayTest, StarterThatLeavesClosesItsChannelAlone) {
  joins(1, "last words");
  joins(2);
  relay.left(1);
  relay.reached(1);
  settle();
  EXPECT_EQ(pams[1].heard[1], "last words");
  EXPECT_THAT(pams[1].ended, ElementsAre(1));
  says(2, "!");
  settle();
  EXPECT_EQ(pams[1].heard[2], "hello!");
  pams[1].channels.send(1, "nobody");
  settle();
  EXPECT_EQ(given.count(1), 0U);
}

TEST_F(RelayTest, PamThatBreaksTheProtocolIsDisconnected) {
  joins(1);
  relay.reached(1);
  settle();
  carry_out(relay.heard(1, framed("nonsense of many bytes")));
  EXPECT_THAT(let_go, ElementsAre(1));
  EXPECT_THAT(hung_up, ElementsAre(1));
}

TEST_F(RelayTest, AStarterThatFloodsWaitsAndTheOthersDoNot) {
  joins(1, "");
  joins(2, "");
  relay.reached(1);
  settle();
  pam_reads = false;  // pam takes nothing of what comes: a window of each is under way
  std::size_t sent = 0;
  for (; relay.may_read(1) && sent < (10 << 20); sent += 1000) {
    says(1, std::string(1000, 'f'));
    settle();
  }
  EXPECT_FALSE(relay.may_read(1));
  EXPECT_LT(sent, 3 * kChannelWindow);
  EXPECT_TRUE(relay.may_read(2));
  says(2, "in time");
  settle();
  EXPECT_EQ(pams[1].heard[2], "in time");
  pams[1].channels.passed_on(1, kChannelWindow);
  settle();
  EXPECT_TRUE(relay.may_read(1));
}

TEST_F(RelayTest, StarterThatDoesNotReadDelaysNoOther) {
  joins(1);
  joins(2);
  relay.reached(1);
  settle();
  starters_read = false;
  pams[1].channels.send(1, std::string(4 * kChannelWindow, 's'));
  settle();
  EXPECT_EQ(given[1].size(), kChannelWindow) << "no more is kept for it";
  pams[1].channels.send(2, "signal");
  settle();
  EXPECT_EQ(given[2], "signal");
  relay.took(1, kChannelWindow);
  settle();
  EXPECT_EQ(given[1].size(), 2 * kChannelWindow);
}

TEST(PamPlaceTest, IsTheWordsOfTaskStartersOption) {
  const auto place = pam_place("n1,10.77.0.1,::1:4711");
  ASSERT_TRUE(place);
  EXPECT_THAT(place->addresses, ElementsAre("n1", "10.77.0.1", "::1"));
  EXPECT_EQ(place->port, 4711);
  for (const char* bad : {"", "n1", "n1:", "n1:65536", "n1:5x", ",n1:5", "n1,:5"})
    EXPECT_FALSE(pam_place(bad)) << bad;
}

}  // namespace
}  // namespace rollcall::wire
