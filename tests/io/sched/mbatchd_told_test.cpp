// What mbatchd tells RES beside starts and ends: the site's times, and why a job is stopped. What RES makes of it is in res_*_test.
#include "tests/io/sched/mbatchd_stage.hpp"

namespace rollcall::mbatchd::test {
namespace {

using Signal = wire::ToRes::SignalJob;

class MbatchdTold : public Stage {};

TEST_F(MbatchdTold, TellsTheTimeLimitsOfPreAndPostExecution) {
  write("lsbatch/test/configdir/lsb.params",
        "Begin Parameters\nDEFAULT_QUEUE = normal\nSBD_SLEEP_TIME = 7\nJOB_TERMINATE_INTERVAL = "
        "3\nJOB_PREPROC_TIMEOUT = 2\n"
        "JOB_POSTPROC_TIMEOUT = 5\nEnd Parameters\n");
  expect_started();
  const auto host = res(host_);
  host->serve(kPatience, [&] { return host->welcome().pre_exec_seconds() != 0; });
  EXPECT_EQ(host->welcome().pre_exec_seconds(), 120U) << "minutes, as LSF has them";
  EXPECT_EQ(host->welcome().post_exec_seconds(), 300U);
  EXPECT_EQ(host->welcome().usage_interval_ms(), 7000U);
  EXPECT_EQ(host->welcome().terminate_interval_ms(), 3000U);
}

TEST_F(MbatchdTold, TellsWhyAJobIsStopped) {
  expect_started();
  const auto host = res(host_);
  host->runs_at_once = false;
  const int id = submit("sleep 1000");
  const FakeRes::Key key{{id, 0}, 1};
  host->serve(kPatience, [&] { return host->attempt(key).started > 0; });
  host->say_running(key);
  wire::BatchRequest stop;
  stop.mutable_signal()->mutable_filter()->add_keys()->set_id(id);
  stop.mutable_signal()->set_action(wire::SignalJobs::STOP);
  ask(stop);
  host->serve(kPatience, [&] { return !host->attempt(key).signals.empty(); });
  const auto& signals = host->attempt(key).signals;
  ASSERT_FALSE(signals.empty()) << log();
  EXPECT_EQ(signals.front().action(), Signal::SUSPEND);
  EXPECT_EQ(signals.front().suspend_reasons(), wire::SUSPEND_USER);
}

}  // namespace
}  // namespace rollcall::mbatchd::test
