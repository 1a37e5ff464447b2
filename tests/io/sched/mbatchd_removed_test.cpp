// mbatchd and the RES of a host that is taken out of lsf.cluster while jobs are there: it is heard until these are over, and starts nothing.
#include "tests/io/sched/mbatchd_stage.hpp"

namespace rollcall::mbatchd::test {
namespace {

using std::chrono::milliseconds;
using testing::HasSubstr;

class MbatchdRemoved : public Stage {
 protected:
  // A job runs on `other`, which is then taken out.
  MbatchdRemoved() {
    EXPECT_EQ(start(), "ready") << log();
    other = res("other");
    other->runs_at_once = false;
    id = submit("sleep 1000");
    key = {{id, 0}, 1};
    other->serve(kPatience, [&] { return other->attempt(key).started > 0; });
    other->say_running(key);
    write("lsf.cluster.test",
          "Begin Parameters\nEXINTERVAL = 1\nEnd Parameters\nBegin Host\nHOSTNAME model type server "
          "RESOURCES\n" +
              host_ + " ! ! 1 ()\nEnd Host\n");
  }
  void reconfigure() {
    wire::BatchRequest request;
    request.mutable_control()->set_action(wire::ControlBatch::RECONFIG);
    ASSERT_FALSE(ask(request).has_refusal()) << log();
  }
  void kill_job() {
    wire::BatchRequest kill;
    kill.mutable_signal()->mutable_filter()->add_keys()->set_id(id);
    kill.mutable_signal()->set_action(wire::SignalJobs::KILL);
    ask(kill);
  }
  bool is_refused() {
    other->connect(port_, key_);
    other->serve(kPatience, [&] { return !other->connected(); });
    return !other->connected();
  }

  std::unique_ptr<FakeRes> other;
  int id = 0;
  FakeRes::Key key;
};

TEST_F(MbatchdRemoved, IsHeardUntilItsJobsAreOver) {
  reconfigure();
  const int later = submit();
  other->serve(milliseconds(300));
  ASSERT_TRUE(other->connected()) << log();
  EXPECT_THAT(log(), HasSubstr("other is no longer a server of the cluster: its RES is heard until the jobs "
                               "there are over"));
  EXPECT_FALSE(other->attempts().contains({{later, 0}, 1})) << "nothing new starts there";
  EXPECT_EQ(status(later), wire::STATUS_PEND);
  kill_job();
  other->serve(kPatience, [&] { return !other->attempt(key).signals.empty(); });
  ASSERT_FALSE(other->attempt(key).signals.empty()) << log();
  other->end(key, 143 << 8);
  other->serve(kPatience, [&] { return !other->connected(); });
  EXPECT_TRUE(other->attempt(key).acknowledged) << "before the connection is closed";
  EXPECT_EQ(status(id), wire::STATUS_EXIT);
  ASSERT_TRUE(is_refused()) << "there is nothing left";
  EXPECT_THAT(log(),
              HasSubstr("found a RES of \"other\", which is no server of this cluster and has no job of it"));
}

TEST_F(MbatchdRemoved, IsHeardAfterARestartOfEither) {
  kill_hard();
  expect_started();
  ASSERT_TRUE(other->connect(port_, key_));
  other->serve(kPatience, [&] { return other->term() == 2; });
  ASSERT_TRUE(other->connected()) << log();
  kill_job();
  other->serve(kPatience, [&] { return !other->attempt(key).signals.empty(); });
  other->hang_up();
  ASSERT_TRUE(other->connect(port_, key_));
  other->end(key, 143 << 8);
  other->serve(kPatience, [&] { return other->attempt(key).acknowledged; });
  EXPECT_TRUE(other->attempt(key).acknowledged) << log();
  EXPECT_EQ(status(id), wire::STATUS_EXIT);
}

TEST_F(MbatchdRemoved, IsAServerAgainWhenItIsPutBack) {
  reconfigure();
  write("lsf.cluster.test",
        "Begin Parameters\nEXINTERVAL = 1\nEnd Parameters\nBegin Host\nHOSTNAME model type server "
        "RESOURCES\n" +
            host_ + " ! ! 1 ()\nother ! ! 1 ()\nEnd Host\n");
  reconfigure();
  other->end(key);
  other->serve(kPatience, [&] { return other->attempt(key).acknowledged; });
  const int later = submit();
  other->serve(kPatience, [&] { return other->attempt({{later, 0}, 1}).ordered > 0; });
  EXPECT_EQ(other->attempt({{later, 0}, 1}).ordered, 1) << why_pending(later) << log();
}

}  // namespace
}  // namespace rollcall::mbatchd::test
