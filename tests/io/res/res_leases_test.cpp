// Starts under grants of leases: RES keeps the largest number of each lease on disk, refuses older ones, and says what it holds.
#include <signal.h>

#include <filesystem>

#include "tests/io/res/res_stage.hpp"

namespace rollcall::res::test {
namespace {

using Held = wire::FromRes::Held;
constexpr std::uint64_t kLease = 5, kTerm = 7;

class ResLeases : public ResStage {
 protected:
  wire::ToRes::StartJob leased_job(int id, std::uint64_t counter) {
    auto order = job("true", id);
    order.set_wait_for_go(true);
    set_grant(*order.add_grants(), counter);
    return order;
  }
  static void set_grant(wire::LeaseGrant& grant, std::uint64_t counter) {
    grant.set_lease(kLease);
    grant.set_term(kTerm);
    grant.set_counter(counter);
  }
  // RES's answer to a number that mbatchd names.
  wire::FromRes::GrantsHeld name(std::uint64_t counter) {
    wire::ToRes order;
    set_grant(*order.mutable_grants()->add_newest(), counter);
    return answer_to(std::move(order));
  }
  wire::FromRes::GrantsHeld say_over() {
    wire::ToRes order;
    order.mutable_grants()->add_over(kLease);
    return answer_to(std::move(order));
  }
  wire::FromRes::GrantsHeld answer_to(wire::ToRes order) {
    order.mutable_grants()->set_number(++asked_);
    send(std::move(order));
    return wait_for([this](const auto& told) { return told.grants().number() == asked_; }).grants();
  }
  void wait_for_prepared(int id) {
    wait_for([id](const auto& told) {
      for (const auto& job : told.prepared().jobs())
        if (job.key().id() == id) return true;
      return false;
    });
  }
  wire::FromRes::NotPrepared wait_for_refusal(int id) {
    return wait_for([id](const auto& told) {
             return told.has_not_prepared() && told.not_prepared().job().key().id() == id;
           })
        .not_prepared();
  }
  void restart_res() {
    kill_res(SIGKILL);
    start_res();
  }

 private:
  template <class Is>
  wire::FromRes wait_for(Is is) {
    wait_until("the answer", [&] { return find(is) != nullptr; });
    return *find(is);
  }
  std::uint64_t asked_ = 0;
};

TEST_F(ResLeases, AStartOfALeaseWaitsForItsNumberToBeNamed) {
  start_res();
  EXPECT_TRUE(hellos_.back().knows_leases());
  start(leased_job(1, 4));
  const auto refused = wait_for_refusal(1);
  EXPECT_EQ(refused.newest().lease(), kLease);
  EXPECT_EQ(refused.newest().counter(), 0U);
  EXPECT_FALSE(std::filesystem::exists(job_directory(1)));
  EXPECT_EQ(name(4).newest(0).counter(), 4U);
  start(leased_job(2, 4));
  wait_for_prepared(2);
}

TEST_F(ResLeases, AnOlderGrantIsRefusedAlsoAfterARestart) {
  start_res();
  name(4);
  restart_res();
  ASSERT_EQ(hellos_.back().leases_size(), 1);
  EXPECT_EQ(hellos_.back().leases(0).counter(), 4U);
  start(leased_job(1, 3));
  EXPECT_EQ(wait_for_refusal(1).newest().counter(), 4U);
  EXPECT_FALSE(std::filesystem::exists(job_directory(1)));
}

TEST_F(ResLeases, ALargerNumberOfAStartIsOnDiskBeforeTheStartIs) {
  start_res();
  name(4);
  start(leased_job(1, 5));
  wait_for_prepared(1);
  restart_res();
  ASSERT_EQ(hellos_.back().leases_size(), 1);
  EXPECT_EQ(hellos_.back().leases(0).counter(), 5U);
  start(leased_job(2, 4));
  EXPECT_EQ(wait_for_refusal(2).newest().counter(), 5U);
}

TEST_F(ResLeases, ARefusedStartThatDoesNotWaitIsOver) {
  start_res();
  name(4);
  auto order = leased_job(1, 3);
  order.set_wait_for_go(false);
  start(order);
  EXPECT_EQ(wait_for_over(1).how(), wire::FromRes::JobOver::NOT_STARTED);
}

TEST_F(ResLeases, TheAnswerNamesJobsOfOlderGrants) {
  start_res();
  name(4);
  start(leased_job(1, 4));
  wait_for_prepared(1);
  restart_res();
  const auto held = name(5);
  EXPECT_EQ(held.newest(0).counter(), 5U);
  ASSERT_EQ(held.jobs_size(), 1);
  EXPECT_EQ(held.jobs(0).job().key().id(), 1);
  EXPECT_EQ(held.jobs(0).state(), Held::PREPARED);
  ASSERT_EQ(held.jobs(0).grants_size(), 1);
  EXPECT_EQ(held.jobs(0).grants(0).counter(), 4U);
}

TEST_F(ResLeases, ARepeatedStartIsAnsweredUnderANewerNumber) {
  start_res();
  name(4);
  start(leased_job(1, 4));
  wait_for_prepared(1);
  name(5);
  heard_.clear();
  start(leased_job(1, 4));
  wait_for_prepared(1);
}

TEST_F(ResLeases, ALostFileTakesNoStartBeforeTheNumberIsNamed) {
  start_res();
  name(4);
  kill_res(SIGKILL);
  std::filesystem::remove(std::filesystem::path(job_directory()).parent_path() / "term");
  start_res();
  EXPECT_EQ(hellos_.back().leases_size(), 0);
  start(leased_job(1, 4));
  EXPECT_EQ(wait_for_refusal(1).newest().counter(), 0U);
  name(4);
  start(leased_job(2, 4));
  wait_for_prepared(2);
}

TEST_F(ResLeases, AnEndedLeaseIsForgottenWhenNoJobHasIt) {
  start_res();
  name(4);
  start(leased_job(1, 4));
  wait_for_prepared(1);
  EXPECT_EQ(say_over().newest_size(), 1);
  wire::ToRes order;
  order.mutable_release()->mutable_job()->mutable_key()->set_id(1);
  order.mutable_release()->mutable_job()->set_attempt(1);
  send(order);
  EXPECT_EQ(say_over().newest_size(), 0);
}

}  // namespace
}  // namespace rollcall::res::test
