// What runs before and after a job (res/policy/job_life.hpp): its time, its limits, and how it is ended.
#include <csignal>

#include "tests/unit/res/res_life_fixture.hpp"

namespace rollcall::res {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::IsEmpty;

class ResHooks : public JobLifeTest {
 protected:
  ResHooks() {
    life_.rules.pre_exec = life_.rules.post_exec = true;
    life_.rules.pre_patience = 120s;
    life_.rules.post_patience = 60s;
  }
  void reach_post_exec() {
    happens(event::Began{});
    happens(event::PreEnded{0});
    happens(event::JobStarted{});
    happens(event::JobEnded{0});
    EXPECT_THAT(happens(event::Emptied{}), ElementsAre("tell over 0 0 0", "run the post-execution"));
  }
  static event::Ordered order(Order::Action action, int signo = 0) {
    Order order;
    order.set_action(action);
    order.set_signal(signo);
    return {order};
  }
  static event::Sampled large() {
    event::Sampled sampled;
    sampled.memory_kb = 2000;
    return sampled;
  }
};

TEST_F(ResHooks, APreExecutionThatTakesTooLongFailsWithLsfsCode) {
  happens(event::Began{});
  EXPECT_EQ(next_deadline(life_), now_ + 120s);
  EXPECT_THAT(happens(event::TimePassed{}, 119s), IsEmpty());
  EXPECT_THAT(happens(event::TimePassed{}, 1s), ElementsAre("kill all"));
  EXPECT_THAT(happens(event::PreEnded{SIGKILL}), IsEmpty());
  EXPECT_THAT(happens(event::Emptied{}), ElementsAre("tell over 1 25088 0", "finish"));
  EXPECT_EQ(over_.how, How::PRE_EXEC_FAILED);
  EXPECT_EQ(over_.exit_status >> 8, 98);
  EXPECT_FALSE(over_.post_follows);
}

TEST_F(ResHooks, ItsTimeIsNotTheJobs) {
  happens(event::Began{});
  happens(event::PreEnded{0}, 100s);
  happens(event::JobStarted{});
  EXPECT_EQ(next_deadline(life_), std::nullopt);
  EXPECT_THAT(happens(event::TimePassed{}, 1000s), IsEmpty());
}

TEST_F(ResHooks, APostExecutionThatTakesTooLongHasFailed) {
  reach_post_exec();
  EXPECT_EQ(next_deadline(life_), now_ + 60s);
  EXPECT_THAT(happens(event::TimePassed{}, 60s), ElementsAre("kill all"));
  EXPECT_THAT(happens(event::PostEnded{SIGKILL}), IsEmpty());
  EXPECT_THAT(happens(event::Emptied{}), ElementsAre("tell post failed", "finish"));
  EXPECT_EQ(life_.phase, Phase::over);
}

TEST_F(ResHooks, HaveNoTimeLimitUnlessOneIsSet) {
  life_.rules.pre_patience = life_.rules.post_patience = std::nullopt;
  happens(event::Began{});
  EXPECT_EQ(next_deadline(life_), std::nullopt);
  happens(event::PreEnded{0}, 100'000s);
  happens(event::JobStarted{});
  happens(event::JobEnded{0});
  happens(event::Emptied{});
  EXPECT_EQ(next_deadline(life_), std::nullopt);
}

TEST_F(ResHooks, AHangingPostExecutionIsEndedByAKill) {
  for (const auto& kill :
       {order(Order::TERMINATE), order(Order::SEND, SIGKILL), order(Order::SEND, SIGTERM)}) {
    life_ = JobLife{life_.rules};
    reach_post_exec();
    EXPECT_THAT(happens(order(Order::SUSPEND)), IsEmpty());
    EXPECT_THAT(happens(order(Order::SEND, SIGUSR1)), IsEmpty());
    EXPECT_THAT(happens(kill), ElementsAre("kill all"));
    EXPECT_THAT(happens(event::Emptied{}), ElementsAre("tell post failed", "finish"));
  }
}

TEST_F(ResHooks, LimitsHoldBeforeAndAfterTheJob) {
  life_.rules.limits.set_memory_kb(1000);
  happens(event::Began{});
  EXPECT_THAT(happens(large()), ElementsAre("kill all"));
  EXPECT_THAT(happens(event::Emptied{}), ElementsAre("tell over 0 35072 16", "finish"));

  life_ = JobLife{life_.rules};
  reach_post_exec();
  EXPECT_THAT(happens(event::Sampled{}), IsEmpty());
  EXPECT_THAT(happens(large()), ElementsAre("kill all"));
  EXPECT_THAT(happens(event::Emptied{}), ElementsAre("tell post failed", "finish"));
}

TEST_F(ResHooks, AGuardThatIsKilledMeanwhileDoesNotRunThePostExecutionTwice) {
  reach_post_exec();
  EXPECT_THAT(happens(event::GuardGone{}), ElementsAre("kill all"));
  EXPECT_THAT(happens(event::Emptied{}), ElementsAre("tell post failed", "finish"));
}

TEST_F(ResHooks, AJobWithoutItsInputIsOverAndIsNotTriedAgain) {
  life_.rules.pre_exec = false;
  happens(event::Began{});
  EXPECT_THAT(happens(event::JobNotStarted{"cannot open in", false, true}), ElementsAre("kill all"));
  EXPECT_THAT(happens(event::Emptied{}), ElementsAre("tell over 0 256 0", "run the post-execution"));
  EXPECT_EQ(over_.how, How::ENDED);
  EXPECT_EQ(over_.why, "cannot open in");
}

// Its report says why, and the output that goes back has the report.
TEST_F(ResHooks, AJobWithoutItsInputReturnsItsOutputToTheClusterOfItsSubmission) {
  life_.rules.pre_exec = false;
  life_.rules.copies_back = life_.rules.returns_output = true;
  happens(event::Began{});
  happens(event::JobNotStarted{"cannot open in", false, true});
  EXPECT_THAT(happens(event::Emptied{}), ElementsAre("run copies back of the output alone"));
  EXPECT_THAT(happens(event::CopiesEnded{}), ElementsAre("tell over 0 256 0", "run the post-execution"));
}

TEST_F(ResHooks, JobWhoseShellCannotBeExecutedIsOverAndIsNotTriedAgain) {
  life_.rules.pre_exec = false;
  happens(event::Began{});
  EXPECT_THAT(happens(event::JobNotStarted{"cannot execute /no/sh", false, false, 127}),
              ElementsAre("kill all"));
  EXPECT_THAT(happens(event::Emptied{}), ElementsAre("tell over 0 32512 0", "run the post-execution"));
  EXPECT_EQ(over_.how, How::ENDED);
  EXPECT_EQ(over_.why, "cannot execute /no/sh");
}

TEST_F(ResHooks, EexecCountsAsAPreExecutionOfTheFirstHost) {
  wire::JobOrder order;
  order.mutable_start();
  EXPECT_FALSE(attempt_rules(order).pre_exec);
  order.set_eexec("/etc/eexec");
  EXPECT_TRUE(attempt_rules(order).pre_exec);
  order.clear_start();
  EXPECT_FALSE(attempt_rules(order).pre_exec) << "of the first host alone";
}

TEST_F(ResHooks, TimeLimitsComeWithTheOrder) {
  wire::JobOrder order;
  order.mutable_start()->mutable_submission()->set_pre_exec("true");
  EXPECT_EQ(attempt_rules(order).pre_patience, std::nullopt);
  order.mutable_settings()->set_pre_exec_seconds(60);
  order.mutable_settings()->set_post_exec_seconds(180);
  EXPECT_EQ(attempt_rules(order).pre_patience, Duration(60s));
  EXPECT_EQ(attempt_rules(order).post_patience, Duration(180s));
}

}  // namespace
}  // namespace rollcall::res
