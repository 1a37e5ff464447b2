// What mbatchd asks the master LIM, and that jobs run with what it hears.
#include "tests/io/sched/mbatchd_stage.hpp"

namespace rollcall::mbatchd::test {
namespace {

using Asked = wire::Request::RequestCase;
using testing::Each;
using testing::ElementsAre;

class MbatchdLoad : public Stage {
 protected:
  // A job runs only where the load of a host is known.
  void run_job() {
    expect_started();
    const auto host = res(host_);
    const int id = submit();
    const FakeRes::Key key{{id, 0}, 1};
    host->serve(kPatience, [&] { return host->attempt(key).acknowledged; });
    EXPECT_EQ(status(id), wire::STATUS_DONE) << why_pending(id) << log();
  }
};

TEST_F(MbatchdLoad, AsksLimOneQuestion) {
  run_job();
  EXPECT_THAT(lim_asked(), Each(Asked::kCluster));
  EXPECT_FALSE(lim_asked().empty());
  EXPECT_EQ(stop(), 0);
}

TEST_F(MbatchdLoad, AsksAnOldLimFourQuestions) {
  lim_is_old_ = true;
  run_job();
  auto asked = lim_asked();
  ASSERT_GE(asked.size(), 5U);
  asked.resize(5);
  EXPECT_THAT(asked, ElementsAre(Asked::kCluster, Asked::kHosts, Asked::kLoad, Asked::kLoad, Asked::kShared));
  EXPECT_EQ(stop(), 0);
}

}  // namespace
}  // namespace rollcall::mbatchd::test
