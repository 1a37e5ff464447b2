// What a master does with its hosts.
#include <algorithm>

#include "tests/unit/elim/lim/lim_driver.hpp"

namespace rollcall::lim {
namespace {

using std::chrono::seconds;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

// a is master; b c d e were dialled and did not answer yet.
struct Master : LimDriver {
  Master() : LimDriver("a") { start(); }
  void refuse_all() {
    for (const char* host : {"b", "c", "d", "e"}) refuse(host);
  }
};

wire::ToLim::Report values(std::vector<std::pair<std::string, float>> values) {
  wire::ToLim::Report report;
  for (const auto& [name, value] : values) {
    report.add_index(static_cast<std::uint32_t>(report.names_size()));
    report.add_names(name);
    report.add_value(value);
  }
  return report;
}

TEST(LimMaster, AHostThatRegistersIsUpAndGetsItsOrders) {
  Master a;
  EXPECT_EQ(a.entry("b").presence, Presence::unheard);
  EXPECT_THAT(a.register_host(1, "b"), ElementsAre("SendOrders 1 nio scratch site"));
  EXPECT_EQ(a.entry("b").presence, Presence::up);
  EXPECT_EQ(a.entry("b").facts.ncpus, 4);
}

TEST(LimMaster, APortThatRefusesMakesAHostUnavailableAtOnce) {
  Master a;
  a.refuse("b");
  EXPECT_EQ(a.entry("b").presence, Presence::unavailable);
}

TEST(LimMaster, SilenceMakesAHostUnavailableAfterTheLimit) {
  Master a;
  a.refuse_all();
  a.register_host(1, "b");
  const TimePoint heard = a.now;
  while (a.entry("b").presence == Presence::up && a.now - heard < seconds(100)) {
    for (const std::string& text : a.pass(seconds(1)))
      if (text.starts_with("Dial ")) a.refuse(text.substr(5));
  }
  EXPECT_GE(a.now - heard, seconds(30));
  EXPECT_LE(a.now - heard, seconds(33)) << "a quarter of an interval late at the most";
  EXPECT_FALSE(a.lim.peers.contains(1)) << "its link is closed";
}

TEST(LimMaster, AReportKeepsAHostAlive) {
  Master a;
  a.refuse_all();
  a.register_host(1, "b");
  for (int i = 0; i < 20; ++i) {
    for (const std::string& text : a.pass(seconds(10)))
      if (text.starts_with("Dial ")) a.refuse(text.substr(5));
    a.report(1, {});
  }
  EXPECT_EQ(a.entry("b").presence, Presence::up);
}

TEST(LimMaster, AHostWhoseLinkEndsIsDialledAtOnce) {
  Master a;
  a.refuse_all();
  a.register_host(1, "b");
  EXPECT_THAT(a.tell(event::LinkEnded{1}), ElementsAre("Dial b"));
  EXPECT_EQ(a.entry("b").presence, Presence::up) << "it may only have lost its link";
  a.refuse("b");
  EXPECT_EQ(a.entry("b").presence, Presence::unavailable);
}

TEST(LimMaster, WarnsOfALostHostAndOfItsReturn) {
  Master a;
  const auto warns = [&a](const std::string& line) {
    return std::any_of(a.effects.begin(), a.effects.end(),
                       [&](const Effect& effect) { return text(effect) == "Note warning " + line; });
  };
  a.refuse("b");
  EXPECT_FALSE(warns("b is unavailable: its port refuses")) << "it was not there before";
  a.register_host(1, "b");
  EXPECT_TRUE(warns("b is back"));
  a.tell(event::LinkEnded{1});
  a.refuse("b");
  EXPECT_TRUE(warns("b is unavailable: its port refuses"));
}

TEST(LimMaster, HostsWithoutALinkAreDialledEveryInterval) {
  Master a;
  a.refuse_all();
  a.register_host(1, "b");
  EXPECT_THAT(a.pass(seconds(10)), ElementsAre("Dial c", "Dial d", "Dial e"));
}

TEST(LimMaster, AClientHostIsNotDialled) {
  LimRules rules = test_rules("a");
  rules.hosts[3].server = false;
  LimDriver a(rules);
  EXPECT_THAT(a.start(), AllOf(Contains("Dial c"), Not(Contains("Dial d"))));
}

TEST(LimMaster, TellsAHostThatAnswersThatItIsMaster) {
  Master a;
  EXPECT_THAT(a.answer(1, "d", ""), ElementsAre("SendAnnounce 1", "CloseLink 1"));
  a.register_host(2, "e");
  EXPECT_THAT(a.answer(3, "e", "a"), ElementsAre("CloseLink 3")) << "it has found us by itself";
}

TEST(LimMaster, LimitsDialsUnderWay) {
  LimRules rules = test_rules("a");
  for (int i = 0; i < 1000; ++i) rules.hosts.push_back({"n" + std::to_string(i)});
  rules.index_names();
  LimDriver a(rules);
  a.start();
  EXPECT_EQ(a.lim.dialling.size(), kDialsAtOnce);
  EXPECT_THAT(a.refuse("b"), ElementsAre("Dial n" + std::to_string(kDialsAtOnce - 4))) << "one out, one in";
}

TEST(LimMaster, TheNewestConnectionOfAHostStays) {
  Master a;
  a.register_host(1, "b");
  EXPECT_THAT(a.register_host(2, "b"), ElementsAre("CloseLink 1", "SendOrders 2 nio scratch site"));
  EXPECT_EQ(a.entry("b").connection, 2U);
  EXPECT_THAT(a.tell(event::LinkEnded{1}), IsEmpty()) << "the end of the replaced link is ignored";
  EXPECT_EQ(a.entry("b").connection, 2U);
}

TEST(LimMaster, ClosesTheLinkOfAHostThatRegistersUnderAnotherName) {
  Master a;
  a.accept(1, "b");
  HostFacts facts;
  facts.name = "c";
  EXPECT_THAT(a.tell(event::HostRegistered{1, facts, "files"}), ElementsAre("CloseLink 1"));
}

TEST(LimMaster, FollowerTakesNoRegistration) {
  LimDriver d("d");
  d.start();
  EXPECT_THAT(d.register_host(1, "e"), ElementsAre("CloseLink 1"));
}

TEST(LimMaster, ReportsOnceThatAHostHasOtherFiles) {
  Master a;
  a.register_host(1, "b", "older files");
  EXPECT_THAT(a.notes(), HasSubstr("b runs with other files"));
  a.register_host(2, "b", "older files");
  EXPECT_THAT(a.notes(), Not(HasSubstr("other files")));
}

TEST(LimMaster, AReportIsInTheTable) {
  Master a;
  a.register_host(1, "b");
  a.report(1, values({{"r1m", 2.5F}, {"nio", 7}, {"unheard-of", 3}}));
  EXPECT_EQ(a.lim.mastership->table.number(1, r1m), 2.5F);
  EXPECT_EQ(a.lim.mastership->table.number(1, a.id("nio")), 7);
}

TEST(LimMaster, ABrokenReportCostsItsConnection) {
  Master a;
  a.register_host(1, "b");
  wire::ToLim::Report report;
  report.add_index(5);
  report.add_value(1);
  EXPECT_THAT(a.report(1, report), ElementsAre("CloseLink 1"));
  EXPECT_THAT(a.notes(), HasSubstr("b: a report with an index that it has not named"));
}

// ---------------------------------------------------------------- elims

TEST(LimMaster, ElimsOfASharedResourceMoveToTheNextHostAndBack) {
  Master a;
  a.register_host(1, "b");
  a.register_host(2, "c");
  a.tell(event::LinkEnded{1});
  EXPECT_THAT(a.refuse("b"), ElementsAre("SendOrders 2 nio scratch site"));
  EXPECT_THAT(a.register_host(3, "b"), ElementsAre("SendOrders 2 nio site", "SendOrders 3 nio scratch site"));
}

TEST(LimMaster, ElimsWaitForHostsThatHaveNotReportedYet) {
  Master a;
  EXPECT_THAT(a.register_host(1, "c"), ElementsAre("SendOrders 1 nio site"))
      << "b goes before, and may be coming";
  EXPECT_THAT(a.silence("b"), ElementsAre("SendOrders 1 nio scratch site")) << "one try is enough";
  EXPECT_EQ(a.entry("b").presence, Presence::unheard);
}

TEST(LimMaster, OrdersGoOnlyWhereTheyChanged) {
  Master a;
  a.register_host(1, "b");
  a.register_host(2, "c");
  EXPECT_THAT(a.register_host(3, "d"), ElementsAre("SendOrders 3 nio site"));
  EXPECT_THAT(a.register_host(4, "e"), ElementsAre("SendOrders 4 nio scratch site"));
}

TEST(LimMaster, ASharedValueBelongsToItsInstance) {
  Master a;
  a.register_host(1, "b");
  a.register_host(2, "c");
  a.report(1, values({{"scratch", 100}}));
  a.report(2, values({{"scratch", 55}}));  // left over from when it reported
  const auto& shared = a.lim.mastership->shared;
  EXPECT_EQ(shared[1].number, 100);
  EXPECT_EQ(shared[2].number, kUnknownLoad) << "(e d) have not said";
  a.tell(event::LinkEnded{1});
  a.refuse("b");
  EXPECT_EQ(shared[1].number, 100) << "kept until c says otherwise";
  wire::ToLim::Report again;
  again.add_index(0);
  again.add_value(90);
  a.report(2, again);
  EXPECT_EQ(shared[1].number, 90);
}

TEST(LimMaster, ValueSharedByAllHostsIsReportedByTheMaster) {
  Master a;
  wire::MelimReport said;
  auto& value = *said.add_values();
  value.set_name("licenses");
  value.set_number(12);
  a.tell(event::ElimsReported{said});
  EXPECT_EQ(a.lim.mastership->shared[0].number, 12);
  EXPECT_EQ(a.lim.mastership->table.number(0, a.id("licenses")), kUnknownLoad);
}

TEST(LimMaster, ItsOwnLoadIsInItsTable) {
  Master a;
  event::LoadSampled sample;
  sample.values.fill(3);
  a.tell(sample);
  EXPECT_EQ(a.lim.mastership->table.number(0, ls), 3);
}

TEST(LimMaster, PlacedWorkRaisesTheLoadForAWhile) {
  Master a;
  a.register_host(1, "b");
  a.tell(event::PlacementMade{{{"b", 2}}});
  const Duration duration = seconds(30);
  EXPECT_EQ(left_of(a.entry("b").raise, a.now, duration), 2);
  EXPECT_EQ(left_of(a.entry("b").raise, a.now + seconds(15), duration), 1);
  EXPECT_EQ(left_of(a.entry("b").raise, a.now + seconds(30), duration), 0);
}

// ---------------------------------------------------------------- new files

TEST(LimMaster, NewFilesKeepWhatIsStillTrue) {
  Master a;
  a.register_host(1, "b");
  a.register_host(2, "c");
  a.report(1, values({{"r1m", 2.5F}, {"nio", 7}, {"scratch", 100}}));
  LimRules rules = test_rules("a");
  rules.hosts.erase(rules.hosts.begin() + 2);  // c is gone; d e move up
  rules.hosts.push_back({"f"});
  IndexTable indices;  // another order; nio is gone
  const ResourceId scratch = indices.add({"scratch", ResourceType::numeric, ResourceOrder::decreasing, 15});
  rules.indices = indices;
  rules.resource_map.each_host = {};
  rules.resource_map.shared = {{scratch, {1, 2}, false}};
  rules.index_names();
  a.refuse_all();
  const auto texts = a.tell(event::Reconfigured{std::make_shared<const LimRules>(rules)});
  EXPECT_THAT(texts, Contains("CloseLink 2"));
  EXPECT_THAT(texts, Contains("OrderMelim nothing master"));
  EXPECT_THAT(texts, Contains("SendOrders 1 scratch"));
  EXPECT_THAT(texts, Contains("Dial f"));
  EXPECT_EQ(a.lim.mastership->table.number(1, r1m), 2.5F);
  wire::ToLim::Report again;
  again.add_index(2);  // scratch, by the dictionary of before
  again.add_value(80);
  a.report(1, again);
  EXPECT_EQ(a.lim.mastership->shared[0].number, 80);
}

TEST(LimMaster, NewFilesThatNameAnotherCandidateEndTheMastership) {
  Master a;
  a.register_host(1, "b");
  LimRules rules = test_rules("a");
  rules.candidates = {"b", "c"};
  rules.index_names();
  const auto texts = a.tell(event::Reconfigured{std::make_shared<const LimRules>(rules)});
  EXPECT_THAT(texts, Contains("CloseLink 1"));
  EXPECT_EQ(a.lim.role, Role::looking);
}

TEST(LimMaster, AFollowerWithNewFilesRegistersAnew) {
  LimDriver d("d");
  d.start();
  d.answer(1, "a", "a");
  EXPECT_THAT(d.tell(event::Reconfigured{std::make_shared<const LimRules>(test_rules("d"))}),
              ElementsAre("SendRegister 1", "SendReport 1 condition"));
}

}  // namespace
}  // namespace rollcall::lim
