// How often real shepherds tell what their jobs use: DJOB_RU_INTERVAL of a job against the interval of all jobs.
#include <algorithm>

#include "tests/io/res/res_stream_stage.hpp"

namespace rollcall::res::test {
namespace {

constexpr std::uint32_t kShort = 100, kFarAway = 600'000;  // ms

class ResUsage : public ResStream {
 protected:
  std::ptrdiff_t told_of(int id) const {
    return std::count_if(heard_.begin(), heard_.end(), [id](const wire::FromRes& told) {
      return told.has_usage() && told.usage().job().key().id() == id;
    });
  }
  void welcome_again(std::uint32_t interval_ms) {
    wire::ToRes order;
    order.mutable_welcome()->set_usage_interval_ms(interval_ms);
    send(order);
  }
  // Both run at the same time.
  void expect_often_and_seldom(int often, int seldom) {
    wait_until("the usage of job " + std::to_string(often), [&] { return told_of(often) >= 5; });
    EXPECT_LE(told_of(seldom), 1) << "its first look alone";
  }
};

TEST_F(ResUsage, JobIntervalCountsInPlaceOfThatOfAllJobs) {
  settings_.set_usage_interval_ms(kFarAway);
  start_res();
  start(job("exec sleep 1000", 1));
  auto often = job("exec sleep 1000", 2);
  often.set_usage_interval_ms(kShort);
  start(often);
  expect_often_and_seldom(2, 1);
}

TEST_F(ResUsage, JobIntervalMayBeLongerThanThatOfAllJobs) {
  settings_.set_usage_interval_ms(kShort);
  start_res();
  auto seldom = job("exec sleep 1000", 1);
  seldom.set_usage_interval_ms(kFarAway);
  start(seldom);
  start(job("exec sleep 1000", 2));
  expect_often_and_seldom(2, 1);
}

TEST_F(ResUsage, JobKeepsItsIntervalWhenThatOfAllJobsChanges) {
  settings_.set_usage_interval_ms(kShort);
  start_res();
  auto own = job("exec sleep 1000", 1);
  own.set_usage_interval_ms(kShort);
  start(own);
  start(job("exec sleep 1000", 2));
  wait_until("usage of both", [&] { return told_of(1) >= 1 && told_of(2) >= 1; });
  welcome_again(kFarAway);
  // The shepherds get it one by one: where job 2 has it, told_of(2) stops, and that of job 1 goes on.
  std::ptrdiff_t before = -1, own_before = 0;
  wait_until("job 2 to be told of no longer", [&] {
    if (before == told_of(2)) return told_of(1) >= own_before + 10;
    before = told_of(2);
    own_before = told_of(1);
    return false;
  });
}

TEST_F(ResUsage, OtherHostsOfAJobKeepItsIntervalToo) {
  settings_.set_usage_interval_ms(kFarAway);
  start_res();
  wire::ToRes order;
  *order.mutable_expect()->mutable_job() = job("").job();
  order.mutable_expect()->set_user(job("").submission().user());
  order.mutable_expect()->set_uid(geteuid());
  order.mutable_expect()->add_hosts()->set_name("elsewhere");
  order.mutable_expect()->set_usage_interval_ms(kShort);
  send(order);
  const auto place = run_task(task("exec sleep 1000"));
  ASSERT_TRUE(place) << place.error().text;
  Client client(place->port(), place->key());
  client.begin(false);
  wait_until("the usage of a job that began elsewhere", [&] { return client.turn(), told_of(1) >= 5; });
}

}  // namespace
}  // namespace rollcall::res::test
