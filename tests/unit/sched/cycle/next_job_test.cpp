// The order of a cycle: what it is without usage, and that another one can follow what the cycle dispatches.
#include "sched/policy/cycle/next_job.hpp"

#include <gmock/gmock.h>

#include <map>

#include "sched/policy/cycle/compiled_demand.hpp"
#include "tests/unit/sched/cycle/schedule_driver.hpp"

namespace rollcall::sched::cycle {
namespace {

// The user whom this cycle has given the fewest slots comes next; of equal ones the first by name.
class FewestSlotsFirst final : public NextJob {
 public:
  void enter(DemandNumber number, const Snapshot::DemandEntry& entry) override {
    waiting_[entry.demand.user].push_back({number, &entry, entry.ready.begin()});
  }
  std::optional<Candidate> next() override {
    const auto fewest =
        std::min_element(waiting_.begin(), waiting_.end(),
                         [this](const auto& a, const auto& b) { return given_[a.first] < given_[b.first]; });
    if (fewest == waiting_.end()) return std::nullopt;
    user_ = fewest->first;
    const Head& head = fewest->second.front();
    return Candidate{head.number, head.entry, head.job->job};
  }
  void dispatched(const Candidate& candidate, const Dispatch& given) override {
    for (const SlotsOn& on : given.placement.hosts) given_[user_] += on.slots;
    said.push_back("started " + text(candidate.job->key));
    go_on();
  }
  void passed_over(const Candidate& candidate) override {
    said.push_back("passed over " + text(candidate.job->key));
    go_on();
  }
  void close(const Candidate& candidate) override {
    said.push_back("closed by " + text(candidate.job->key));
    leave();
  }

  std::vector<std::string> said;

 private:
  struct Head {
    DemandNumber number = 0;
    const Snapshot::DemandEntry* entry = nullptr;
    std::set<Snapshot::Place>::const_iterator job;
  };
  void go_on() {
    Head& head = waiting_.at(user_).front();
    if (++head.job == head.entry->ready.end()) leave();
  }
  void leave() {
    auto& heads = waiting_.at(user_);
    heads.erase(heads.begin());
    if (heads.empty()) waiting_.erase(user_);
  }

  std::map<std::string, std::vector<Head>> waiting_;
  std::map<std::string, int> given_;
  std::string user_;
};

std::string starts_by_usage(const std::string& text) {
  const Scenario scenario = scenario_of(text);
  FewestSlotsFirst order;
  return starts(schedule(scenario.snapshot, scenario.now, order), scenario.snapshot);
}

TEST(NextJob, FollowsWhatTheCycleHasDispatched) {
  const std::string text = kTwoHosts + pending("JOB USER SLOTS\n1[1-8] ann 1\n2[1-2] bob 2\n");
  EXPECT_EQ(starts(text),
            "1[1] hostA, 1[2] hostA, 1[3] hostA, 1[4] hostA, 1[5] hostB, 1[6] hostB, 1[7] hostB, 1[8] hostB");
  EXPECT_EQ(starts_by_usage(text),
            "1[1] hostA, 2[1] 2*hostA, 1[2] hostA, 1[3] hostB, 2[2] 2*hostB, 1[4] hostB");
}

TEST(NextJob, IsToldOfEveryJobThatItOffers) {
  // mem is enough for one job of ann on each host; bob's first job waits for NEW_JOB_SCHED_DELAY.
  const Scenario scenario = scenario_of(
      "Begin Queue\nQUEUE_NAME = normal\nPRIORITY = 1\nEnd Queue\nBegin Queue\nQUEUE_NAME = "
      "late\nPRIORITY = 1\nNEW_JOB_SCHED_DELAY = 60\nEnd Queue\n" +
      kTwoHosts +
      pending("JOB USER QUEUE RES_REQ AGE\n1[1-4] ann normal \"rusage[mem=600]\" 100\n2 bob late - 1\n3 bob "
              "late - 90\n"));
  FewestSlotsFirst order;
  schedule(scenario.snapshot, scenario.now, order);
  EXPECT_THAT(order.said, testing::ElementsAre("started 1[1]", "passed over 2", "started 3", "started 1[2]",
                                               "closed by 1[3]"));
}

TEST(NextJob, IsNotAskedWhereNoSlotIsFree) {
  const Scenario scenario = scenario_of(kTwoHosts + running("JOB USER HOSTS\n1 ann (4*hostA 4*hostB)\n") +
                                        pending("JOB USER\n2 bob\n"));
  FewestSlotsFirst order;
  EXPECT_TRUE(schedule(scenario.snapshot, scenario.now, order).dispatches.empty());
  EXPECT_TRUE(order.said.empty());
}

}  // namespace
}  // namespace rollcall::sched::cycle
