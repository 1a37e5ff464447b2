// The index of hosts: which of them a sieve lets pass, and that a cycle with it finds what one without it finds.
#include "sched/policy/cycle/host_index.hpp"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include "tests/unit/sched/cycle/schedule_driver.hpp"

namespace rollcall::sched::cycle {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::string number(int n) { return std::to_string(n); }

// h0 has 100 MB of mem and 1000 of tmp, h1 200 and 990, ...; four slots each.
Scenario sixteen_hosts() {
  std::string text =
      "Begin Host\nHOST_NAME MXJ\ndefault 4\nEnd Host\nBegin Machine\nHOST_NAME STATUS NCPUS r1m mem tmp\n";
  for (int host = 0; host < 16; ++host)
    text += "h" + number(host) + " ok 4 0." + number(host % 10) + " " + number(100 * (host + 1)) + " " +
            number(1000 - 10 * host) + "\n";
  return scenario_of(text + "End Machine\n");
}

class HostIndexTest : public ::testing::Test {
 protected:
  // The numbers of the hosts that pass; {99} where all may.
  std::vector<HostNumber> passing(const std::string& select) {
    Demand demand;
    demand.queue = "normal";
    demand.resreq = "select[" + select + "]";
    const auto& entry = scenario_.snapshot.demands()[scenario_.snapshot.demand(demand)];
    EXPECT_EQ(entry.compiled->error, "");
    if (!entry.compiled->select->sieve) return {99};
    const WorkingState state(scenario_.snapshot, scenario_.now);
    HostIndex index(state);
    const auto few = index.passing(*entry.compiled->select->sieve);
    return few ? *few : std::vector<HostNumber>{99};
  }
  Scenario scenario_ = sixteen_hosts();
};

TEST_F(HostIndexTest, ComparisonsAreFoundWithoutAskingEachHost) {
  EXPECT_THAT(passing("mem > 1400"), ElementsAre(14, 15));
  EXPECT_THAT(passing("mem >= 1400"), ElementsAre(13, 14, 15));
  EXPECT_THAT(passing("1400 < mem"), ElementsAre(14, 15));
  EXPECT_THAT(passing("mem > 1600"), IsEmpty());
  EXPECT_THAT(passing("mem + tmp > 2300"), ElementsAre(14, 15)) << "h13 has 2270, h14 2360";
}

TEST_F(HostIndexTest, AndTakesTheLeastOrBoth) {
  EXPECT_THAT(passing("mem > 1400 && tmp > 1"), ElementsAre(14, 15));
  EXPECT_THAT(passing("mem > 1500 || mem + tmp > 2440"), ElementsAre(15));
  EXPECT_THAT(passing("mem > 1500 || type == any"), ElementsAre(99)) << "any host may be one of that type";
  EXPECT_THAT(passing("mem > 1500 && type == any"), ElementsAre(15));
}

TEST_F(HostIndexTest, NotTurnsAComparisonRound) {
  EXPECT_THAT(passing("!(mem < 1500)"), ElementsAre(14, 15));
  EXPECT_THAT(passing("!(mem + tmp <= 2360)"), ElementsAre(15));
  EXPECT_THAT(passing("!(mem < 1500 || tmp < 1)"), ElementsAre(14, 15));
  EXPECT_THAT(passing("!(mem < 1600 && tmp < 2000)"), ElementsAre(15))
      << "h15 is none of the first, all are the second";
  EXPECT_THAT(passing("!(!(mem > 1400))"), ElementsAre(14, 15));
}

TEST_F(HostIndexTest, WhereAValueIsNotKnownNotHolds) {
  LoadVector unknown(scenario_.snapshot.rules().indices().size());
  scenario_.snapshot.set_load(3, unknown);
  EXPECT_THAT(passing("!(mem < 1500)"), ElementsAre(3, 14, 15));
  EXPECT_THAT(passing("mem >= 1500"), ElementsAre(14, 15));
}

TEST_F(HostIndexTest, ManyHostsAreNotWorthAList) { EXPECT_THAT(passing("mem > 100"), ElementsAre(99)); }

TEST_F(HostIndexTest, ConditionThatAReservationCouldMakeTrueLetsEveryHostPass) {
  EXPECT_THAT(passing("mem < 150"), ElementsAre(99));
  EXPECT_THAT(passing("r1m > 0.8"), ElementsAre(99));
  EXPECT_THAT(passing("mem - tmp > 600"), ElementsAre(99)) << "less tmp makes it more";
  EXPECT_THAT(passing("!(mem > 150)"), ElementsAre(99));
  EXPECT_THAT(passing("r1m < 0.05"), ElementsAre(0, 10));
  EXPECT_THAT(passing("2 * mem > 3000"), ElementsAre(15));
}

TEST_F(HostIndexTest, FullAndClosedHostsAreNone) {
  scenario_.snapshot.host(15).closed = true;
  Demand any;
  any.queue = "normal";
  const auto demand = scenario_.snapshot.demand(any);
  scenario_.snapshot.place({.key = {1, 0}, .demand = demand, .placement = {.hosts = {{14, 4}}}});
  EXPECT_THAT(passing("mem > 1300"), ElementsAre(13));
}

// ---------------------------------------------------------------- whole cycles

int pick(int least, int most) {
  return *rc::gen::resize(rc::kNominalSize, rc::gen::inRange(least, most + 1));
}

std::string random_select() {
  const auto threshold = [] { return number(50 * pick(1, 30)); };
  switch (pick(0, 9)) {
    case 0:
      return "mem > " + threshold();
    case 1:
      return "mem + tmp > " + threshold();
    case 2:
      return "mem > " + threshold() + " && tmp > " + threshold();
    case 3:
      return "mem > " + threshold() + " || tmp >= " + threshold();
    case 4:
      return "r1m < 0." + number(pick(0, 9));
    case 5:
      return "ut < " + number(pick(1, 100)) + " && 2 * mem >= " + threshold();
    case 6:
      return "mem - r1m > " + threshold();
    case 7:
      return "!(mem < " + threshold() + " && tmp < " + threshold() + ")";
    case 8:
      return "!(mem + tmp < " + threshold() + " || ut > 0.5)";
    default:
      return "mem > 1";
  }
}

// Enough hosts for the index to use lists; some values are unknown.
std::string random_cluster() {
  std::string text = "Begin Host\nHOST_NAME MXJ\ndefault " + number(pick(1, 3)) +
                     "\nEnd Host\nBegin Machine\nHOST_NAME STATUS NCPUS r15s r1m ut pg mem tmp\n";
  const int hosts = pick(4, 24);
  for (int host = 0; host < hosts; ++host) {
    const auto value = [](const std::string& known) { return pick(0, 9) == 0 ? std::string("-") : known; };
    text += "h" + number(host) + (pick(0, 9) == 0 ? " closed" : " ok") + " 4 0." + number(pick(0, 9)) + " " +
            value("0." + number(pick(0, 9))) + " 0." + number(pick(0, 9)) + " 0 " +
            value(number(50 * pick(1, 30))) + " " + value(number(50 * pick(1, 30))) + "\n";
  }
  return text + "End Machine\n";
}

RC_GTEST_PROP(HostIndexProperty, APlanIsTheSameWithAndWithoutTheIndex, ()) {
  const std::string cluster = random_cluster();
  std::string with, without;
  for (int id = 1; id <= pick(1, 30); ++id) {
    const std::string select = random_select();
    const std::string more = pick(0, 2) == 0 ? " rusage[mem=" + number(50 * pick(1, 8)) + "]" : "";
    const std::string order = pick(0, 2) == 0 ? " order[mem]" : "";
    const std::string slots = number(pick(1, 3));
    const auto row = [&](const std::string& asked) {
      return number(id) + " u" + number(id % 3) + " " + slots + " \"select[" + asked + "]" + order + more +
             "\"\n";
    };
    with += row(select);
    // Means the same on every host, cannot be answered by the index, and differs from every other job's.
    without += row("(" + select + ") || 0 > " + number(id));
  }
  const std::string head = "JOB USER SLOTS RES_REQ\n";
  RC_LOG() << cluster << with;
  RC_ASSERT(starts(cluster + pending(head + with)) == starts(cluster + pending(head + without)));
}

}  // namespace
}  // namespace rollcall::sched::cycle
