// An order that waits for its go-ahead: on disk and nothing runs; begun once, whatever is repeated or killed; taken back.
#include <pwd.h>
#include <signal.h>
#include <unistd.h>

#include <filesystem>

#include "tests/io/res/res_stage.hpp"

namespace rollcall::res::test {
namespace {

using Held = wire::FromRes::Held;

class ResStart : public ResStage {
 protected:
  wire::ToRes::StartJob waiting_job(int id = 1) {
    auto order = job("echo ran >>" + path("ran") + "; echo done > ended", id);
    order.set_wait_for_go(true);
    return order;
  }
  void go(int id = 1) {
    wire::ToRes order;
    auto& job = *order.mutable_go()->add_jobs();
    job.mutable_key()->set_id(id);
    job.set_attempt(1);
    send(order);
  }
  void release(int id = 1) {
    wire::ToRes order;
    auto& job = *order.mutable_release()->mutable_job();
    job.mutable_key()->set_id(id);
    job.set_attempt(1);
    send(order);
  }
  std::size_t count(wire::FromRes::MessageCase kind) const {
    std::size_t n = 0;
    for (const auto& told : heard_) n += told.message_case() == kind ? 1 : 0;
    return n;
  }
  void wait_for(wire::FromRes::MessageCase kind, std::size_t number = 1) {
    wait_until("message " + std::to_string(kind), [&] { return count(kind) >= number; });
  }
  // A ping that comes after an order is answered after what that order brings.
  void ping() {
    wire::ToRes order;
    order.mutable_ping()->set_number(7);
    const auto before = count(wire::FromRes::kPong);
    send(order);
    wait_for(wire::FromRes::kPong, before + 1);
  }
};

TEST_F(ResStart, RunsAJobOnlyAfterTheGoAhead) {
  start_res();
  EXPECT_TRUE(hellos_.back().knows_go());
  start(waiting_job());
  wait_for(wire::FromRes::kPrepared);
  EXPECT_TRUE(std::filesystem::exists(job_directory() + "/prepared"));
  start(job("true", 2));  // one that does not wait
  wait_for_over(2);
  EXPECT_FALSE(std::filesystem::exists(path("ran")));
  go();
  wait_for(wire::FromRes::kBegun, 2);
  EXPECT_EQ(wait_for_over().exit_status(), 0);
  EXPECT_EQ(text("ran"), "ran\n");
}

TEST_F(ResStart, ARepeatedGoAheadBeginsNothingAgain) {
  start_res();
  start(waiting_job());
  start(waiting_job());
  go();
  go();
  wait_for_over();
  go();
  ping();
  EXPECT_EQ(text("ran"), "ran\n");
}

TEST_F(ResStart, AnOrderThatIsTakenBackLeavesNothing) {
  start_res();
  start(waiting_job());
  wait_for(wire::FromRes::kPrepared);
  release();
  ping();
  EXPECT_FALSE(std::filesystem::exists(job_directory()));
  go();
  wait_until("never seen", [&] {
    return find([](const auto& told) { return told.over().how() == wire::FromRes::JobOver::NEVER_SEEN; }) !=
           nullptr;
  });
  EXPECT_FALSE(std::filesystem::exists(path("ran")));
}

TEST_F(ResStart, RestartedResHoldsTheJobsThatWait) {
  start_res();
  start(waiting_job());
  wait_for(wire::FromRes::kPrepared);
  kill_res(SIGKILL);
  start_res();
  ASSERT_EQ(hellos_.back().jobs_size(), 1);
  EXPECT_EQ(hellos_.back().jobs(0).state(), Held::PREPARED);
  go();
  wait_for_over();
  EXPECT_EQ(text("ran"), "ran\n");
}

TEST_F(ResStart, ATermThatIsOverGivesNoGoAhead) {
  start_res();
  start(waiting_job());
  wait_for(wire::FromRes::kPrepared);
  restart_mbatchd();
  wait_for_hello(2);
  ping();
  --term_;
  go();
  ++term_;
  ping();
  EXPECT_EQ(count(wire::FromRes::kRefused), 1U);
  EXPECT_FALSE(std::filesystem::exists(path("ran")));
}

// What an older mbatchd orders: no go-ahead follows.
TEST_F(ResStart, AStartThatDoesNotWaitBeginsWhatWaits) {
  start_res();
  start(waiting_job());
  wait_for(wire::FromRes::kPrepared);
  auto order = waiting_job();
  order.set_wait_for_go(false);
  start(order);
  wait_for_over();
  EXPECT_EQ(text("ran"), "ran\n");
}

TEST_F(ResStart, AnotherHostsOrderIsToldWhenItIsThere) {
  start_res();
  wire::ToRes order;
  auto& expect = *order.mutable_expect();
  expect.mutable_job()->mutable_key()->set_id(1);
  expect.mutable_job()->set_attempt(1);
  const passwd* const owner = getpwuid(geteuid());
  ASSERT_NE(owner, nullptr);
  expect.set_user(owner->pw_name);
  expect.set_uid(geteuid());
  send(order);
  wait_for(wire::FromRes::kPrepared);
  send(order);
  wait_for(wire::FromRes::kPrepared, 2);
  expect.mutable_job()->set_attempt(2);
  expect.set_user("nobody has this name");
  send(order);
  wait_for(wire::FromRes::kNotPrepared);
}

}  // namespace
}  // namespace rollcall::res::test
