// The Book with the scheduling cycle and PREEMPTION, while daemons die and connections break: every preempted job goes on, no host
// has more running jobs than slots, and each job still runs exactly once.
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>

#include "sched/policy/answers/snapshot_keeper.hpp"
#include "tests/sim/book_world.hpp"
#include "tests/unit/sched/book/book_fixture.hpp"

namespace rollcall::sched {
namespace {

constexpr int kSlots = 2;  // of each host

int seeds(int usual) {
  const char* asked = std::getenv("ROLLCALL_SIM_SEEDS");
  return asked ? std::atoi(asked) : usual;
}

ConfigView site(bool limited, bool uses_suspended) {
  conf::MemoryFiles files;
  const std::string dir = "/c/lsbatch/lab/configdir/";
  files.files = {
      {"/c/lsf.conf", "LSF_LOGDIR=/l\nLSB_SHAREDIR=/s\nLSB_DISABLE_LIMLOCK_EXCL=Y\n"},
      {"/c/lsf.shared",
       "Begin Cluster\nClusterName\nlab\nEnd Cluster\nBegin HostType\nTYPENAME\nX86_64\nEnd HostType\n"},
      {"/c/lsf.cluster.lab",
       "Begin Host\nHOSTNAME type\nhostA X86_64\nhostB X86_64\nhostC X86_64\nEnd Host\n"},
      {dir + "lsb.params",
       "Begin Parameters\nDEFAULT_QUEUE = low\nCLEAN_PERIOD = 1000000\nPREEMPT_JOBTYPE = EXCLUSIVE\n"
       "PREEMPT_FOR = OPTIMAL_MINI_JOB\nUSE_SUSP_SLOTS = " +
           std::string(uses_suspended ? "Y" : "N") + "\nEnd Parameters\n"},
      {dir + "lsb.hosts", "Begin Host\nHOST_NAME MXJ\ndefault " + std::to_string(kSlots) + "\nEnd Host\n"},
      {dir + "lsb.users",
       "Begin User\nUSER_NAME MAX_JOBS\nann " + std::string(limited ? "4" : "-") + "\nEnd User\n"},
      {dir + "lsb.queues",
       "Begin Queue\nQUEUE_NAME = high\nPRIORITY = 40\nPREEMPTION = PREEMPTIVE[low+1 middle]\nEXCLUSIVE = Y\n"
       "End Queue\nBegin Queue\nQUEUE_NAME = middle\nPRIORITY = 30\nPREEMPTION = PREEMPTIVE\nEnd Queue\n"
       "Begin Queue\nQUEUE_NAME = low\nPRIORITY = 20\nEXCLUSIVE = Y\nEnd Queue\n"}};
  return site_view(files);
}

// One cycle as mbatchd makes it, with a snapshot made anew of the Book.
class Cycles {
 public:
  explicit Cycles(const ConfigView& config) : rules_(cycle::placement_rules(config.cluster, config.lsb)) {}

  void plan(book::Book& book, WallTime now, const std::function<void(Effects)>& take) const {
    answers::SnapshotKeeper keeper(book.jobs(), book.hosts());
    keeper.configure(rules_);
    cycle::Snapshot& snapshot = keeper.snapshot();
    for (HostNumber host = 0; host < rules_->hosts.size(); ++host) {
      const bool away = !book.hosts().connected(rules_->hosts[host].text());
      snapshot.host(host) = {away, away, false, false, {}};
    }
    const cycle::Plan plan = cycle::schedule(snapshot, now);
    std::set<JobKey> not_taken;
    for (const auto& dispatch : plan.dispatches) {
      event::Dispatched event;
      event.placement = by_name(*rules_, dispatch.placement);
      auto effects = book.hosts().dispatch(dispatch.job, event, now);
      if (effects.empty()) not_taken.insert(dispatch.job);
      take(std::move(effects));
    }
    for (const auto& suspend : plan.suspends)
      if (!not_taken.contains(suspend.by)) {
        lent_ += suspend.reasons == wire::SUSPEND_PREEMPT &&
                 book.jobs().find(suspend.job)->record.status() == wire::STATUS_USUSP;
        take(book.hosts().suspend(suspend.job, {suspend.reasons, suspend.text, suspend.by}, now));
      }
    for (const auto& resume : plan.resumes) take(book.hosts().resume(resume.job, {resume.reasons}, now));
  }
  // How often a job that its user had stopped lent its slots.
  int lent() const { return lent_; }

 private:
  std::shared_ptr<const cycle::PlacementRules> rules_;
  mutable int lent_ = 0;
};

template <class Take>
void each_job(const BookWorld& world, const Take& take) {
  for (const std::int32_t id : world.acknowledged())
    for (const JobKey key : world.book().jobs().elements(id)) take(key, *world.book().jobs().find(key));
}

// "": no host has more jobs than slots, those that are preempted aside, and a preempted job has a preemptor.
std::string broken(const BookWorld& world) {
  std::map<std::string, int> slots, exclusive, jobs;
  std::string wrong;
  for (const auto status : {wire::STATUS_RUN, wire::STATUS_SSUSP, wire::STATUS_USUSP, wire::STATUS_UNKWN})
    for (const JobKey key : world.book().jobs().with_status(status)) {
      const Job& job = *world.book().jobs().find(key);
      if ((job.record.suspend_reasons() & wire::SUSPEND_PREEMPT) != 0) continue;
      for (const auto& on : job.record.hosts()) {
        slots[on.name()] += static_cast<int>(on.slots());
        ++jobs[on.name()];
        exclusive[on.name()] += job.asked->exclusive() ? 1 : 0;
      }
    }
  for (const auto& [host, count] : slots) {
    if (count > kSlots) wrong = host + " has " + std::to_string(count) + " slots taken";
    if (exclusive[host] > 0 && jobs[host] > 1) wrong = host + " has other jobs beside an exclusive one";
  }
  return wrong;
}

void submit_some(BookWorld& world, std::uint32_t seed) {
  std::mt19937 random(seed);
  const char* const kQueues[] = {"high", "middle", "low", "low"};
  for (int i = 0; i < 24; ++i) {
    auto asked = random() % 5 == 0 ? book::array_job(3) : book::plain_job();
    const std::string queue = kQueues[random() % 4];
    asked.add_queues(queue);
    const std::uint32_t slots = 1 + random() % 3;
    asked.set_min_slots(slots);
    asked.set_max_slots(slots);
    if (queue != "middle") asked.set_exclusive(random() % 6 == 0);
    world.submit(asked);
    for (int k = 0; k < 4; ++k) {
      world.turn();
      ASSERT_EQ(broken(world), "");
    }
  }
}

struct Ended {
  int preemptions = 0, deaths = 0, lent = 0;
  std::int64_t preempted_us = 0;
};
Ended run_world(int seed, WorldChances chances, WorldEngines engines) {
  const ConfigView config = site(seed % 3 == 0, seed % 4 != 0);
  const Cycles cycles(config);
  BookWorld world(config, static_cast<std::uint32_t>(seed), chances, engines);
  world.plan_with([&](book::Book& book, WallTime now, const auto& take) { cycles.plan(book, now, take); });
  submit_some(world, static_cast<std::uint32_t>(seed));
  for (int i = 0; i < 300 && !testing::Test::HasFatalFailure(); ++i) {
    world.turn();
    EXPECT_EQ(broken(world), "");
  }
  Ended ended;
  EXPECT_TRUE(world.settle(20'000)) << "a job never ended";
  EXPECT_EQ(world.trouble(), "");
  each_job(world, [&](JobKey key, const Job& job) {
    EXPECT_EQ(job.record.suspend_reasons(), 0U) << text(key);
    ended.preemptions += job.record.preemptions();
    ended.preempted_us += job.record.preempted_for_us();
    EXPECT_EQ(job.record.preempted_since_us(), 0) << text(key);
    if (chances.people) return;
    EXPECT_EQ(world.runs(key), 1) << text(key);
    EXPECT_EQ(job.record.exit_status(), BookWorld::code_of(key)) << text(key);
  });
  ended.deaths = world.deaths();
  ended.lent = cycles.lent();
  return ended;
}

class PreemptionSim : public testing::TestWithParam<WorldEngines> {};
INSTANTIATE_TEST_SUITE_P(Engines, PreemptionSim, testing::Values(WorldEngines::one, WorldEngines::two),
                         [](const auto& of) { return of.param == WorldEngines::one ? "one" : "two"; });

TEST_P(PreemptionSim, PreemptedJobsGoOnAndRunOnce) {
  int preemptions = 0, deaths = 0;
  std::int64_t preempted_us = 0;
  const int count = seeds(GetParam() == WorldEngines::one ? 500 : 100);
  for (int seed = 1; seed <= count && !HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    WorldChances chances;
    chances.freezes = seed % 3;
    chances.refuses = seed % 4;
    const Ended ended = run_world(seed, chances, GetParam());
    preemptions += ended.preemptions;
    preempted_us += ended.preempted_us;
    deaths += ended.deaths;
  }
  EXPECT_GT(preemptions, count);
  EXPECT_GT(preempted_us, 0);
  EXPECT_GT(deaths, 0);
}

TEST_P(PreemptionSim, PeopleMayStopResumeAndKillPreemptedJobs) {
  const int count = seeds(50);
  int lent = 0;
  for (int seed = 1; seed <= count && !HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    WorldChances chances;
    chances.people = true;
    lent += run_world(seed, chances, GetParam()).lent;
  }
  EXPECT_GT(lent, 0);
}

}  // namespace
}  // namespace rollcall::sched
