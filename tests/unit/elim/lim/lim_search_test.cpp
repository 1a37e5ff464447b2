// How one LIM finds out which host is master.
#include "tests/unit/elim/lim/lim_driver.hpp"

namespace rollcall::lim {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Not;

TEST(LimSearch, TheFirstCandidateIsMasterAtOnceAndDialsEverybody) {
  LimDriver a("a");
  EXPECT_THAT(a.start(),
              ElementsAre("OrderMelim nio licenses site master", "Dial b", "Dial c", "Dial d", "Dial e"));
  EXPECT_EQ(a.lim.role, Role::master);
}

TEST(LimSearch, ACandidateAsksThoseBeforeItInTheirOrder) {
  LimDriver c("c");
  EXPECT_THAT(c.start(), ElementsAre("Dial a"));
  EXPECT_THAT(c.refuse("a"), ElementsAre("Dial b"));
  EXPECT_THAT(c.refuse("b"), Contains("OrderMelim nio licenses site master")) << "both refused: at once";
  EXPECT_EQ(c.lim.role, Role::master);
  EXPECT_THAT(c.notes(), ::testing::HasSubstr("in place of a"));
}

TEST(LimSearch, ASilentCandidateIsWaitedForAsLongAsTheManualSays) {
  LimDriver b("b");
  b.start();
  b.silence("a");
  const Duration limit = seconds(10) * (3 + 1 * 2);
  // Asked again every interval, and each time silent.
  while (b.lim.role != Role::master && b.now < TimePoint{seconds(1000)} + limit * 2) {
    const auto texts = b.pass(seconds(1));
    if (std::find(texts.begin(), texts.end(), "Dial a") != texts.end()) b.silence("a");
  }
  EXPECT_EQ(b.lim.role, Role::master);
  EXPECT_EQ(b.now - TimePoint{seconds(1000)}, limit);
}

TEST(LimSearch, TheWaitCountsFromTheLastWordOfTheMaster) {
  LimDriver b("b");
  b.start();
  b.answer(1, "a", "a");
  b.pass(seconds(9));
  b.tell(event::PeerRenewed{1, true, "a"});
  const TimePoint heard = b.now;
  b.pass(seconds(29));
  EXPECT_EQ(b.lim.role, Role::following);
  EXPECT_THAT(b.pass(seconds(1)), Contains("CloseLink 1")) << "silent for the host inactivity limit";
  b.silence("a");
  b.pass(seconds(10));
  b.silence("a");
  b.pass(seconds(10));
  b.silence("a");
  EXPECT_EQ(b.lim.role, Role::master);
  EXPECT_EQ(b.now - heard, seconds(50));
}

TEST(LimSearch, OneSilentAmongRefusingOnesIsWaitedFor) {
  LimDriver c("c");
  c.start();
  c.refuse("a");
  EXPECT_THAT(c.silence("b"), IsEmpty());
  EXPECT_EQ(c.lim.role, Role::looking);
}

TEST(LimSearch, ALivingCandidateBeforeUsWillBeMasterItself) {
  LimDriver c("c");
  c.start();
  c.refuse("a");
  EXPECT_THAT(c.answer(2, "b", ""), ElementsAre("CloseLink 2"));
  EXPECT_EQ(c.lim.role, Role::looking);
  EXPECT_THAT(c.pass(seconds(10)), ElementsAre("Dial a")) << "asked again after an interval";
  ConnectionId connection = 10;
  while (c.lim.role == Role::looking && c.now < TimePoint{seconds(2000)}) {
    c.refuse("a");
    c.answer(++connection, "b", "");
    if (c.lim.role == Role::looking) c.pass(seconds(10));
  }
  EXPECT_EQ(c.lim.role, Role::master) << "a candidate that never is one may run with other files";
  EXPECT_EQ(c.now - TimePoint{seconds(1000)}, c.lim.rules->takeover(2));
}

TEST(LimSearch, OneThatIsNoCandidateFollowsTheFirstThatSaysItIsMaster) {
  LimDriver d("d");
  EXPECT_THAT(d.start(), ElementsAre("Dial a"));
  EXPECT_THAT(d.silence("a"), ElementsAre("Dial b"));
  EXPECT_THAT(d.answer(2, "b", "b"), ElementsAre("SendRegister 2", "SendReport 2 condition"));
  EXPECT_EQ(d.lim.master_name(), "b");
}

TEST(LimSearch, AsksTheHostThatIsSaidToBeMaster) {
  LimDriver d("d");
  d.start();
  EXPECT_THAT(d.answer(1, "a", "c"), ElementsAre("CloseLink 1", "Dial c"));
  EXPECT_THAT(d.answer(2, "c", "c"), ElementsAre("SendRegister 2", "SendReport 2 condition"));
}

TEST(LimSearch, AStaleHintEndsInAskingTheOthers) {
  LimDriver d("d");
  d.start();
  d.answer(1, "a", "c");
  EXPECT_THAT(d.refuse("c"), ElementsAre("Dial b"));
  EXPECT_THAT(d.answer(2, "b", "c"), ElementsAre("CloseLink 2")) << "asked already: in an interval again";
  EXPECT_THAT(d.pass(seconds(10)), ElementsAre("Dial a"));
}

TEST(LimSearch, OneThatIsNoCandidateKeepsAskingWhenNoneAnswers) {
  LimDriver d("d");
  d.start();
  d.refuse("a");
  d.refuse("b");
  EXPECT_THAT(d.refuse("c"), IsEmpty());
  EXPECT_EQ(d.lim.role, Role::looking);
  EXPECT_THAT(d.pass(seconds(10)), ElementsAre("Dial a"));
}

TEST(LimSearch, AnAnnouncementIsFollowedAtOnce) {
  LimDriver d("d");
  d.start();
  EXPECT_THAT(d.announce(5, "b"), ElementsAre("Dial b"));
  EXPECT_THAT(d.answer(6, "b", "b"), Contains("SendRegister 6"));
  EXPECT_THAT(d.announce(7, "c"), ElementsAre("SendRenew 6")) << "c ranks behind b; but is b still there?";
  EXPECT_THAT(d.announce(8, "a"), ElementsAre()) << "a is being asked already, since the start";
  EXPECT_THAT(d.answer(9, "a", "a"), ElementsAre("CloseLink 6", "SendRegister 9", "SendReport 9 condition"));
}

TEST(LimSearch, OurOwnMasterAnnouncesItselfWhenItHasLostOurLink) {
  LimDriver d("d");
  d.start();
  d.answer(1, "a", "a");
  EXPECT_THAT(d.announce(2, "a"), IsEmpty()) << "it dialled us while we dialled it";
  d.pass(seconds(2));
  EXPECT_THAT(d.announce(3, "a"), ElementsAre("CloseLink 1", "Dial a"));
}

TEST(LimSearch, AStandInIsRelievedAtOnceByWhoComesBackBeforeIt) {
  LimDriver b("b");
  b.start();
  EXPECT_THAT(b.announce(5, "c"), IsEmpty());
  EXPECT_THAT(b.silence("a"), Contains("OrderMelim nio licenses scratch site master"))
      << "c has waited for a already";
  EXPECT_EQ(b.lim.role, Role::master);
}

TEST(LimSearch, AStandInBehindUsIsFollowedWhileOneBeforeUsComesUp) {
  LimDriver b("b");
  b.start();
  b.announce(5, "c");
  EXPECT_THAT(b.answer(1, "a", ""), ElementsAre("CloseLink 1", "Dial c"));
  EXPECT_THAT(b.answer(2, "c", "c"), Contains("SendRegister 2"));
  EXPECT_EQ(b.lim.master_name(), "c");
  EXPECT_THAT(b.pass(seconds(10)), Contains("Dial a")) << "asked every interval";
  b.refuse("a");
  EXPECT_EQ(b.lim.role, Role::master);
}

TEST(LimSearch, AMasterStepsDownForOneBeforeIt) {
  LimDriver b("b");
  b.start();
  b.refuse("a");
  b.register_host(7, "d");
  const auto texts = b.answer(8, "a", "a");
  EXPECT_THAT(texts, ElementsAre("CloseLink 7", "SendRegister 8", "SendReport 8 condition"));
  EXPECT_EQ(b.lim.master_name(), "a");
  EXPECT_FALSE(b.lim.mastership);
}

TEST(LimSearch, AMasterStepsDownWhenOneBeforeItSaysSoAtItsOwnAddress) {
  LimDriver b("b");
  b.start();
  b.refuse("a");
  b.refuse("a");  // as it was dialled again by the new master
  EXPECT_THAT(b.announce(9, "a"), ElementsAre("Dial a"));
  EXPECT_EQ(b.lim.role, Role::master) << "an incoming claim is not yet a reason";
  EXPECT_THAT(b.answer(10, "a", "a"), Contains("SendRegister 10"));
  EXPECT_EQ(b.lim.role, Role::following);
}

TEST(LimSearch, AFalseAnnouncementCostsAMasterNothing) {
  LimDriver b("b");
  b.start();
  b.refuse("a");
  b.refuse("a");
  b.register_host(5, "c");
  ASSERT_EQ(b.entry("c").presence, Presence::up);
  EXPECT_THAT(b.announce(9, "a"), ElementsAre("Dial a"));
  b.refuse("a");  // nobody is there
  EXPECT_THAT(b.announce(11, "a"), ElementsAre("Dial a"));
  b.answer(12, "a", "");  // or it knows of no master
  EXPECT_EQ(b.lim.role, Role::master);
  EXPECT_EQ(b.entry("c").presence, Presence::up);
  EXPECT_EQ(b.entry("c").connection, 5U);
}

TEST(LimSearch, AMasterTellsOneBehindItThatItIsMaster) {
  LimDriver a("a");
  a.start();
  EXPECT_THAT(a.answer(1, "b", "b"), ElementsAre("SendAnnounce 1", "CloseLink 1"));
  EXPECT_THAT(a.announce(2, "c"), IsEmpty()) << "c is being dialled already";
  EXPECT_EQ(a.lim.role, Role::master);
}

TEST(LimSearch, ALostLinkIsAnsweredByAskingAtOnce) {
  LimDriver d("d");
  d.start();
  d.answer(1, "a", "a");
  d.pass(seconds(5));
  EXPECT_THAT(d.tell(event::LinkEnded{1}), ElementsAre("Dial a"));
}

TEST(LimSearch, ALinkThatEndsAtOnceIsNotDialledInARing) {
  LimDriver d("d");
  d.start();
  d.answer(1, "a", "a");
  EXPECT_THAT(d.tell(event::LinkEnded{1}), IsEmpty());
  EXPECT_THAT(d.pass(seconds(1)), ElementsAre("Dial a"));
}

TEST(LimSearch, AMasterThatIsNoneAnyMoreIsLeft) {
  LimDriver d("d");
  d.start();
  d.answer(1, "a", "a");
  d.pass(seconds(5));
  EXPECT_THAT(d.tell(event::PeerRenewed{1, false, "b"}), ElementsAre("CloseLink 1", "Dial a"));
}

TEST(LimSearch, AQuietMasterIsAskedWhetherItIsThere) {
  LimDriver d("d");
  d.start();
  d.answer(1, "a", "a");
  EXPECT_THAT(d.pass(seconds(9)), Not(Contains("SendRenew 1")));
  EXPECT_THAT(d.pass(seconds(1)), Contains("SendRenew 1"));
  d.tell(event::PeerRenewed{1, true, "a"});
  EXPECT_THAT(d.pass(seconds(9)), Not(Contains("SendRenew 1")));
}

TEST(LimSearch, TellsWhoIsMasterWhenAsked) {
  LimDriver d("d");
  EXPECT_THAT(d.accept(1, "e"), ElementsAre("Welcome 1 knows no master"));
  d.start();
  d.answer(2, "a", "a");
  EXPECT_THAT(d.accept(3, "e"), ElementsAre("Welcome 3 follows a"));
  LimDriver a("a");
  a.start();
  EXPECT_THAT(a.accept(1, "e"), ElementsAre("Welcome 1 master"));
}

TEST(LimSearch, ClosesTheLinkOfAHostOutsideTheCluster) {
  LimDriver a("a");
  a.start();
  EXPECT_THAT(a.accept(1, "z"), ElementsAre("CloseLink 1"));
  EXPECT_THAT(a.notes(), ::testing::HasSubstr("no host of this cluster"));
}

TEST(LimSearch, ClosesTheLinkOfAnotherLimWithItsOwnName) {
  LimDriver a("a");
  a.start();
  EXPECT_THAT(a.accept(1, "a"), ElementsAre("CloseLink 1"));
  EXPECT_THAT(a.notes(), ::testing::HasSubstr("another LIM calls itself a"));
}

TEST(LimSearch, ClosesUnusedLinks) {
  LimDriver d("d");
  d.start();
  d.accept(4, "e");
  EXPECT_THAT(d.pass(seconds(61)), Contains("CloseLink 4"));
}

}  // namespace
}  // namespace rollcall::lim
