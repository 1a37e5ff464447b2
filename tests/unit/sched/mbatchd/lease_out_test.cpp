// LeaseOut: what answers and starts of a consumer cost, and what becomes of leases of a consumer that is dead.
#include "sched/policy/cycle/tally.hpp"
#include "tests/unit/sched/mbatchd/lease_out_fixture.hpp"

namespace rollcall::mbatchd {
namespace {

using sched::lease::Phase;

TEST_F(LeaseOutTest, LendsSlotsAndLicences) {
  lends();
  EXPECT_EQ(lease().hosts.size(), 2U);
  EXPECT_EQ(lent(), 3);
  EXPECT_EQ(start(1, "hostA", 2), "");
  EXPECT_EQ(start(2, "hostB", 2), "resource lic is in use");
  EXPECT_EQ(start(3, "hostB", 1), "");
  EXPECT_EQ(start(4, "hostB", 0), "");
  EXPECT_EQ(start(5, "hostB", 0), "the slots of the lease on host hostB are in use")
      << "it has no third slot";
  EXPECT_EQ(start(offer(6, "hostA", lease().number.counter - 1, 0)), "the lease has changed");
}

TEST_F(LeaseOutTest, ALeaseThatNobodyTookEndsWithWhatItWasOf) {
  for (const char* host : {"hostA", "hostB"}) res_comes(host);
  out->serves("west");
  flush();
  ASSERT_EQ(lease().phase, Phase::offered);
  exports("Begin HostExport\nPER_HOST = hostA\nSLOTS = 2\nDISTRIBUTION = ([west, 1])\nEnd HostExport\n");
  ASSERT_EQ(out->reports().size(), 1U);
  EXPECT_EQ(lease().hosts.size(), 1U) << "hostB is not exported any more";
  exports("");
  EXPECT_THAT(out->reports(), testing::IsEmpty());
}

TEST_F(LeaseOutTest, KeepsTheMemoryOfAHostOverARestartUntilLimTellsOfIt) {
  const auto memory = [this] { return lease().hosts.at(0).has.memory_mb; };
  memory_mb["hostA"] = 600;
  exports(
      "Begin HostExport\nPER_HOST = hostA\nSLOTS = 2\nMEM = 1000\nDISTRIBUTION = ([west, 1])\nEnd "
      "HostExport\n");
  ASSERT_EQ(memory(), 600);
  memory_mb.clear();
  begin();
  EXPECT_EQ(memory(), 600) << "the policy exports 1000 MB, and the host has less";
  memory_mb["hostA"] = 800;
  reads(configuration);
  EXPECT_EQ(memory(), 800);
}

// Exported memory is an upper limit: there may be less that is free.
class LeaseOutMemory : public LeaseOutTest {
 protected:
  LeaseOutMemory() {
    free_mb = {{"hostA", 300}, {"hostB", 300}};
    out->serves("west");
  }
  static std::string exported(int mb, const std::string& cluster) {
    return "Begin HostExport\nPER_HOST = hostA\nSLOTS = 1\nMEM = " + std::to_string(mb) +
           "\nDISTRIBUTION = ([" + cluster + ", 1])\nEnd HostExport\n";
  }
  // mem of hostA.
  float told() const {
    for (auto one = said.rbegin(); one != said.rend(); ++one)
      if (one->has_lease_loads())
        for (const auto& host : one->lease_loads().hosts())
          for (int i = 0; i < host.names_size(); ++i)
            if (host.facts().name() == "hostA" && host.names(i) == "mem") return host.values(i);
    return -1.0F;
  }
};

TEST_F(LeaseOutMemory, IsToldAsFreeLessWhatIsExportedToOthers) {
  exports(exported(1000, "west"));
  EXPECT_EQ(told(), 300);
  exports(exported(1000, "west") + exported(200, "north"));
  EXPECT_EQ(told(), 100);
}

TEST_F(LeaseOutMemory, IsToldAsFreeLessWhatOwnJobsReserve) {
  exports(exported(1000, "west"));
  const WallTime later{io::wall_now().us + 3'600'000'000};
  for (const WallTime until : {WallTime{}, later}) {
    const sched::JobKey own{submit(sched::book::plain_job()), 0};
    auto plan = sched::book::on_hosts({"hostA"});
    plan.placement.reservations = {{"mem", sched::HostId("hostA"), 100, until, false}};
    follows(effects = book->hosts().dispatch(own, plan, now));
  }
  exports(exported(1000, "west"));
  EXPECT_EQ(told(), 100) << "one of them reserves it for a while";
}

TEST_F(LeaseOutTest, ChoosesHostsByWhatTheyShare) {
  const auto chosen = [this](const std::string& select) {
    exports("Begin HostExport\nRES_SELECT = " + select +
            "\nNHOSTS = 1\nDISTRIBUTION = ([west, 1])\nEnd HostExport\n");
    return lease().hosts.size();
  };
  for (const char* host : {"hostA", "hostB"}) res_comes(host);
  EXPECT_EQ(chosen("lic>=4"), 1U);
  EXPECT_EQ(chosen("lic>4"), 0U);
}

// All slots stay the consumer's, so the grant is the same.
TEST_F(LeaseOutTest, TellsTheTypeOfAPolicyThatWasChanged) {
  lends();
  said.clear();
  const auto number = lease().number;
  exports(
      "Begin HostExport\nPER_HOST = hostA hostB\nSLOTS = 2\nTYPE = shared\nDISTRIBUTION = ([west, 1])\nEnd "
      "HostExport\n" +
      licences_lent(3));
  EXPECT_TRUE(lease().shared);
  EXPECT_EQ(lease().number, number);
  const auto told =
      std::find_if(said.begin(), said.end(), [](const auto& one) { return one.has_lease_stands(); });
  ASSERT_NE(told, said.end());
  EXPECT_EQ(told->lease_stands().type(), wire::LeaseStands::SHARED);
}

// hostB and west are dead, and the policy takes licences away.
class LeaseOfADeadConsumer : public LeaseOutTest {
 protected:
  LeaseOfADeadConsumer() {
    lends();
    EXPECT_EQ(start(1, "hostA", 1), "");
    out->host_gone("hostB");
    out->lost("west");
    exports(hosts_lent() + licences_lent(1));
    res_answers("hostA");
    EXPECT_EQ(lease().phase, Phase::inactive);
    EXPECT_EQ(lent(), 3) << "a job on hostB may have them";
  }
  std::vector<std::string> line(const std::string& state) const {
    return {"Lease <lab#" + std::to_string(lease().id.number) + "> of cluster <west> is " + state +
            ": what is taken from it is free without an answer; its jobs here hold 1 slots, 1 of lic until "
            "they end"};
  }
};

TEST_F(LeaseOfADeadConsumer, GivesItsLicencesBackWhenItIsWrittenOff) {
  EXPECT_EQ(out->write_off("west", true), line("inactive"));
  EXPECT_EQ(lent(), 3) << "it was only said";
  EXPECT_EQ(out->write_off("west", false), line("inactive"));
  EXPECT_EQ(lease().phase, Phase::active);
  EXPECT_EQ(lent(), 1);
  EXPECT_TRUE(out->is_written_off("west"));
  EXPECT_EQ(out->write_off("west", false), line("active, and is written off already")) << "it is open";
  EXPECT_EQ(lent(), 1);
  EXPECT_THAT(out->write_off("north", false), testing::IsEmpty());
}
TEST_F(LeaseOfADeadConsumer, StaysWrittenOffOverARestart) {
  out->write_off("west", false);
  begin();
  exports(licences_lent(1));
  EXPECT_NE(lease().phase, Phase::active);
  EXPECT_EQ(lent(), 1) << "its job is there";
  ends(job_of(1), 0);
  follows(effects);
  flush();
  flush();
  EXPECT_THAT(out->reports(), testing::IsEmpty());
  EXPECT_EQ(lent(), 0);
}
TEST_F(LeaseOfADeadConsumer, CountsAgainWhenItConnects) {
  out->write_off("west", false);
  out->serves("west");
  exports(hosts_lent());
  EXPECT_EQ(lease().phase, Phase::recalling);
  ends(job_of(1), 0);
  follows(effects);
  flush();
  EXPECT_EQ(lent(), 1) << "it may have started a job";
  begin();
  out->serves("west");
  flush();
  EXPECT_EQ(lent(), 1);
  west_answers();
  EXPECT_EQ(lent(), 0);
}
TEST_F(LeaseOfADeadConsumer, CountsAfterARestartTooWhereTheStoreFailedWhenItConnected) {
  out->write_off("west", false);
  disk.fail_next(1, io::StoreError::Kind::failed);
  out->serves("west");
  out->load_came();
  flush();
  begin();
  EXPECT_FALSE(out->is_written_off("west"));
}

// One slot of each host goes. The job that was started second has both, and the last one may go on.
TEST_F(LeaseOutTest, KillsNoJobWhereOneThatEndsAlreadyGivesTheSlotBack) {
  lends();
  ASSERT_EQ(start(1, "hostA", 0), "");
  now.us += 1'000'000;
  auto wide = offer(2, "hostA", lease().number.counter, 0);
  auto& more = *wide.add_more_lent();
  more = wide.lent();
  more.set_host("hostB");
  ASSERT_EQ(start(wide), "");
  now.us += 1'000'000;
  ASSERT_EQ(start(3, "hostB", 0), "");
  const auto is_ended = [this](int id) { return book->jobs().find(job_of(id))->record.from().withdrawn(); };
  exports(
      "Begin HostExport\nPER_HOST = hostA hostB\nSLOTS = 1\nDISTRIBUTION = ([west, 1])\nEnd HostExport\n");
  EXPECT_FALSE(is_ended(1));
  EXPECT_TRUE(is_ended(2));
  EXPECT_FALSE(is_ended(3));
}

// The administrator takes hostB out of lsf.cluster; its RES is gone.
TEST_F(LeaseOutTest, GoesOnWithTheOtherHostsWhenOneIsNoServerAnyMore) {
  lends();
  EXPECT_EQ(start(1, "hostB", 0), "");
  out->host_gone("hostB");
  reads(configuration_of(provider_files(hosts_lent() + licences_lent(3), "hostA X86_64\n")));
  EXPECT_EQ(lease().phase, Phase::recalling);
  EXPECT_EQ(start(2, "hostA", 0), "the lease has changed");
  ASSERT_TRUE(out->heard("west", answer({{"hostB", 1}})));
  flush();
  EXPECT_EQ(lease().phase, Phase::active);
  EXPECT_EQ(lease().reason, "its jobs on hostB are being ended: the host is no longer exported");
  EXPECT_EQ(start(3, "hostA", 1), "");
  EXPECT_NE(start(4, "hostB", 0), "");
  EXPECT_EQ(lease().hosts.size(), 2U) << "its job may run still";
  ends(job_of(1), 0);
  follows(effects);
  flush();
  EXPECT_EQ(lease().hosts.size(), 1U);
  EXPECT_EQ(lease().reason, "");
}

// Another cluster must not have us look at all jobs on lent slots as often as it likes.
TEST_F(LeaseOutTest, ManyAnswersAndStaleStartsAreOneStepOfALease) {
  lends();
  EXPECT_EQ(start(1, "hostA", 1), "");
  flush();
  const auto counts = out->counts(), steps = out->steps();
  for (int i = 0; i < 1000; ++i) {
    ASSERT_TRUE(out->heard("west", answer({{"hostA", i % 2 + 1}})));
    EXPECT_EQ(start(offer(2, "hostA", lease().number.counter - 1, 1)), "the lease has changed");
    EXPECT_EQ(start(offer(2, "hostA", lease().number.counter, 3)), "resource lic is in use");
  }
  EXPECT_EQ(out->steps(), steps);
  flush();
  EXPECT_EQ(out->steps(), steps + 1);
  EXPECT_LE(out->counts(), counts + 1);
}
// It keeps its scheduler busy else.
TEST_F(LeaseOutTest, AnswersOfAConsumerPlanNothingWhereNoSlotComesBack) {
  lends();
  planned = 0;
  for (int i = 0; i < 10; ++i) {
    ASSERT_TRUE(out->heard("west", answer({{"hostA", i % 2}})));
    flush();
  }
  EXPECT_EQ(planned, 0);
  exports("");
  for (const char* host : {"hostA", "hostB"}) res_answers(host);
  EXPECT_GT(planned, 0);
}
// Each row that is written is a commit, and has all jobs on lent slots counted anew.
TEST_F(LeaseOutTest, AWithdrawnLeaseIsNotWrittenAgainWhileItWaits) {
  lends();
  exports("");
  for (const char* host : {"hostA", "hostB"}) res_answers(host);
  out->lost("west");
  begin();
  ASSERT_THAT(out->write_off("west", true), testing::ElementsAre(testing::HasSubstr("is returned")));
  flush();
  disk.fail_next(1, io::StoreError::Kind::failed);
  for (int i = 0; i < 5; ++i) {
    out->touched({{1, 0}});
    out->changed({{1, 0}});
    flush();
  }
  EXPECT_TRUE(disk.fails_next()) << "nothing was written";
}
TEST_F(LeaseOutTest, DoesNotBeginWithALeaseThatItCannotRead) {
  EXPECT_TRUE(out->begin());
  EXPECT_TRUE(out->load({"lease", "7", "\xff not a row"}));
  const auto begun = out->begin();
  ASSERT_FALSE(begun);
  EXPECT_EQ(begun.error().text,
            "the row of lease \"7\" in the store cannot be read: slots that it has lent would be used twice");
}
// A start must not have us look at all jobs on lent slots, and neither must its end.
TEST_F(LeaseOutTest, AJobThatStartsOrEndsIsCountedAlone) {
  lends();
  const auto used = [this] { return lease().resources.at(0).used; };
  EXPECT_EQ(start(1, "hostA", 1), "");
  const auto counts = out->counts();
  EXPECT_EQ(start(2, "hostB", 1.5), "");
  EXPECT_EQ(used(), 2.5);
  EXPECT_EQ(start(3, "hostB", 1), "resource lic is in use");
  ends(job_of(1), 0);
  follows(effects);
  EXPECT_EQ(used(), 1.5);
  EXPECT_EQ(start(3, "hostB", 1), "");
  EXPECT_EQ(used(), 2.5);
  EXPECT_EQ(out->counts(), counts);
  out->hosts_changed();
  EXPECT_EQ(used(), 2.5) << "all are counted again";
  EXPECT_EQ(out->counts(), counts + 1);
}
TEST_F(LeaseOutTest, TakesTheNewestOfSeveralAnswers) {
  lends();
  const auto number = lease().number;
  auto older = answer({});
  exports(hosts_lent() + licences_lent(1));
  ASSERT_NE(lease().number, number);
  auto newest = answer({});
  newest.set_wants(false);
  ASSERT_TRUE(out->heard("west", newest));
  ASSERT_TRUE(out->heard("west", older)) << "an answer that came late changes nothing";
  EXPECT_EQ(lease().phase, Phase::inactive) << "the turn is not over";
  flush();
  EXPECT_EQ(lease().phase, Phase::active);
  EXPECT_EQ(lent(), 1);
}

// The consumer shows what it was told last.
TEST_F(LeaseOutTest, TellsTheTypeOfItsPolicyAndNoReasonOfAnEarlierOne) {
  const auto type = [this] {
    const auto told =
        std::find_if(said.rbegin(), said.rend(), [](const auto& one) { return one.has_lease_stands(); });
    return told == said.rend() ? wire::LeaseStands::NOT_TOLD : told->lease_stands().type();
  };
  lends();
  EXPECT_EQ(type(), wire::LeaseStands::EXCLUSIVE);
  said.clear();
  exports(
      "Begin HostExport\nPER_HOST = hostA hostB\nSLOTS = 2\nTYPE = shared\nDISTRIBUTION = ([west, 1])\n"
      "End HostExport\n");
  EXPECT_TRUE(lease().shared);
  EXPECT_EQ(type(), wire::LeaseStands::SHARED);
  for (int turn = 0; turn < 3; ++turn) {
    for (const char* host : {"hostA", "hostB"}) res_answers(host);
    west_answers();
  }
  out->tick(TimePoint{std::chrono::hours(1)});
  out->tick(TimePoint{std::chrono::hours(2)});
  flush();
  EXPECT_NE(lease().reason, "") << "idle slots were divided";
  said.clear();
  exports(hosts_lent());
  EXPECT_FALSE(lease().shared);
  EXPECT_EQ(lease().reason, "");
  EXPECT_EQ(type(), wire::LeaseStands::EXCLUSIVE);
}

// MC_RECLAIM_DELAY is ten minutes where lsb.params does not have it.
TEST_F(LeaseOutTest, LooksAtIdleSlotsEveryTenMinutesAndSaysWhyNoneMoves) {
  lends();
  exports(
      "Begin HostExport\nPER_HOST = hostA\nSLOTS = 2\nTYPE = shared\nDISTRIBUTION = ([west, 1])\n"
      "End HostExport\n");
  for (int turn = 0; turn < 3; ++turn) {
    for (const char* host : {"hostA", "hostB"}) res_answers(host);
    west_answers();
  }
  const TimePoint from{std::chrono::hours(1)};
  const auto reason_after = [&](int minutes) {
    out->tick(from + std::chrono::minutes(minutes));
    flush();
    for (const char* host : {"hostA", "hostB"}) res_answers(host);
    west_answers();
    return lease().reason;
  };
  EXPECT_EQ(reason_after(0), "");
  EXPECT_EQ(reason_after(9), "");
  EXPECT_THAT(reason_after(10),
              testing::HasSubstr("2 idle slots of the consumer, 0 of the provider: all go"));
  EXPECT_THAT(reason_after(19), testing::HasSubstr("2 idle slots of the consumer, 0 of the provider"));
  EXPECT_EQ(reason_after(20),
            "1 idle slot of the consumer, 1 of the provider: the lease stays as it is (idle slots count, not "
            "demand)");
}

TEST_F(LeaseOutTest, TellsWhichHostsOfASharedLeaseStayWithoutSlots) {
  const auto shares = [](const std::string& hosts) {
    return "Begin HostExport\nPER_HOST = " + hosts +
           "\nSLOTS = 2\nTYPE = shared\nDISTRIBUTION = ([west, 1])\nEnd HostExport\n";
  };
  const auto settle = [this] {
    for (int turn = 0; turn < 3; ++turn) {
      for (const char* host : {"hostA", "hostB"}) res_answers(host);
      west_answers();
    }
  };
  // "hostA:1 hostB:0", as west was told last.
  const auto told = [this] {
    std::string hosts;
    for (const auto& one : said) {
      if (!one.has_lease_stands()) continue;
      hosts.clear();
      for (const auto& host : one.lease_stands().hosts())
        hosts += (hosts.empty() ? "" : " ") + host.host() + ":" + std::to_string(host.slots()) +
                 (host.stays() ? "" : " left");
    }
    return hosts;
  };
  lends();
  exports(shares("hostA hostB"));
  settle();
  for (const int minutes : {0, 10}) {
    out->tick(TimePoint{std::chrono::hours(1)} + std::chrono::minutes(minutes));
    flush();
    settle();
  }
  ASSERT_EQ(lease().phase, Phase::active);
  EXPECT_EQ(told(), "hostA:1 hostB:0");
  begin();
  said.clear();
  out->serves("west");
  flush();
  EXPECT_EQ(told(), "hostA:1 hostB:0") << "after a restart, before hosts have connected";
  exports(shares("hostA"));
  EXPECT_EQ(told(), "hostA:1");
}

// It needs them again when the job that preempted it ends.
TEST_F(LeaseOutTest, GivesAConsumerNoSlotsOfItsOwnPreemptedJobs) {
  exports(
      "Begin HostExport\nRES_SELECT = type==X86_64\nNHOSTS = 1\nTYPE = shared\nDISTRIBUTION = ([west, 1])\n"
      "End HostExport\n");
  lends();
  ASSERT_EQ(lease().hosts.size(), 1U);
  const std::string host = lease().hosts[0].host;
  const auto has = [&] { return lease().hosts[0].has.slots; };
  ASSERT_EQ(has(), 1) << "of four, which both sides share";
  const sched::JobKey own{submit(sched::book::plain_job()), 0};
  auto plan = sched::book::on_hosts({host});
  plan.placement.hosts[0].slots = 3;
  follows(effects = book->hosts().dispatch(own, plan, now));
  runs(own);
  follows(effects = book->hosts().suspend(own, {wire::SUSPEND_PREEMPT, "preempted", {9, 0}}, now));
  ASSERT_EQ(keeper->snapshot().tallies().slots[*keeper->snapshot().rules().host(host)], 0);
  const auto divides = [&](int hours) {
    out->tick(TimePoint{std::chrono::hours(hours)});
    flush();
    for (const char* each : {"hostA", "hostB"}) res_answers(each);
    west_answers();
  };
  for (const int hours : {1, 2}) divides(hours);
  EXPECT_EQ(has(), 1);
  EXPECT_THAT(lease().reason, testing::StartsWith("1 idle slot of the consumer, 0 of the provider"));
  ends(own, 0);
  follows(effects);
  divides(3);
  EXPECT_EQ(has(), 4) << "they are idle";
}

class LeaseOutOfALateShare : public LeaseOutTest {
 protected:
  static std::string chosen(int hosts, const std::string& distribution, const std::string& type = "") {
    return "Begin HostExport\nRES_SELECT = type==X86_64\nNHOSTS = " + std::to_string(hosts) + "\n" + type +
           "DISTRIBUTION = (" + distribution + ")\nEnd HostExport\n";
  }
  // "NUMBER: REASON" of each lease of west; number 0: it has none.
  std::vector<std::string> west() const {
    std::vector<std::string> reasons;
    for (const auto& report : out->reports())
      if (report.cluster == "west")
        reasons.push_back(std::to_string(report.id.number) + ": " + report.reason);
    return reasons;
  }
};

TEST_F(LeaseOutOfALateShare, SaysOfALeaseWhyItsPolicyHasNothingMoreForIt) {
  const std::string shared = "TYPE = shared\n";
  exports(chosen(2, "[west, 1] [north, 1]", shared));
  for (const char* host : {"hostA", "hostB"}) res_comes(host);
  out->serves("west");
  ASSERT_TRUE(out->heard("west", answer({}, false)));
  flush();
  for (int turn = 0; turn < 3; ++turn) {
    for (const char* host : {"hostA", "hostB"}) res_answers(host);
    west_answers();
  }
  EXPECT_EQ(start(1, "hostA", 0), "");
  out->tick(TimePoint{std::chrono::hours(1)});
  out->tick(TimePoint{std::chrono::hours(2)});
  flush();
  ASSERT_THAT(west(), testing::ElementsAre(testing::HasSubstr("idle"))) << "idle slots were divided";
  const std::string number = std::to_string(lease().id.number);
  exports(chosen(2, "[west, 1] [north, 1000]", shared));
  EXPECT_THAT(west(),
              testing::ElementsAre(testing::AllOf(testing::StartsWith(number + ": its share of the 2 hosts"),
                                                  testing::EndsWith("is less than one"))));
}

TEST_F(LeaseOutOfALateShare, SaysNothingOfALeaseOfAnotherPolicy) {
  lends();
  const std::string number = std::to_string(lease().id.number);
  EXPECT_EQ(start(1, "hostA", 0), "");
  exports(chosen(1, "[north, 5] [west, 1]"));
  EXPECT_THAT(west(),
              testing::ElementsAre(number + ": waits for its jobs on hostA to end: slots are taken back",
                                   testing::StartsWith("0: its share of the 1 host")));
}

TEST_F(LeaseOutTest, SaysWhichSlotsOfAWholeHostItsOwnJobsUseStill) {
  const auto told = [this] {
    const auto last =
        std::find_if(said.rbegin(), said.rend(), [](const auto& one) { return one.has_lease_stands(); });
    return last == said.rend() ? -1 : last->lease_stands().awaited();
  };
  exports("");
  for (const char* host : {"hostA", "hostB"}) res_comes(host);
  const sched::JobKey own{submit(sched::book::plain_job()), 0};
  dispatch(own, {"hostA"});
  keeper->job(own);
  out->serves("west");
  exports(
      "Begin HostExport\nRES_SELECT = type==X86_64\nNHOSTS = 1\nDISTRIBUTION = ([west, 1])\nEnd "
      "HostExport\n");
  EXPECT_EQ(lease().reason, "") << "west has not asked for it";
  ASSERT_TRUE(out->heard("west", answer({}, false)));
  flush();
  EXPECT_EQ(lease().reason, "1 slot comes when jobs of cluster lab that run there end");
  EXPECT_EQ(told(), 1);
  ends(own, 0);
  keeper->job(own);
  follows(effects);
  flush();
  EXPECT_EQ(lease().reason, "");
  EXPECT_EQ(told(), 0);
}

// Jobs on the hosts would be killed, and the hosts exported again.
TEST_F(LeaseOutTest, AChangedPolicyKeepsHostsThatHaveNotConnectedSinceTheStart) {
  const auto chosen = [](const std::string& select) {
    return "Begin HostExport\nRES_SELECT = " + select +
           "\nNHOSTS = 2\nDISTRIBUTION = ([west, 1])\nEnd HostExport\n";
  };
  exports(chosen("type==X86_64"));
  lends();
  const auto before = lease();
  ASSERT_EQ(before.hosts.size(), 2U);
  for (const char* host : {"hostA", "hostB"}) keeper->connected(host, false);
  configuration = configuration_of(provider_files(chosen("type==X86_64 && ncpus>1")));
  begin();
  EXPECT_EQ(lease().phase, sched::lease::Phase::active);
  ASSERT_EQ(lease().hosts.size(), 2U);
  for (const auto& host : lease().hosts) EXPECT_EQ(host.has.slots, 4) << host.host;
}

TEST_F(LeaseOutTest, NamesAConsumerThatGetsNothing) {
  exports(
      "Begin HostExport\nPER_HOST = hostA\nSLOTS = 2\nDISTRIBUTION = ([west, 1] [north, 9])\nEnd "
      "HostExport\n");
  const auto reports = out->reports();
  const auto of = [&](const std::string& cluster) {
    return std::find_if(reports.begin(), reports.end(),
                        [&](const auto& one) { return one.cluster == cluster && !one.reason.empty(); });
  };
  ASSERT_NE(of("west"), reports.end());
  EXPECT_THAT(of("west")->reason, testing::HasSubstr("its share of the 2 slots of the policy at "));
  EXPECT_EQ(of("north"), reports.end());
  exports(hosts_lent());
  for (const auto& report : out->reports())
    EXPECT_THAT(report.reason, testing::Not(testing::HasSubstr("its share")));
}

}  // namespace
}  // namespace rollcall::mbatchd
