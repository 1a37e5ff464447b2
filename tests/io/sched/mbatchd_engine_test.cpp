// The whole mbatchd with another engine than RES (tests/programs/mbatchd_other_engine.cpp): jobs start, are signalled, watched,
// adopted and end by what the interface has, and no daemon of a host is heard.
#include "tests/io/sched/mbatchd_stage.hpp"

namespace rollcall::mbatchd::test {
namespace {

using Control = wire::SignalJobs;

class OtherEngine : public Stage {
 protected:
  void signal(int id, Control::Action action) const {
    wire::BatchRequest request;
    request.mutable_signal()->mutable_filter()->add_keys()->set_id(id);
    request.mutable_signal()->set_action(action);
    const auto reply = ask(request);
    ASSERT_EQ(reply.outcomes().outcomes_size(), 1) << reply.refusal().text();
    EXPECT_FALSE(reply.outcomes().outcomes(0).failed()) << reply.outcomes().outcomes(0).text();
  }
  // As mbatchd tells it of its own accord.
  wire::JobRecord when(int id, const std::function<bool(const wire::JobRecord&)>& so) const {
    const auto talk = client();
    wire::ToMbatchd await;
    await.mutable_request()->mutable_await_job()->mutable_key()->set_id(id);
    talk->say(await);
    while (const auto news = talk->hear()) {
      const auto& record = news->reply().awaited().job().record();
      if (so(record)) return record;
      if (news->reply().last()) break;
    }
    ADD_FAILURE() << "waited in vain for job " << id << "\n" << log();
    return {};
  }
  static bool over(const wire::JobRecord& record) {
    return record.status() == wire::STATUS_DONE || record.status() == wire::STATUS_EXIT;
  }
  static bool started(const wire::JobRecord& record) { return record.started(); }
  std::string held() const { return file(share() + "/held"); }
};

TEST_F(OtherEngine, RunsJobsToTheirEnd) {
  expect_started();
  const int good = submit("0"), bad = submit("7");
  EXPECT_EQ(when(good, over).status(), wire::STATUS_DONE);
  const auto record = when(bad, over);
  EXPECT_EQ(record.status(), wire::STATUS_EXIT);
  EXPECT_EQ(record.exit_status(), 7 << 8);
  EXPECT_EQ(record.pid(), 4711);
  EXPECT_EQ(stop(), 0);
  EXPECT_EQ(held(), "") << "both were acknowledged";
}

TEST_F(OtherEngine, SignalsReachAJob) {
  expect_started();
  const int id = submit("waits");
  when(id, started);
  signal(id, Control::STOP);
  EXPECT_EQ(status(id), wire::STATUS_USUSP);
  EXPECT_EQ(held(), std::to_string(id) + " 0 1 " + host_ + " 1 0 0\n") << "stopped there too";
  signal(id, Control::RESUME);
  signal(id, Control::KILL);
  const auto record = when(id, over);
  EXPECT_EQ(record.status(), wire::STATUS_EXIT);
  EXPECT_EQ(record.exit_status(), 143 << 8);
}

TEST_F(OtherEngine, IsFoundAgainWithItsJobs) {
  expect_started();
  const int id = submit("waits");
  when(id, started);
  kill_hard();
  expect_started();
  EXPECT_EQ(status(id), wire::STATUS_RUN);
  signal(id, Control::KILL);
  EXPECT_EQ(when(id, over).attempt(), 1U) << "it was not run again";
}

TEST_F(OtherEngine, HearsNoRes) {
  expect_started();
  FakeRes nobody(host_);
  nobody.connect(port_, key_);
  nobody.serve(kPatience, [&] { return !nobody.connected(); });
  EXPECT_FALSE(nobody.connected());
  EXPECT_EQ(when(submit("0"), over).status(), wire::STATUS_DONE);
}

}  // namespace
}  // namespace rollcall::mbatchd::test
