// No slot is ever in two hands, whatever the network, restarts and a second master do; deliberate faults are found, or another layer holds;
// and when the faults stop every lease ends as it should.
#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>

#include "tests/sim/lease_world.hpp"

namespace rollcall::sched::lease {
namespace {

constexpr int kSteps = 400;

// ROLLCALL_SIM_SEEDS: how many; 500.
std::uint64_t seeds() {
  const char* asked = std::getenv("ROLLCALL_SIM_SEEDS");
  return asked ? std::strtoull(asked, nullptr, 10) : 500;
}

std::string run(std::uint64_t seed, Fault fault, bool shared, Licences licences = Licences::none) {
  LeaseWorld world(seed, fault, shared, licences);
  for (int i = 0; i < kSteps && world.broken.empty(); ++i) world.step();
  return world.broken;
}

// The first seed whose world breaks with the fault, with `words` in the text of the break. 0: none. The same world must hold without the fault,
// or else something different broke it.
std::uint64_t finds(std::uint64_t first, std::uint64_t last, Fault fault, Licences licences = Licences::none,
                    const std::string& words = "") {
  for (std::uint64_t seed = first; seed <= last; ++seed) {
    const std::string broken = run(seed, fault, seed % 2 == 0, licences);
    if (broken.empty() || broken.find(words) == std::string::npos) continue;
    EXPECT_EQ(run(seed, Fault::none, seed % 2 == 0, licences), "") << "without the fault, seed " << seed;
    testing::Test::RecordProperty("seed", std::to_string(seed));
    return seed;
  }
  return 0;
}

TEST(LeaseSim, NoSlotIsInTwoHands) {
  for (const bool shared : {false, true})
    for (std::uint64_t seed = 1; seed <= seeds(); ++seed)
      ASSERT_EQ(run(seed, Fault::none, shared), "") << (shared ? "shared" : "exclusive") << " seed " << seed;
}

TEST(LeaseSim, NoLicenceIsInTwoHands) {
  for (const Licences licences : {Licences::fixed, Licences::reported})
    for (const bool shared : {false, true})
      for (std::uint64_t seed = 1; seed <= seeds(); ++seed)
        ASSERT_EQ(run(seed, Fault::none, shared, licences), "")
            << (licences == Licences::fixed ? "fixed " : "reported ") << (shared ? "shared" : "exclusive")
            << " seed " << seed;
}
TEST(LeaseSim, SidesAgreeOnLicencesWhenTheFaultsStop) {
  int holders = 0;
  for (std::uint64_t seed = 1; seed <= seeds() / 5; ++seed) {
    LeaseWorld world(seed, Fault::none, seed % 2 == 0, Licences::fixed);
    for (int i = 0; i < kSteps; ++i) world.step();
    holders += world.holders;
    const bool withdrawn = seed % 3 == 0;
    world.quiet(withdrawn);
    ASSERT_EQ(world.broken, "") << "seed " << seed;
    if (withdrawn)
      ASSERT_TRUE(world.gone()) << "seed " << seed << ": " << world.text();
    else
      ASSERT_EQ(world.wrong_end(LeaseWorld::kSlots), "") << "seed " << seed << ": " << world.text();
  }
  if (seeds() >= 500) {  // a sanitizer's few worlds may have none
    EXPECT_GT(holders, static_cast<int>(seeds() / 10));
  }
}
// What counts beside an elim's value though its job has checked it out is idle, until the job ends.
TEST(LeaseSim, AllReportedLicencesAreLentWhenJobsHaveEnded) {
  int holders = 0;
  for (std::uint64_t seed = 1; seed <= seeds() / 5; ++seed) {
    LeaseWorld world(seed, Fault::none, seed % 2 == 0, Licences::reported);
    for (int i = 0; i < kSteps; ++i) world.step();
    holders += world.holders;
    world.quiet(false);
    ASSERT_EQ(world.broken, "") << "seed " << seed;
    ASSERT_EQ(world.wrong_end(LeaseWorld::kSlots), "") << "seed " << seed << ": " << world.text();
    ASSERT_EQ(world.lent_licences(), LeaseWorld::kLicences) << "seed " << seed << ": " << world.text();
  }
  if (seeds() >= 500) {  // a sanitizer's few worlds may have none
    EXPECT_GT(holders, static_cast<int>(seeds() / 10));
  }
}

// A number of another master is exceeded: this world does not end without that rule.
TEST(LeaseSim, AWorldThatBrokeOnceHolds) {
  LeaseWorld world(1107, Fault::none, false);
  for (int i = 0; i < kSteps; ++i) world.step();
  world.quiet(true);
  EXPECT_TRUE(world.gone()) << world.text();
}

// Else the tests above could pass because nothing happens.
TEST(LeaseSim, JobsStartAndSlotsComeBack) {
  int started = 0, moved = 0, asked_anew = 0;
  for (std::uint64_t seed = 1; seed <= 230; ++seed) {
    LeaseWorld world(seed, Fault::none, true);
    for (int i = 0; i < kSteps; ++i) world.step();
    started += world.started, moved += world.moved, asked_anew += world.asked_anew;
  }
  EXPECT_GT(started, 400);
  EXPECT_GT(moved, 100);
  EXPECT_GT(asked_anew, 100);
}

TEST(LeaseSim, SidesAgreeWhenTheFaultsStop) {
  for (const bool shared : {false, true})
    for (std::uint64_t seed = 1; seed <= seeds() / 5; ++seed) {
      LeaseWorld world(seed, Fault::none, shared);
      for (int i = 0; i < kSteps; ++i) world.step();
      world.quiet(false);
      ASSERT_EQ(world.broken, "") << "seed " << seed;
      ASSERT_EQ(world.wrong_end(LeaseWorld::kSlots), "") << "seed " << seed << ": " << world.text();
    }
}
// All slots are idle: those of the consumer go to the provider but for one, and the next time all go to the consumer.
TEST(LeaseSim, SidesAgreeOnWhatIsReclaimedWhenTheFaultsStop) {
  for (std::uint64_t seed = 1; seed <= seeds() / 5; ++seed) {
    LeaseWorld world(seed, Fault::none, true);
    for (int i = 0; i < kSteps; ++i) world.step();
    world.quiet(false);
    for (const int slots : {1, LeaseWorld::kSlots}) {
      world.reclaim_idle();
      ASSERT_EQ(world.broken, "") << "seed " << seed;
      ASSERT_EQ(world.wrong_end(slots), "") << "seed " << seed << ": " << world.text();
    }
  }
}

TEST(LeaseSim, AWithdrawnPolicyEndsTheLeaseOnBothSides) {
  for (std::uint64_t seed = 1; seed <= seeds() / 5; ++seed) {
    LeaseWorld world(seed, Fault::none, seed % 2 == 0);
    for (int i = 0; i < kSteps; ++i) world.step();
    world.quiet(true);
    ASSERT_EQ(world.broken, "") << "seed " << seed;
    ASSERT_TRUE(world.gone()) << "seed " << seed << ": " << world.text();
  }
}

class LeaseSimFault : public testing::TestWithParam<Fault> {};

TEST_P(LeaseSimFault, IsFound) { EXPECT_NE(finds(1, 3000, GetParam()), 0u); }
INSTANTIATE_TEST_SUITE_P(All, LeaseSimFault,
                         testing::Values(Fault::jobs_of_a_second_master_are_not_heard_of,
                                         Fault::start_beyond_the_grant_is_passed,
                                         Fault::free_slots_are_not_counted, Fault::local_start_is_not_stored,
                                         Fault::local_jobs_are_not_counted, Fault::killed_jobs_count_as_over,
                                         Fault::used_slots_are_not_counted,
                                         Fault::res_runs_an_ended_attempt_again, Fault::res_reports_no_jobs,
                                         Fault::res_tells_an_end_that_has_not_come));

// A fault that breaks about one world of 10,000, and a seed that finds it. Each rule that is changed and each thing that may happen in the
// world moves these seeds: a test that needs a search prints the seed that belongs here.
struct RareFault {
  Fault fault{};
  std::uint64_t found_by = 0;
};
class LeaseSimRareFault : public testing::TestWithParam<RareFault> {};

// At night it always searches.
TEST_P(LeaseSimRareFault, IsFoundByOneOfManyWorlds) {
  const auto [fault, known] = GetParam();
  if (seeds() < 20'000 && finds(known, known, fault) != 0) return;
  if (seeds() < 500)
    GTEST_SKIP() << "seed " << known
                 << " does not find it any more, and ROLLCALL_SIM_SEEDS is too small for a search";
  const std::uint64_t seed = finds(1, 200'000, fault);
  EXPECT_NE(seed, 0u) << "no seed finds the fault";
  if (seed != 0) std::cout << "found by seed " << seed << "; the table has " << known << "\n";
}
INSTANTIATE_TEST_SUITE_P(All, LeaseSimRareFault,
                         testing::Values(RareFault{Fault::slots_are_used_before_res_has_reported, 8513},
                                         RareFault{Fault::start_is_passed_before_res_has_reported, 5084},
                                         RareFault{Fault::report_of_an_older_term_is_believed, 9057},
                                         RareFault{Fault::res_obeys_an_older_term, 13641}));

class LeaseSimLicenceFault : public testing::TestWithParam<Fault> {};

TEST_P(LeaseSimLicenceFault, IsFound) {
  const bool reported = GetParam() == Fault::reservations_are_taken_as_checked_out;
  EXPECT_NE(finds(1, 3000, GetParam(), reported ? Licences::reported : Licences::fixed, "licences"), 0u);
}
INSTANTIATE_TEST_SUITE_P(All, LeaseSimLicenceFault,
                         testing::Values(Fault::start_beyond_the_instances_is_passed,
                                         Fault::local_instances_are_not_counted,
                                         Fault::lent_instances_are_not_counted,
                                         Fault::reservations_are_taken_as_checked_out));

// One of these alone puts no slot into two hands: RES refuses an older term and says in the present one what it holds, and the provider
// counts that.
class LeaseSimLayer : public testing::TestWithParam<Fault> {};

TEST_P(LeaseSimLayer, AnotherLayerHolds) {
  for (std::uint64_t seed = 1; seed <= seeds() / 2; ++seed)
    ASSERT_EQ(run(seed, GetParam(), seed % 2 == 0), "") << "seed " << seed;
}
INSTANTIATE_TEST_SUITE_P(All, LeaseSimLayer,
                         testing::Values(Fault::acknowledges_with_unanswered_starts,
                                         Fault::acknowledges_without_uses, Fault::grant_is_not_stored,
                                         Fault::slots_are_freed_without_settling,
                                         Fault::res_takes_an_older_number,
                                         Fault::term_is_not_raised_at_a_restart,
                                         Fault::accepted_start_is_not_stored));

}  // namespace
}  // namespace rollcall::sched::lease
