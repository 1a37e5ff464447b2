// lsload's tables, against lines of real LSF sessions with our own host names.
#include "elim/policy/show/show_load.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "common/base/load_vector.hpp"
#include "common/base/table_cells.hpp"
#include "elim/policy/load/elim_state_word.hpp"

namespace rollcall::elim::show {
namespace {

Loads answer() {
  Loads loads;
  for (const char* name :
       {"r15s", "r1m", "r15m", "ut", "pg", "io", "ls", "it", "tmp", "swp", "mem", "scratch", "mode"}) {
    loads.add_names(name);
    const bool word = std::string(name) == "mode";
    loads.add_types(word ? 2 : 0);
    loads.add_built_in(loads.names_size() <= 11);
  }
  return loads;
}

wire::Reply::Load& add(Loads& loads, const std::string& name, std::initializer_list<float> values) {
  auto& host = *loads.add_hosts();
  host.set_host(name);
  for (const float value : values) host.add_values(value);
  return host;
}

constexpr float kMegaInGiga = 1024;

TEST(LoadTable, MatchesARealSession) {
  Loads loads = answer();
  add(loads, "grid01",
      {0.6F, 0.3F, 0.3F, 0.0F, 0.0F, 4, 1, 18, 791 * kMegaInGiga, 853, 7.3F * kMegaInGiga, 1, kUnknownLoad});
  EXPECT_EQ(load_table(loads, {}).value(),
            "HOST_NAME       status  r15s   r1m  r15m   ut    pg  ls    it   tmp   swp   mem\n"
            "grid01              ok   0.6   0.3   0.3   0%   0.0   1    18  791G  853M  7.3G\n");
}

TEST(LoadTable, StarsWhatIsBeyondAndSaysOnlyUnavailOfTheAbsent) {
  Loads loads = answer();
  auto& busy = add(loads, "gridG", {6.2F, 6.9F, 9.5F, 0.85F, 1.1F, 0, 30, 0, 5, 400, 385, 0, 0});
  busy.mutable_status()->set_busy(true);
  busy.add_beyond(0);
  add(loads, "gridV", {}).mutable_status()->set_unavailable(true);
  EXPECT_EQ(load_table(loads, {}).value(),
            "HOST_NAME       status  r15s   r1m  r15m   ut    pg  ls    it   tmp   swp   mem\n"
            "gridG             busy  *6.2   6.9   9.5  85%   1.1  30     0    5M  400M  385M\n"
            "gridV          unavail\n");
}

TEST(LoadTable, EndsWithTheAgeOfTheOldestValueWhereItIsAskedFor) {
  Loads loads = answer();
  auto& host = add(loads, "n2@east", {0.6F, 0.3F, 0.3F, 0, 0, 4, 1, 18, 791, 853, 701, 1, kUnknownLoad});
  for (const auto age : {4200U, 12'900U, 4294967295U}) host.add_age_ms(age);
  add(loads, "n3@east", {0.6F, 0.3F, 0.3F, 0, 0, 4, 1, 18, 791, 853, 701, 1, kUnknownLoad});
  LoadTable table;
  table.age = true;
  EXPECT_EQ(load_table(loads, table).value(),
            "HOST_NAME       status  r15s   r1m  r15m   ut    pg  ls    it   tmp   swp   mem   age\n"
            "n2@east             ok   0.6   0.3   0.3   0%   0.0   1    18  791M  853M  701M    12\n"
            "n3@east             ok   0.6   0.3   0.3   0%   0.0   1    18  791M  853M  701M     -\n");
  EXPECT_EQ(load_fields(loads, "host_name age delimiter=','").value(),
            "HOST_NAME,age\nn2@east,12\nn3@east,-\n");
}

TEST(LoadTable, TakesHostsOfAnotherAnswerByTheNamesOfItsIndices) {
  Loads loads = answer(), more;
  add(loads, "grid01", {0, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, kUnknownLoad});
  for (const char* name : {"mem", "theirs", "ut"}) more.add_names(name);
  auto& host = add(more, "n2@east", {701, 9, 0.5F});
  host.add_beyond(2);
  host.add_age_ms(1000);
  append_loads(loads, more);
  ASSERT_EQ(loads.hosts_size(), 2);
  const auto& added = loads.hosts(1);
  ASSERT_EQ(added.values_size(), loads.names_size());
  EXPECT_EQ(added.values(10), 701);
  EXPECT_EQ(added.values(3), 0.5F);
  EXPECT_EQ(added.values(0), kUnknownLoad);
  EXPECT_EQ(added.age_ms(10), 1000U);
  ASSERT_EQ(added.beyond_size(), 1);
  EXPECT_EQ(added.beyond(0), 3U);
}

TEST(LoadTable, CutsNarrowNamesAndKeepsWideOnes) {
  Loads loads = answer();
  const std::string name = "compute-rack07-node-0037x";
  add(loads, name, {0.4F, 0.1F, 0.1F, 0.02F, 0, 0, 1, 16, 40 * kMegaInGiga, 0, 14.9F * kMegaInGiga, 0, 0});
  EXPECT_EQ(load_table(loads, {}).value().substr(80, 22), "compute-rack07-     ok");
  LoadTable wide;
  wide.form = LoadTable::Form::wide;
  EXPECT_EQ(load_table(loads, wide).value(),
            "HOST_NAME               status  r15s   r1m  r15m   ut    pg  ls    it   tmp   swp   mem\n"
            "compute-rack07-node-0037x      ok   0.4   0.1   0.1   2%   0.0   1    16   40G    0M 14.9G\n");
}

TEST(LoadTable, CompleteFormHasIoAndTheSitesIndicesInOrder) {
  Loads loads = answer();
  auto& host = add(loads, "grid01", {0, 0, 0, 0, 0, 311, 1, 0, 1297, 0, 701, 45, kUnknownLoad});
  auto& word = *host.add_words();
  word.set_index(12);
  word.set_value("fast");
  add(loads, "grid02", {0, 0, 0, 0, 0, 311, 1, 0, 1297, 0, 701, kUnknownLoad, kUnknownLoad});
  LoadTable table;
  table.form = LoadTable::Form::complete;
  EXPECT_EQ(load_table(loads, table).value(),
            "HOST_NAME               status  r15s   r1m  r15m   ut    pg    io  ls    it   tmp   swp   mem "
            "scratch  mode\n"
            "grid01                      ok   0.0   0.0   0.0   0%   0.0   311   1     0 1297M    0M  701M   "
            " 45.0  fast\n"
            "grid02                      ok   0.0   0.0   0.0   0%   0.0   311   1     0 1297M    0M  701M   "
            "    -     -\n");
}

TEST(LoadTable, ChosenIndicesMayBeAliasesAndMustExist) {
  Loads loads = answer();
  add(loads, "grid01", {0, 1.5F, 0, 0, 0, 0, 0, 0, 0, 0, 0, 45, 0});
  LoadTable table;
  table.indices = {"scratch", "cpu"};
  EXPECT_EQ(load_table(loads, table).value(),
            "HOST_NAME       status scratch   r1m\n"
            "grid01              ok    45.0   1.5\n");
  table.indices = {"nowhere"};
  EXPECT_EQ(load_table(loads, table).error().text, "-I: found \"nowhere\", expected a load index");
}

TEST(LoadTable, ColoursOnlyWhereAsked) {
  Loads loads = answer();
  auto& busy = add(loads, "gridG", {6.2F, 6.9F, 9.5F, 0.85F, 1.1F, 0, 30, 0, 5, 400, 385, 0, 0});
  busy.mutable_status()->set_busy(true);
  busy.add_beyond(0);
  LoadTable table;
  EXPECT_EQ(load_table(loads, table).value().find('\033'), std::string::npos);
  table.colour = true;
  EXPECT_NE(load_table(loads, table).value().find("\033[33m   busy\033[0m \033[33m *6.2\033[0m   6.9"),
            std::string::npos)
      << load_table(loads, table).value();
}

TEST(LoadFields, AreChosenByName) {
  Loads loads = answer();
  add(loads, "grid01", {0, 1.5F, 0.25F, 0, 0, 0, 0, 0, 0, 0, 0, 45, 0});
  add(loads, "gridV", {}).mutable_status()->set_unavailable(true);
  EXPECT_EQ(load_fields(loads, "HOST_NAME:10 status:8 r1m:-6 scratch").value(),
            "HOST_NAME  status      r1m scratch\n"
            "grid01     ok          1.5 45.0\n"
            "gridV      unavail       - -\n");
  EXPECT_FALSE(load_fields(loads, "colour"));
}

TEST(StatusWord, IsOneForEveryCombination) {
  wire::Reply::Status status;
  EXPECT_EQ(status_word(status), "ok");
  status.set_res_down(true);
  EXPECT_EQ(status_word(status), "-ok");
  status.set_busy(true);
  EXPECT_EQ(status_word(status), "-busy");
  status.set_res_down(false);
  status.set_locked_by_administrator(true);
  EXPECT_EQ(status_word(status), "lockU");
  status.set_locked_by_window(true);
  EXPECT_EQ(status_word(status), "lockUW");
  status.set_unavailable(true);
  EXPECT_EQ(status_word(status), "unavail");
}

TEST(LoadJson, HasAgesAndNullForWhatIsNotKnown) {
  Loads loads = answer();
  auto& host = add(loads, "grid01", {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, kUnknownLoad, 0});
  for (int i = 0; i < 11; ++i) host.add_age_ms(4000);
  host.add_age_ms(4294967295U);
  auto& elim = *host.add_elims();
  elim.set_name("elim.scratch");
  elim.set_state(wire::ElimState::GIVEN_UP);
  const auto document = nlohmann::json::parse(load_json(loads, "lsload"));
  const auto& record = document.at("RECORDS").at(0);
  EXPECT_EQ(record.at("HOST_NAME"), "grid01");
  EXPECT_TRUE(record.at("LOAD").at("scratch").is_null());
  EXPECT_TRUE(record.at("LOAD").at("mode").is_null());
  EXPECT_EQ(record.at("LOAD").at("mem"), 0.0);
  EXPECT_EQ(record.at("AGE_MS").at("mem"), 4000);
  EXPECT_FALSE(record.at("AGE_MS").contains("scratch"));
  EXPECT_EQ(record.at("ELIMS").at(0).at("STATE"), "given up");
}

TEST(ElimStateWord, OfANewerLimIsNotTakenForOneOfOurs) {
  EXPECT_STREQ(load::elim_state_word(wire::ElimState::RUNNING), "running");
  EXPECT_STREQ(load::elim_state_word(wire::ElimState::ABORTED), "aborted");
  for (const int state : {4, 7, -1, -2147483647, 2147483647}) {
    EXPECT_STREQ(load::elim_state_word(state), "unknown");
    Loads loads = answer();
    auto& elim = *add(loads, "grid01", {}).add_elims();
    elim.set_state(static_cast<wire::ElimState::State>(state));
    const auto document = nlohmann::json::parse(load_json(loads, "lsload"));
    EXPECT_EQ(document.at("RECORDS").at(0).at("ELIMS").at(0).at("STATE"), "unknown") << state;
  }
}

TEST(LoadJson, SurvivesANameThatIsNoUtf8) {
  Loads loads = answer();
  add(loads, "grid\xff", {});
  EXPECT_TRUE(nlohmann::json::accept(load_json(loads, "lsload")));
}

TEST(Cells, ChangeUnitsWhereLsfDoes) {
  EXPECT_EQ(load_cell("mem", 1023), "1023M");
  EXPECT_EQ(load_cell("mem", 1024), "1.0G");
  EXPECT_EQ(load_cell("tmp", 9999), "9999M");
  EXPECT_EQ(load_cell("tmp", 10240), "10G");
  EXPECT_EQ(load_cell("mem", 2 * 1024 * 1024), "2.0T");
  EXPECT_EQ(load_cell("it", 5444), "5444");
  EXPECT_EQ(load_cell("it", kUnknownLoad), "-");
  EXPECT_EQ(size_cell(0), "-");
  EXPECT_EQ(size_cell(15770), "15.4G");
}

}  // namespace
}  // namespace rollcall::elim::show
