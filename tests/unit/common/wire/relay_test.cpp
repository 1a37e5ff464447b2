// TaskStarters joined to their pam: every row of the table in common/wire/relay.hpp.
#include "common/wire/relay.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rollcall::wire {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr std::string_view kInstance = "instance 16 byte";

std::string framed(std::string_view text) {
  std::string bytes;
  append_frame(bytes, text);
  return bytes;
}

std::string asking(const std::string& place = "10.0.0.1,n1:5000", char key = 'k') {
  return framed(place + std::string(1, '\0') + std::string(kRelayKeyBytes, key));
}

// The relay, a pam at the other end of each conversation, and what the starters were told.
class RelayTest : public ::testing::Test {
 protected:
  struct Pam {
    std::map<TaskNumber, std::string> heard;
    std::vector<TaskNumber> ended;
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
  void reached(PamId pam = 1) { carry_out(relay.reached(pam, kInstance)); }
  // Starter N asks, is joined, and says its first message: it is task N of its pam where all do so in turn.
  void joins(StarterId starter, const std::string& message = "hello") {
    says(starter, asking());
    reached();
    says(starter, framed(message));
  }
  void pam_says(const std::string& items, PamId pam = 1) { carry_out(relay.heard(pam, items)); }
  static std::string to(TaskNumber task, std::string_view message) {
    std::string items;
    append_task_message(items, task, message);
    return items;
  }

  // What has left for a pam.
  void settle(PamId id = 1) {
    for (std::string there; !(there = relay.output(id, 1 << 16)).empty();)
      for (std::string_view rest = there; !rest.empty();) {
        const auto item = take_item(rest);
        ASSERT_TRUE(item) << item.error().text;
        if (item->kind == RelayItem::Kind::end) pams[id].ended.push_back(item->first);
        if (item->kind == RelayItem::Kind::message) pams[id].heard[item->first] += item->message;
      }
  }

  Relay relay;
  std::map<PamId, Pam> pams;
  std::vector<PamId> dialed, hung_up;
  std::vector<StarterId> let_go;
  std::map<StarterId, std::string> given;
  bool starters_read = true;
};

TEST_F(RelayTest, TellsWhereTheDirectoryOfTheJobIs) {
  says(1, framed(kAskDirectory));
  EXPECT_THAT(let_go, ElementsAre(1)) << "it has none";
  EXPECT_EQ(given[1], "");
  relay.set_directory("/spool/12.0.1/u");
  const std::string question = framed(kAskDirectory);
  says(2, question.substr(0, 7));
  says(2, question.substr(7));
  EXPECT_EQ(given[2], framed("/spool/12.0.1/u"));
  EXPECT_THAT(let_go, ElementsAre(1, 2));
  EXPECT_TRUE(dialed.empty());
}

TEST_F(RelayTest, AllOfOnePamShareOneConversation) {
  for (StarterId starter = 1; starter <= 8; ++starter) says(starter, asking());
  EXPECT_THAT(dialed, ElementsAre(1));
  EXPECT_TRUE(given.empty()) << "none is joined before pam has proved itself";
  for (StarterId starter = 1; starter <= 8; ++starter) EXPECT_FALSE(relay.may_read(starter));
  reached();
  for (StarterId starter = 1; starter <= 8; ++starter) {
    EXPECT_EQ(given[starter], framed(kInstance));
    EXPECT_TRUE(relay.may_read(starter));
    says(starter, framed("hello " + std::to_string(starter)));
  }
  settle();
  for (TaskNumber task = 1; task <= 8; ++task)
    EXPECT_EQ(pams[1].heard[task], "hello " + std::to_string(task));
}

TEST_F(RelayTest, AStarterThatComesLaterIsJoinedAtOnce) {
  joins(1);
  says(2, asking());
  EXPECT_THAT(dialed, ElementsAre(1));
  EXPECT_EQ(given[2], framed(kInstance));
}

TEST_F(RelayTest, TasksAreNumberedInTheOrderOfTheirFirstMessages) {
  for (StarterId starter = 1; starter <= 3; ++starter) says(starter, asking());
  reached();
  says(3, framed("third"));
  says(1, framed("first"));
  settle();
  EXPECT_EQ(pams[1].heard[1], "third");
  EXPECT_EQ(pams[1].heard[2], "first");
  relay.left(2);
  settle();
  EXPECT_THAT(pams[1].ended, IsEmpty()) << "one that said nothing has no number and no end";
}

TEST_F(RelayTest, AnotherPamHasAConversationOfItsOwn) {
  says(1, asking());
  says(2, asking("10.0.0.1,n1:5001"));
  says(3, asking("10.0.0.1,n1:5000", 'x'));
  EXPECT_THAT(dialed, ElementsAre(1, 2, 3)) << "another key is another pam, too";
}

TEST_F(RelayTest, WhatAStarterSaysMayComeInAnyPieces) {
  for (const char byte : asking()) says(1, {&byte, 1});
  reached();
  for (const char byte : framed("talk") + framed("more")) says(1, {&byte, 1});
  settle();
  EXPECT_EQ(pams[1].heard[1], "talkmore");
}

TEST_F(RelayTest, MessagesGoBothWaysInOrder) {
  joins(1, "a");
  joins(2, "b");
  says(1, framed("c") + framed("d"));
  pam_says(to(1, "x") + to(2, "y") + to(1, "z"));
  settle();
  EXPECT_EQ(pams[1].heard[1], "acd");
  EXPECT_EQ(given[1], framed(kInstance) + framed("x") + framed("z"));
  EXPECT_EQ(given[2], framed(kInstance) + framed("y"));
}

TEST_F(RelayTest, AMessageForSeveralGoesToEachThatIsThere) {
  for (StarterId starter = 1; starter <= 5; ++starter) joins(starter);
  relay.left(3);
  std::string items;
  append_task_message(items, 2, 4000000000, "signal");
  pam_says(items);
  EXPECT_EQ(given[1], framed(kInstance));
  EXPECT_EQ(given[3], framed(kInstance));
  for (const StarterId starter : {2, 4, 5}) EXPECT_EQ(given[starter], framed(kInstance) + framed("signal"));
}

TEST_F(RelayTest, StarterThatNamesNoPamIsDisconnected) {
  says(1, asking("no port"));
  says(2, asking("n1:0"));
  says(3, asking(":5"));
  says(4, asking("a,,b:5"));
  says(5, std::string("\0\0\0\0", 4));
  says(6, std::string("\x7f\0\0\0", 4));
  says(7, framed("10.0.0.1,n1:5000"));  // of an older release: without a key
  says(8, framed(std::string("10.0.0.1:5000\0", 14) + std::string(31, 'k')));
  EXPECT_THAT(let_go, ElementsAre(1, 2, 3, 4, 5, 6, 7, 8));
  EXPECT_TRUE(dialed.empty());
}

TEST_F(RelayTest, WhenADialFailsItsStartersAreLetGoAndTheNextOneDialsAnew) {
  says(1, asking());
  says(2, asking());
  carry_out(relay.lost(1));
  EXPECT_THAT(let_go, ElementsAre(1, 2));
  says(3, asking());
  EXPECT_THAT(dialed, ElementsAre(1, 2));
}

TEST_F(RelayTest, CutLinkDisconnectsAllStartersOfThatPam) {
  joins(1);
  says(2, asking("n1,10.0.0.1:6000"));
  says(3, asking());
  reached(2);
  carry_out(relay.lost(1));
  EXPECT_THAT(let_go, ElementsAre(1, 3));
  says(2, framed("goes on"));
  settle(2);
  EXPECT_EQ(pams[2].heard[1], "goes on");
  carry_out(relay.heard(1, "late"));
  EXPECT_THAT(hung_up, IsEmpty());
  EXPECT_EQ(relay.output(1, 100), "");
}

TEST_F(RelayTest, ATaskThatPamEndsIsDisconnectedAfterItsLastMessage) {
  joins(1);
  joins(2);
  std::string items = to(1, "last");
  append_task_end(items, 1);
  pam_says(items + to(1, "nobody"));
  EXPECT_EQ(given[1], framed(kInstance) + framed("last"));
  EXPECT_THAT(let_go, ElementsAre(1));
  EXPECT_THAT(hung_up, IsEmpty());
}

TEST_F(RelayTest, StarterThatLeavesEndsItsTaskAlone) {
  joins(1, "last words");
  joins(2);
  relay.left(1);
  says(2, framed("!"));
  settle();
  EXPECT_EQ(pams[1].heard[1], "last words");
  EXPECT_THAT(pams[1].ended, ElementsAre(1));
  EXPECT_EQ(pams[1].heard[2], "hello!");
  pam_says(to(1, "nobody"));
  EXPECT_EQ(given[1], framed(kInstance));
}

TEST_F(RelayTest, PamThatBreaksTheProtocolIsDisconnected) {
  joins(1);
  pam_says("nonsense");
  EXPECT_THAT(let_go, ElementsAre(1));
  EXPECT_THAT(hung_up, ElementsAre(1));
}

TEST_F(RelayTest, StarterThatBreaksTheProtocolIsDisconnectedAlone) {
  joins(1);
  joins(2);
  says(1, "\xff\xff\xff\xff");
  EXPECT_THAT(let_go, ElementsAre(1));
  says(2, framed("!"));
  settle();
  EXPECT_THAT(pams[1].ended, ElementsAre(1));
  EXPECT_EQ(pams[1].heard[2], "hello!");
}

TEST_F(RelayTest, NobodyIsReadWhilePamTakesNothing) {
  joins(1);
  joins(2);
  std::size_t sent = 0;
  for (; relay.may_read(1) && sent < (10 << 20); sent += 1000) says(1, framed(std::string(1000, 'f')));
  EXPECT_FALSE(relay.may_read(1));
  EXPECT_FALSE(relay.may_read(2));
  EXPECT_LT(sent, 2 * kMostForPam);
  settle();
  EXPECT_TRUE(relay.may_read(1));
}

TEST_F(RelayTest, StarterThatDoesNotReadIsLetGo) {
  joins(1);
  joins(2);
  starters_read = false;
  const std::string large(60000, 's');
  for (int i = 0; i < 5; ++i) pam_says(to(1, large));
  EXPECT_THAT(let_go, ElementsAre(1));
  EXPECT_LT(given[1].size(), kMostForStarter + kTaskMessageLimit) << "no more is kept for it";
  pam_says(to(2, "signal"));
  EXPECT_EQ(given[2], framed(kInstance) + framed("signal"));
  settle();
  EXPECT_THAT(pams[1].ended, ElementsAre(1)) << "pam has it back when it dials";
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
