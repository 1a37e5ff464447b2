// The values LIM decides with: the resource map, a host's status, reports, the host table, facts.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "common/wire/host_facts.hpp"
#include "elim/policy/lim/lim_report.hpp"
#include "tests/unit/elim/lim/lim_driver.hpp"

namespace rollcall::lim {
namespace {

using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(ResourceMap, TheFirstAvailableHostOfEachBracket) {
  ResourceMap map;
  map.shared = {{20, {0, 1, 2}, false}, {20, {3}, false}, {21, {0, 1, 2, 3}, true}, {22, {}, false}};
  EXPECT_THAT(holders(map, {true, true, true, true}, 2), ElementsAre(0, 3, 2, std::nullopt));
  EXPECT_THAT(holders(map, {false, true, true, false}, 2), ElementsAre(1, std::nullopt, 2, std::nullopt));
  EXPECT_THAT(holders(map, {false, false, false, false}, std::nullopt),
              ElementsAre(std::nullopt, std::nullopt, std::nullopt, std::nullopt));
}

TEST(ResourceMap, WhatAHostIsExpectedToReport) {
  ResourceMap map;
  map.each_host = {25};
  map.shared = {{24, {0, 1}, false}, {24, {0}, false}, {22, {}, true}};
  const Holders who = holders(map, {true, true}, 1);
  EXPECT_THAT(expected(map, who, 0), ElementsAre(24, 25)) << "named once, in the order of lsf.shared";
  EXPECT_THAT(expected(map, who, 1), ElementsAre(22, 25));
  map.each_host = {};
  EXPECT_THAT(expected(map, who, 5), IsEmpty()) << "it runs no elims";
}

TEST(LimRules, RanksAndHosts) {
  const LimRules rules = test_rules("d");
  EXPECT_EQ(rules.rank("a"), 0U);
  EXPECT_EQ(rules.rank("d"), 3U) << "no candidate: behind all";
  EXPECT_EQ(rules.find("d"), HostIndex{3});
  EXPECT_EQ(rules.find("z"), std::nullopt);
  EXPECT_EQ(rules.takeover(2), seconds(10) * (3 + 2 * 2));
}

TEST(LimRules, AreMadeFromTheFilesOfACluster) {
  conf::ClusterFiles files;
  files.candidates = {"b"};
  for (const char* name : {"a", "b"}) {
    conf::ClusterHost host;
    host.name = name;
    files.cluster.hosts.push_back(host);
  }
  files.cluster.hosts[0].thresholds = {{"r1m", 2.5}, {"mem", 10}};
  files.cluster.hosts[0].run_windows = *TimeWindows::parse("8:00-18:00");
  files.cluster.hosts[1].server = false;
  files.indices.add({"nio", ResourceType::numeric, ResourceOrder::increasing, 15});
  files.indices.add({"fixed", ResourceType::numeric, ResourceOrder::none, std::nullopt});
  conf::ResourceInstance each{conf::ResourceInstance::Kind::each_host};
  conf::ResourceInstance some{conf::ResourceInstance::Kind::shared, std::nullopt, {"b", "a"}};
  files.cluster.resource_map = {{"nio", {each}}, {"nio", {some}}, {"fixed", {some}}};
  const LimRules rules = lim_rules(files, "a", "digest");
  EXPECT_THAT(rules.resource_map.each_host, ElementsAre(*files.indices.find("nio")));
  ASSERT_EQ(rules.resource_map.shared.size(), 1U)
      << "a static resource is read from the files, not from elims";
  EXPECT_THAT(rules.resource_map.shared[0].hosts, ElementsAre(1, 0));
  EXPECT_EQ(rules.thresholds.size(), 2U);
  EXPECT_FALSE(rules.run_windows.empty());
  EXPECT_FALSE(rules.hosts[1].server);
  EXPECT_TRUE(lim_rules(files, "b", "").thresholds.empty()) << "thresholds are its own host's";
}

TEST(HostStatus, RunQueuesInTheirThreeForms) {
  EXPECT_FLOAT_EQ(queue_length(3, QueueForm::raw, 4, 2), 3);
  EXPECT_FLOAT_EQ(queue_length(3, QueueForm::effective, 4, 2), 0.75F);
  EXPECT_FLOAT_EQ(queue_length(3, QueueForm::normalised, 4, 2), 0.5F) << "(3 + 1) / (4 * 2)";
  EXPECT_FLOAT_EQ(queue_length(3, QueueForm::effective, 0, 0), 3) << "not known: one CPU";
  EXPECT_FLOAT_EQ(queue_length(3, QueueForm::normalised, 0, 0), 4);
  EXPECT_EQ(queue_length(kUnknownLoad, QueueForm::normalised, 4, 1), kUnknownLoad);
}

TEST(HostStatus, ReportsOnlyChangesAboveTheThreshold) {
  EXPECT_FALSE(changed(r1m, 1.0F, 1.04F));
  EXPECT_TRUE(changed(r1m, 1.0F, 1.06F));
  EXPECT_FALSE(changed(ut, 0.5F, 0.504F));
  EXPECT_TRUE(changed(ut, 0.5F, 0.51F));
  EXPECT_FALSE(changed(mem, 10000, 10040));
  EXPECT_TRUE(changed(mem, 10000, 10060));
  EXPECT_FALSE(changed(built_in::io, 1000, 1009));
  EXPECT_TRUE(changed(it, 10, 11));
  EXPECT_TRUE(changed(mem, 0.5F, 0)) << "to nothing";
  EXPECT_TRUE(changed(r1m, kUnknownLoad, 0));
  EXPECT_FALSE(changed(r1m, kUnknownLoad, kUnknownLoad));
  EXPECT_TRUE(changed(40, 1.0F, 1.0001F)) << "an elim knows what it says";
}

TEST(HostStatus, PlacedWorkAddsUp) {
  const TimePoint start{seconds(100)};
  const Raise once = raised({}, 2, start, seconds(40));
  const Raise twice = raised(once, 1, start + seconds(20), seconds(40));
  EXPECT_FLOAT_EQ(twice.slots, 2);
  EXPECT_FLOAT_EQ(left_of(twice, start + seconds(40), seconds(40)), 1);
  EXPECT_FLOAT_EQ(left_of(once, start, Duration{0}), 0) << "ADJUST_DURATION 0";
}

TEST(HostStatus, ShowsEachConditionAsABit) {
  Condition condition;
  EXPECT_EQ(status(true, condition).ByteSizeLong(), 0U) << "ok has no bit";
  condition.beyond = {r1m};
  condition.locked_by_window = true;
  EXPECT_TRUE(status(true, condition).busy());
  EXPECT_TRUE(status(true, condition).locked_by_window());
  EXPECT_TRUE(status(false, condition).unavailable());
  EXPECT_FALSE(status(false, condition).busy()) << "the load of an unavailable host is unknown";
}

TEST(HostTable, EqualTopologiesAreOneText) {
  HostTable table({{"a"}, {"b"}}, 11);
  HostFacts facts;
  facts.topology = "Machine\n  Package\n";
  table.set_facts(0, facts, "");
  table.set_facts(1, facts, "");
  EXPECT_EQ(table[0].topology, table[1].topology);
  EXPECT_EQ(*table[0].topology, facts.topology);
}

// ---------------------------------------------------------------- reports

// A host's end and the master's end of one connection.
struct Ends {
  LimRules rules = test_rules("a");
  OwnLoad own;
  ReportWriter writer;
  HostTable table{rules.hosts, rules.indices.size()};
  Dictionary dictionary;
  std::vector<bool> is_shared = std::vector<bool>(rules.indices.size(), false);
  std::vector<std::uint32_t> held;
  std::vector<SharedValue> shared = std::vector<SharedValue>(3);
  TimePoint now{seconds(50)};

  Ends() { own.load = LoadVector(rules.indices.size()); }
  ReportTarget target() { return {1, table, rules, is_shared, held, shared}; }
  wire::ToLim::Report exchange() {
    const auto report = writer.next(own, rules.indices, now);
    wire::ToLim::Report copy;
    EXPECT_TRUE(copy.ParseFromString(report.SerializeAsString()));
    const auto applied = apply(copy, dictionary, target(), now);
    EXPECT_TRUE(applied) << applied.error().text;
    return report;
  }
  ResourceId id(const char* name) const { return *rules.indices.find(name); }
};

TEST(Reports, EverythingOnceThenWhatChanged) {
  Ends ends;
  ends.own.load[r1m] = {2, "", ends.now};
  ends.own.load[ends.id("site")] = {kUnknownLoad, "ok", ends.now};
  ends.own.condition.beyond = {r1m};
  ends.exchange();
  EXPECT_EQ(ends.table.number(1, r1m), 2);
  EXPECT_EQ(ends.table.word(1, ends.id("site")), "ok");
  EXPECT_THAT(ends.table[1].condition.beyond, ElementsAre(r1m));
  EXPECT_EQ(ends.exchange().ByteSizeLong(), 0U) << "alive";

  ends.now = ends.now + seconds(15);
  ends.own.load[r1m].told = ends.now;
  EXPECT_EQ(ends.exchange().refreshed_size(), 1);
  EXPECT_EQ(ends.table.told(1, r1m), ends.now);
  ends.own.load[ends.id("site")] = {};
  EXPECT_EQ(ends.exchange().lost_size(), 1);
  EXPECT_EQ(ends.table.word(1, ends.id("site")), "");
}

TEST(Reports, ASlowDriftIsTold) {
  Ends ends;
  for (int i = 0; i < 100; ++i) {
    ends.own.load[r1m] = {1 + 0.01F * static_cast<float>(i), "", ends.now};
    ends.exchange();
    EXPECT_NEAR(ends.table.number(1, r1m), ends.own.load[r1m].number, 0.05);
  }
}

TEST(Reports, ElimsAreToldWhenOneChangedAndWhenThereAreNone) {
  Ends ends;
  ends.own.elims.emplace_back().set_name("elim.nio");
  EXPECT_EQ(ends.exchange().elims_size(), 1);
  EXPECT_EQ(ends.exchange().elims_size(), 0);
  ASSERT_EQ(ends.table[1].elims.size(), 1U);
  ends.own.elims.clear();
  EXPECT_TRUE(ends.exchange().no_elims());
  EXPECT_TRUE(ends.table[1].elims.empty());
}

TEST(Reports, OldValuesOfAFirstReportStayOld) {
  Ends ends;
  ends.own.load[ends.id("nio")] = {7, "", TimePoint{seconds(20)}};
  ends.exchange();
  EXPECT_EQ(ends.table.told(1, ends.id("nio")), TimePoint{seconds(20)});
}

TEST(Reports, InvalidReportIsRefused) {
  const auto refused = [](auto change) {
    Ends ends;
    wire::ToLim::Report report;
    report.add_names("r1m");
    change(report);
    return !apply(report, ends.dictionary, ends.target(), ends.now);
  };
  EXPECT_FALSE(refused([](auto&) {}));
  EXPECT_TRUE(refused([](auto& r) { r.add_index(0); }));
  EXPECT_TRUE(refused([](auto& r) { r.add_refreshed(1); }));
  EXPECT_TRUE(refused([](auto& r) { r.add_lost(1); }));
  EXPECT_TRUE(refused([](auto& r) { r.add_words()->set_index(1); }));
  EXPECT_TRUE(refused([](auto& r) { r.mutable_condition()->add_beyond(1); }));
  EXPECT_TRUE(refused([](auto& r) { r.add_age_ms(1); }));
  EXPECT_TRUE(refused([](auto& r) {
    for (int i = 0; i < 5000; ++i) r.add_names("x");
  }));
  // Texts that are too large for an answer.
  EXPECT_FALSE(refused([](auto& r) { r.add_words()->set_value(std::string(1024, 'w')); }));
  EXPECT_TRUE(refused([](auto& r) { r.add_words()->set_value(std::string(1025, 'w')); }));
  EXPECT_TRUE(refused([](auto& r) { r.add_elims()->set_last_error(std::string(300'000, 'e')); }));
}

TEST(Reports, NanIsUnknown) {
  Ends ends;
  wire::ToLim::Report report;
  report.add_names("r1m");
  report.add_index(0);
  report.add_value(std::numeric_limits<float>::quiet_NaN());
  EXPECT_TRUE(apply(report, ends.dictionary, ends.target(), ends.now));
  EXPECT_EQ(ends.table.number(1, r1m), kUnknownLoad);
}

TEST(LimFacts, SurviveTheWayToTheWireAndBack) {
  HostFacts facts;
  facts.name = "a";
  facts.type = "X86_64";
  facts.model = "Xeon";
  facts.cpu_factor = 12.5;
  facts.server = false;
  facts.rexpri = 3;
  facts.ncpus = 16, facts.nprocs = 2, facts.ncores = 8, facts.nthreads = 2, facts.ndisks = 4;
  facts.maxmem = 1, facts.maxswp = 2, facts.maxtmp = 3;
  facts.booleans = {"mg", "docker"};
  facts.dedicated = {"docker"};
  facts.values = {{"site", "x"}};
  facts.topology = "Machine";
  EXPECT_EQ(wire::from_wire(wire::to_wire(facts)), facts);
  EXPECT_EQ(wire::from_wire(wire::Facts{}).cpu_factor, 1.0);
}

TEST(LimFacts, CpuFactorThatNoFileCanHaveIsTheDefault) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  for (const double told : {kInfinity, -kInfinity, std::nan(""), 1e300, 0.0, -1.0}) {
    wire::Facts facts;
    facts.set_cpu_factor(told);
    EXPECT_EQ(wire::from_wire(facts).cpu_factor, 1.0) << told;
  }
  wire::Facts fastest;
  fastest.set_cpu_factor(1e9);
  EXPECT_EQ(wire::from_wire(fastest).cpu_factor, 1e9);
}

TEST(LimFacts, MoreThanFitsIntoAnAnswerIsRefused) {
  wire::Facts facts;
  facts.set_topology(std::string(500'000, 't'));
  EXPECT_TRUE(wire::check_size(facts)) << "the topology is sent only where it fits";
  facts.set_model(std::string(100'000, 'm'));
  EXPECT_TRUE(wire::check_size(facts));
  facts.set_type(std::string(100'000, 't'));
  EXPECT_FALSE(wire::check_size(facts));
}

TEST(LimFacts, LoseControlCharacters) {
  wire::Facts facts;
  facts.set_type("\x1b[31mred\x7f");
  facts.set_model(
      "a\x9b"
      "2Jb\xc2\x9b\xc3\x80");
  facts.add_booleans("a\nb");
  (*facts.mutable_values())["site"] = "\tx";
  const HostFacts shown = wire::from_wire(facts);
  EXPECT_EQ(shown.type, "?[31mred?");
  EXPECT_EQ(shown.model, "a?2Jb?\xc3\x80") << "C1 as one byte and as UTF-8; a letter stays";
  EXPECT_THAT(shown.booleans, ElementsAre("a?b"));
  EXPECT_EQ(shown.values.at("site"), "?x");
}

TEST(LimWords, PrintEachEventAndEffectInOneLine) {
  EXPECT_EQ(text(Event{event::PlacementMade{{{"a", 2}}}}), "PlacementMade a*2");
  EXPECT_EQ(text(Event{event::LockAsked{0, 0}}), "LockAsked for ever");
  EXPECT_EQ(text(Event{event::PeerAnswered{3, "a", "", false, "b"}}), "PeerAnswered 3 a follows b");
  EXPECT_EQ(text(Effect{effect::Note{effect::Note::Severity::warning, "x"}}), "Note warning x");
  EXPECT_EQ(text(Effect{effect::OrderMelim{{}, true}}), "OrderMelim nothing master");
}

}  // namespace
}  // namespace rollcall::lim
