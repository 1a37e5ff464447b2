// A host's own load: sampled, told by elims, judged, and reported.
#include "tests/unit/elim/lim/lim_driver.hpp"

namespace rollcall::lim {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

// d follows a on connection 1.
struct Follower : LimDriver {
  explicit Follower(LimRules rules = test_rules("d")) : LimDriver(std::move(rules)) {
    HostFacts facts;
    facts.ncpus = 4;
    tell(event::FactsFound{facts});
    start();
    answer(1, "a", "a");
    tell(event::OrdersArrived{1, {"nio", "site"}});
  }
  Texts sample(std::vector<std::pair<ResourceId, float>> values, WeekMinute wall = {}) {
    event::LoadSampled sample;
    sample.values.fill(1);
    for (const auto& [id, value] : values) sample.values[id] = value;
    sample.wall = wall;
    return tell(sample);
  }
  Texts elims_say(const std::string& name, float number) {
    wire::MelimReport report;
    auto& value = *report.add_values();
    value.set_name(name);
    value.set_number(number);
    return tell(event::ElimsReported{report});
  }
  // The report among the last effects.
  wire::ToLim::Report reported() const {
    for (const Effect& effect : effects)
      if (const auto* report = std::get_if<effect::SendReport>(&effect)) return report->report;
    ADD_FAILURE() << "no report was sent";
    return {};
  }
};

LimRules with_threshold(ResourceId index, double value) {
  LimRules rules = test_rules("d");
  rules.thresholds = {{index, value}};
  return rules;
}

TEST(LimOwn, ReportsChangesEveryInterval) {
  Follower d;
  EXPECT_THAT(d.sample({}), IsEmpty()) << "not before the interval is over";
  EXPECT_THAT(d.pass(seconds(10)), Contains("SendReport 1 11 names 11 values"));
  d.tell(event::PeerRenewed{1, true, "a"});
  d.sample({{r1m, 2}, {mem, 1}});
  EXPECT_THAT(d.pass(seconds(10)), Contains("SendReport 1 1 values 10 refreshed"));
  d.tell(event::PeerRenewed{1, true, "a"});
  EXPECT_THAT(d.pass(seconds(10)), Contains("SendReport 1 alive"));
}

TEST(LimOwn, AFurtherConnectionStartsWithEverything) {
  Follower d;
  d.sample({});
  d.pass(seconds(10));
  d.tell(event::LinkEnded{1});
  EXPECT_THAT(d.answer(2, "a", "a"), Contains("SendReport 2 11 names 11 values condition"));
  EXPECT_EQ(d.reported().age_ms(0), 10000U) << "how old the values are is said too";
}

TEST(LimOwn, BusyIsToldAtOnceAndNotBusyToo) {
  Follower d(with_threshold(r1m, 1.5));
  EXPECT_THAT(d.sample({{r1m, 6}}), IsEmpty()) << "four CPUs: an effective length of 1.5 is not beyond 1.5";
  EXPECT_THAT(d.sample({{r1m, 6.1F}}), Contains("SendReport 1 11 names 11 values condition busy"));
  EXPECT_THAT(d.sample({{r1m, 6.2F}}), IsEmpty());
  EXPECT_THAT(d.sample({{r1m, 2}}), Contains("SendReport 1 1 values condition"));
}

TEST(LimOwn, AResThatIsGoneIsToldAtOnceAndOneThatIsBackToo) {
  Follower d;
  d.sample({});
  d.pass(seconds(10));
  d.tell(event::PeerRenewed{1, true, "a"});
  event::LoadSampled sample;
  sample.values.fill(1);
  sample.res_down = true;
  EXPECT_THAT(d.tell(sample), Contains(::testing::HasSubstr("condition no RES")));
  EXPECT_TRUE(d.reported().condition().res_down());
  EXPECT_THAT(d.tell(sample), IsEmpty());
  sample.res_down = false;
  EXPECT_THAT(d.tell(sample), Contains(::testing::HasSubstr("condition")));
  EXPECT_FALSE(d.reported().condition().res_down());
}

TEST(LimOwn, AThresholdOfADecreasingIndexIsALowerOne) {
  Follower d(with_threshold(mem, 100));
  d.sample({{mem, 100}});
  EXPECT_TRUE(d.lim.own.condition.beyond.empty());
  d.sample({{mem, 99}});
  EXPECT_THAT(d.lim.own.condition.beyond, ElementsAre(mem));
}

TEST(LimOwn, AThresholdOfAnExternalIndex) {
  LimRules rules = test_rules("d");
  rules.thresholds = {{*rules.indices.find("nio"), 10}};
  Follower d(rules);
  EXPECT_TRUE(d.lim.own.condition.beyond.empty()) << "not known is not beyond";
  EXPECT_THAT(d.elims_say("nio", 11), Contains("SendReport 1 1 names 1 values condition busy"));
}

TEST(LimOwn, LockedForATimeAndForEver) {
  Follower d;
  EXPECT_THAT(d.tell(event::LockAsked{600, 42}), Contains("SendReport 1 condition lockU"));
  EXPECT_EQ(d.lim.own.condition.locked_until_us, 42);
  bool unlocked = false;
  for (int i = 0; i < 60; ++i) {
    d.tell(event::PeerRenewed{1, true, "a"});
    for (const std::string& text : d.pass(seconds(10))) unlocked |= text == "SendReport 1 condition";
    EXPECT_EQ(unlocked, i == 59) << i;
  }
  d.tell(event::LockAsked{0, 0});
  d.pass(seconds(15));
  EXPECT_TRUE(d.lim.own.condition.locked_by_administrator);
  EXPECT_THAT(d.tell(event::UnlockAsked{}), Contains("SendReport 1 condition"));
  EXPECT_FALSE(d.lim.own.condition.locked_by_administrator);
}

TEST(LimOwn, OutsideItsRunWindowAHostIsLocked) {
  LimRules rules = test_rules("d");
  rules.run_windows = *TimeWindows::parse("8:00-18:00");
  Follower d(rules);
  EXPECT_THAT(d.sample({}, {1, 7 * 60}), IsEmpty()) << "it began at midnight: locked already";
  EXPECT_TRUE(d.lim.own.condition.locked_by_window);
  d.sample({}, {1, 9 * 60});
  EXPECT_FALSE(d.lim.own.condition.locked_by_window);
}

TEST(LimOwn, AnElimOverridesABuiltInIndex) {
  Follower d;
  d.elims_say("tmp", 20);
  d.sample({{tmp, 500}});
  EXPECT_EQ(d.lim.own.load[tmp].number, 20);
  d.tell(event::OrdersArrived{1, {}});
  d.sample({{tmp, 500}});
  EXPECT_EQ(d.lim.own.load[tmp].number, 500) << "no elims run here any more";
}

TEST(LimOwn, AValueStaysWhenItsElimIsGone) {
  Follower d;
  d.elims_say("nio", 5);
  d.tell(event::MelimLost{"signal 9"});
  EXPECT_EQ(d.notes(), "melim ended (signal 9); its values are kept, it is started again\n");
  EXPECT_EQ(d.lim.own.load[d.id("nio")].number, 5);
}

TEST(LimOwn, WordsAndNumbersKeepToTheirResources) {
  Follower d;
  d.elims_say("site", 5);   // a String
  d.elims_say("ncpus", 9);  // no load index
  d.elims_say("other", 1);  // nowhere configured
  EXPECT_TRUE(d.lim.own.load[d.id("site")].word.empty());
  EXPECT_EQ(d.lim.own.load[d.id("ncpus")].number, kUnknownLoad);
  wire::MelimReport report;
  auto& value = *report.add_values();
  value.set_name("site");
  value.set_word("ok");
  d.tell(event::ElimsReported{report});
  EXPECT_EQ(d.lim.own.load[d.id("site")].word, "ok");
}

TEST(LimOwn, ForgetsValuesThatAreNoLongerAskedFor) {
  Follower d;
  d.tell(event::OrdersArrived{1, {"nio", "scratch"}});
  d.elims_say("scratch", 5);
  EXPECT_THAT(d.tell(event::OrdersArrived{1, {"nio"}}), Contains("OrderMelim nio"));
  EXPECT_EQ(d.lim.own.load[d.id("scratch")].number, kUnknownLoad);
}

TEST(LimOwn, TheSameOrdersAreNotGivenTwice) {
  Follower d;
  EXPECT_THAT(d.tell(event::OrdersArrived{1, {"nio", "site"}}), IsEmpty());
  EXPECT_THAT(d.tell(event::OrdersArrived{9, {"scratch"}}), IsEmpty()) << "not from the master";
}

TEST(LimOwn, ElimStatesGoWhenOneChanged) {
  Follower d;
  wire::MelimReport report;
  report.add_elims()->set_name("elim.nio");
  d.tell(event::ElimsReported{report});
  EXPECT_THAT(d.pass(seconds(10)), Contains("SendReport 1 1 elims"));
  d.tell(event::PeerRenewed{1, true, "a"});
  d.tell(event::ElimsReported{report});
  EXPECT_THAT(d.pass(seconds(10)), Contains("SendReport 1 alive"));
}

TEST(LimOwn, NewFactsAreRegistered) {
  Follower d;
  HostFacts facts;
  facts.ncpus = 8;
  EXPECT_THAT(d.tell(event::FactsFound{facts}), Contains("SendRegister 1"));
  EXPECT_THAT(d.tell(event::FactsFound{facts}), IsEmpty()) << "nothing new";
  EXPECT_EQ(registration(d.lim).facts().ncpus(), 8);
  EXPECT_EQ(registration(d.lim).facts().name(), "d");
  EXPECT_EQ(registration(d.lim).configuration(), "files");
}

}  // namespace
}  // namespace rollcall::lim
