// When mbatchd has its store forget: by age, in steps, and never what the event files lack.
#include "sched/mbatchd/forgetting.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

#include "tests/fakes/memory_job_store.hpp"

namespace rollcall::mbatchd {
namespace {

constexpr std::int64_t kDay_us = 24LL * 3600 * 1'000'000;
constexpr int kJobs = 120;  // more than a step takes

class ForgettingTest : public testing::Test {
 protected:
  ForgettingTest() {
    io::StoreBatch batch;
    for (int id = 1; id <= kJobs; ++id) {
      auto& job = batch.jobs.emplace_back();
      job.mutable_key()->set_id(id);
      job.set_end_us(kDay_us);
      job.set_cleaned_us(kDay_us);
      auto& event = batch.events.emplace_back();
      event.set_at_us(kDay_us);
      event.mutable_key()->set_id(id);
      event.mutable_clean();
    }
    keep(std::move(batch));
    files_have(store_->last_event());
  }
  void keep(io::StoreBatch batch) {
    if (const auto kept = store_->commit(batch); !kept) throw std::runtime_error(kept.error().text);
  }
  void files_have(std::uint64_t seq) {
    io::StoreBatch batch;
    batch.set(io::StoreNumber::events_seq, static_cast<std::int64_t>(seq));
    batch.set(io::StoreNumber::accounts_seq, static_cast<std::int64_t>(seq));
    keep(std::move(batch));
  }
  int jobs() {
    int n = 0;
    for (int id = 1; id <= kJobs; ++id) n += store_->jobs(id, -1, 1)->empty() ? 0 : 1;
    return n;
  }
  std::size_t events() { return store_->events({})->size(); }
  bool pass_is_over() const { return forgetting_.wait() > std::chrono::minutes(1); }
  // Steps until the pass is over; each waits until it is due.
  void pass(WallTime now) {
    const auto until = Forgetting::Steady::now() + std::chrono::seconds(30);
    while (!pass_is_over() && Forgetting::Steady::now() < until) forgetting_.step(*store_, false, now);
    EXPECT_TRUE(pass_is_over());
  }

  io::Log log_{2, "forgetting_test", io::Level::error};
  io::test::MemoryDisk disk_;
  std::unique_ptr<io::JobStore> store_ = std::move(*disk_.open());
  Forgetting forgetting_{log_};
};

TEST_F(ForgettingTest, OldJobsLeaveInMoreThanOneStep) {
  forgetting_.configure(30);
  forgetting_.step(*store_, false, WallTime{100 * kDay_us});
  EXPECT_GT(jobs(), 0);
  EXPECT_FALSE(pass_is_over());
  pass(WallTime{100 * kDay_us});
  EXPECT_EQ(jobs(), 0);
  EXPECT_EQ(events(), 1U) << "the last one, from which the numbers go on";
}

TEST_F(ForgettingTest, JobsWithinTheAgeStay) {
  forgetting_.configure(30);
  pass(WallTime{30 * kDay_us});
  EXPECT_EQ(jobs(), kJobs);
  EXPECT_EQ(events(), std::size_t{kJobs});
}

TEST_F(ForgettingTest, EventsThatTheFilesAreNotKnownToHaveStay) {
  files_have(20);
  forgetting_.configure(30);
  pass(WallTime{100 * kDay_us});
  EXPECT_EQ(events(), std::size_t{kJobs} - 20);
}

TEST_F(ForgettingTest, NoEventLeavesTheStoreBeforeItIsInItsFile) {
  forgetting_.configure(30);
  forgetting_.step(*store_, true, WallTime{100 * kDay_us});
  EXPECT_TRUE(pass_is_over());
  EXPECT_EQ(jobs(), kJobs);
}

TEST_F(ForgettingTest, ZeroDaysKeepEverything) {
  forgetting_.configure(0);
  EXPECT_FALSE(forgetting_.wait());
  forgetting_.step(*store_, false, WallTime{100 * kDay_us});
  EXPECT_EQ(jobs(), kJobs);
}

}  // namespace
}  // namespace rollcall::mbatchd
