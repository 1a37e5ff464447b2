// SnapshotKeeper: the scheduler's view follows the Book, LIM and the connections.
#include "sched/policy/answers/snapshot_keeper.hpp"

#include "tests/unit/sched/book/book_fixture.hpp"

namespace rollcall::sched::answers {
namespace {

class SnapshotKeeperTest : public book::BookTest {
 protected:
  SnapshotKeeperTest() { configure(); }

  void configure() {
    files = book::site_files();
    rules = cycle::placement_rules(files.cluster, files.lsb);
    keeper.configure(rules);
  }
  HostNumber host(const std::string& name) const { return *rules->host(name); }
  const cycle::Snapshot& snapshot() const { return keeper.snapshot(); }

  // What a LIM says: every host has these CPUs and this much memory.
  static LoadNews news(int ncpus, float memory, const std::string& model = "PC") {
    LoadNews news;
    for (const char* name : {"mem", "r15s"}) news.mutable_loads()->add_names(name);
    for (const char* name : {"hostA", "hostB", "hostC"}) {
      auto& facts = *news.mutable_hosts()->add_hosts();
      facts.set_name(name);
      facts.set_type("X86_64");
      facts.set_model(model);
      facts.set_ncpus(ncpus);
      facts.set_server(true);
      auto& load = *news.mutable_loads()->add_hosts();
      load.set_host(name);
      load.add_values(memory);
      load.add_values(0.5F);
      for (const float queue : {0.5F, kUnknownLoad, kUnknownLoad}) load.add_normalised(queue);
    }
    return news;
  }
  // As mbatchd does: every job that an effect names.
  void follow() {
    for (const Effect& effect : effects) {
      if (const auto* save = std::get_if<effect::SaveJob>(&effect)) keeper.job(save->key);
      if (const auto* tell = std::get_if<effect::TellWaiters>(&effect)) keeper.job(tell->key);
      if (const auto* control = std::get_if<effect::SaveControl>(&effect)) keeper.control(control->state);
    }
  }
  void agrees() {
    EXPECT_EQ(snapshot().broken_invariant(), "");
    std::size_t pending = 0, placed = 0;
    for (const auto status : {wire::STATUS_PEND, wire::STATUS_PSUSP})
      pending += book->jobs().with_status(status).size();
    for (const auto status : {wire::STATUS_RUN, wire::STATUS_SSUSP, wire::STATUS_USUSP, wire::STATUS_UNKWN})
      placed += book->jobs().with_status(status).size();
    EXPECT_EQ(snapshot().pending_count(), pending);
    EXPECT_EQ(snapshot().placed_count(), placed);
  }
  wire::Submission waits_for(std::int32_t id) {
    wire::Submission asked = book::plain_job();
    asked.set_dependency("done(" + std::to_string(id) + ")");
    return asked;
  }

  ConfigView files;
  std::shared_ptr<const cycle::PlacementRules> rules;
  SnapshotKeeper keeper{book->jobs(), book->hosts()};
};

TEST_F(SnapshotKeeperTest, AJobWaitsIsPlacedAndForgotten) {
  const JobKey key{submit(book::plain_job()), 0};
  follow();
  ASSERT_NE(snapshot().pending(key), nullptr);
  EXPECT_EQ(snapshot().pending(key)->hold, cycle::Hold::none);
  hello("hostA");
  dispatch(key);
  follow();
  EXPECT_EQ(snapshot().pending(key), nullptr);
  ASSERT_NE(snapshot().placed(key), nullptr);
  EXPECT_EQ(snapshot().placed(key)->placement.hosts, (std::vector<cycle::SlotsOn>{{host("hostA"), 1}}));
  agrees();
  runs(key);
  ends(key, 0);
  follow();
  EXPECT_EQ(snapshot().placed(key), nullptr);
  agrees();
}

TEST_F(SnapshotKeeperTest, ElementsOfAnArrayAreOneDemand) {
  const auto id = submit(book::array_job(5));
  follow();
  const auto demand = snapshot().pending({id, 1})->demand;
  for (int index = 2; index <= 5; ++index) EXPECT_EQ(snapshot().pending({id, index})->demand, demand);
  agrees();
}

TEST_F(SnapshotKeeperTest, JobsOfDifferentRunLimitsShareADemand) {
  std::vector<JobKey> keys;
  for (const int run_s : {600, 1200}) {
    auto asked = book::plain_job();
    asked.mutable_limits()->set_run_s(run_s);
    keys.push_back({submit(asked), 0});
    follow();
    EXPECT_EQ(snapshot().pending(keys.back())->times.run_limit_s, run_s);
  }
  EXPECT_EQ(snapshot().pending(keys[0])->demand, snapshot().pending(keys[1])->demand);
  hello("hostA");
  dispatch(keys[0]);
  follow();
  EXPECT_EQ(snapshot().placed(keys[0])->placement.expected_end.us, now.us + 600'000'000);
}

TEST_F(SnapshotKeeperTest, AStoppedJobIsHeld) {
  const JobKey key{submit(book::plain_job()), 0};
  follow();
  ask(key, wire::SignalJobs::STOP);
  follow();
  EXPECT_EQ(snapshot().pending(key)->hold, cycle::Hold::stopped);
  EXPECT_TRUE(snapshot().waiting_demands().empty());
  ask(key, wire::SignalJobs::RESUME);
  follow();
  EXPECT_EQ(snapshot().pending(key)->hold, cycle::Hold::none);
  ask(key, wire::SignalJobs::STOP, book::kRoot);
  follow();
  EXPECT_EQ(snapshot().pending(key)->hold, cycle::Hold::stopped_by_administrator);
}

TEST_F(SnapshotKeeperTest, JobsThatWaitForOthersAreCheckedAgainBeforeACycle) {
  const JobKey first{submit(book::plain_job()), 0};
  follow();
  const JobKey second{submit(waits_for(first.id)), 0};
  follow();
  const JobKey third{submit(waits_for(second.id)), 0};
  follow();
  EXPECT_EQ(snapshot().pending(second)->hold, cycle::Hold::dependency);
  keeper.dependencies(book->jobs().take_dependency_changes());
  EXPECT_EQ(snapshot().pending(second)->hold, cycle::Hold::dependency);
  hello("hostA");
  dispatch(first);
  follow();
  runs(first);
  ends(first, 0);
  keeper.job(first);  // nobody names the second one
  keeper.dependencies(book->jobs().take_dependency_changes());
  EXPECT_EQ(snapshot().pending(second)->hold, cycle::Hold::none);
  EXPECT_EQ(snapshot().pending(third)->hold, cycle::Hold::dependency);
  ask(second, wire::SignalJobs::KILL);
  keeper.job(second);
  keeper.dependencies(book->jobs().take_dependency_changes());
  EXPECT_EQ(snapshot().pending(third)->hold, cycle::Hold::never);
  agrees();
}

TEST_F(SnapshotKeeperTest, ControlsOfQueuesAndHostsCount) {
  wire::ControlBatch control;
  control.set_action(wire::ControlBatch::QUEUE_INACTIVATE);
  control.add_names("normal");
  answer(book->commands().control(control, book::kRoot, now));
  follow();
  const auto queue = *rules->queue("normal");
  EXPECT_FALSE(snapshot().queue(queue).active);
  control.set_action(wire::ControlBatch::HOST_CLOSE);
  control.set_names(0, "hostB");
  answer(book->commands().control(control, book::kRoot, now));
  follow();
  EXPECT_TRUE(snapshot().host(host("hostB")).closed);
  configure();
  EXPECT_FALSE(snapshot().queue(*rules->queue("normal")).active)
      << "new files do not change what LIM reported";
  EXPECT_TRUE(snapshot().host(host("hostB")).closed);
}

TEST_F(SnapshotKeeperTest, AHostIsReachableWhileItsResIsConnected) {
  EXPECT_TRUE(snapshot().host(host("hostA")).unreachable);
  keeper.connected("hostA", true);
  keeper.connected("stranger", true);
  EXPECT_FALSE(snapshot().host(host("hostA")).unreachable);
  configure();
  EXPECT_FALSE(snapshot().host(host("hostA")).unreachable);
  keeper.connected("hostA", false);
  EXPECT_TRUE(snapshot().host(host("hostA")).unreachable);
}

TEST_F(SnapshotKeeperTest, AJobOfALostHostIsSilent) {
  const JobKey key{submit(book::plain_job()), 0};
  hello("hostA");
  dispatch(key);
  runs(key);
  follow();
  ASSERT_NE(snapshot().placed(key), nullptr);
  EXPECT_FALSE(snapshot().placed(key)->silent);
  book->hosts().host_gone("hostA", now);
  now = *book->next_deadline();
  effects = book->tick(now);
  follow();
  ASSERT_EQ(book->jobs().find(key)->status(), wire::STATUS_UNKWN);
  EXPECT_TRUE(snapshot().placed(key)->silent);
}

TEST_F(SnapshotKeeperTest, LoadAndFactsAreAsLimSaysThem) {
  EXPECT_FALSE(keeper.load_known());
  EXPECT_TRUE(snapshot().host(host("hostA")).unavailable);
  keeper.load(news(4, 500));
  EXPECT_TRUE(keeper.load_known());
  EXPECT_FALSE(snapshot().host(host("hostA")).unavailable);
  EXPECT_EQ(snapshot().values(host("hostA")).cpus, 4);
  EXPECT_DOUBLE_EQ(snapshot().values(host("hostA")).numbers[mem], 500);
  keeper.load(news(4, 300));
  EXPECT_DOUBLE_EQ(snapshot().values(host("hostA")).numbers[mem], 300);
  keeper.load_lost();
  EXPECT_FALSE(keeper.load_known());
  EXPECT_TRUE(snapshot().host(host("hostA")).unavailable);
}

TEST_F(SnapshotKeeperTest, FactsThatChangeAreTakenAndThoseThatDoNotStay) {
  keeper.load(news(4, 500));
  keeper.load(news(8, 500));
  EXPECT_EQ(snapshot().values(host("hostA")).cpus, 8);
  // Equal facts are not set again, so what is changed here directly stays.
  HostFacts other;
  other.name = "hostA";
  other.ncpus = 77;
  keeper.snapshot().set_facts(host("hostA"), other);
  keeper.load(news(8, 400));
  EXPECT_EQ(snapshot().values(host("hostA")).cpus, 77);
  EXPECT_DOUBLE_EQ(snapshot().values(host("hostA")).numbers[mem], 400);
  configure();
  EXPECT_EQ(snapshot().values(host("hostA")).cpus, 8) << "with new rules all facts are set again";
}

TEST_F(SnapshotKeeperTest, AHostOfAnotherModelMakesNewDemands) {
  const JobKey key{submit(book::plain_job()), 0};
  follow();
  keeper.load(news(4, 500, "PC"));
  EXPECT_EQ(snapshot().demand(snapshot().pending(key)->demand).from_model, "PC");
  keeper.load(news(4, 500, "Big"));
  EXPECT_EQ(snapshot().demand(snapshot().pending(key)->demand).from_model, "Big");
  agrees();
}

TEST_F(SnapshotKeeperTest, NewFilesKeepAllJobs) {
  const JobKey waiting{submit(book::plain_job()), 0};
  follow();
  const JobKey running{submit(book::plain_job()), 0};
  follow();
  hello("hostA");
  dispatch(running);
  follow();
  configure();
  EXPECT_NE(snapshot().pending(waiting), nullptr);
  EXPECT_NE(snapshot().placed(running), nullptr);
  agrees();
}

}  // namespace
}  // namespace rollcall::sched::answers
