// mbatchd's store forgets finished jobs and their events by age, in steps, and nothing that is still needed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <filesystem>

#include "tests/io/common/job_store_fixture.hpp"

namespace rollcall::io {
namespace {

constexpr std::int64_t kDay_us = 24LL * 3600 * 1'000'000;
constexpr std::int64_t kOld = 1 * kDay_us, kBorder = 50 * kDay_us, kRecent = 60 * kDay_us;

wire::JobRecord ended_record(int id, std::uint64_t number, std::int64_t submit_us, std::int64_t end_us) {
  wire::JobRecord job;
  job.mutable_key()->set_id(id);
  job.set_submission(number);
  job.set_submit_us(submit_us);
  job.set_end_us(end_us);
  job.set_cleaned_us(end_us == 0 ? 0 : end_us + 1);
  job.set_status(end_us == 0 ? wire::STATUS_RUN : wire::STATUS_DONE);
  return job;
}

// The whole life of a job; end_us 0: it runs. Its submission has the number given.
StoreBatch life(int id, std::uint64_t number, std::int64_t submit_us, std::int64_t end_us) {
  StoreBatch batch;
  auto asked = std::make_shared<wire::Submission>();
  asked->set_command("job " + std::to_string(id) + " of submission " + std::to_string(number));
  batch.submissions.push_back({number, asked});
  batch.jobs.push_back(ended_record(id, number, submit_us, end_us));
  auto& created = batch.events.emplace_back();
  created.set_at_us(submit_us);
  created.mutable_key()->set_id(id);
  created.mutable_new_job()->set_submission(number);
  *created.mutable_new_job()->mutable_asked() = *asked;
  auto& started = batch.events.emplace_back();
  started.set_at_us(submit_us);
  started.mutable_key()->set_id(id);
  started.mutable_start()->set_attempt(1);
  if (end_us == 0) return batch;
  auto& ended = batch.events.emplace_back();
  ended.set_at_us(end_us);
  ended.mutable_key()->set_id(id);
  *ended.mutable_finish()->mutable_asked() = *asked;
  *ended.mutable_finish()->mutable_record() = batch.jobs.back();
  return batch;
}

class Forgetting {
 protected:
  explicit Forgetting(StorePlace& where) : place(where), store(where.open()) {}
  void reopen() {
    store.reset();
    store = place.open();
  }
  void keep(StoreBatch batch) {
    const auto kept = store->commit(batch);
    ASSERT_TRUE(kept) << kept.error().text;
  }
  // Passes until one finds nothing to do.
  Forgotten forget(std::uint64_t events_until = UINT64_MAX, std::size_t most = 2) {
    Forgotten all;
    for (int step = 0; step < 100'000; ++step) {
      const auto one = store->forget({kBorder, events_until, most});
      if (!one) throw std::runtime_error(one.error().text);
      all.jobs += one->jobs;
      all.events += one->events;
      all.submissions += one->submissions;
      if (!one->more) return all;
    }
    throw std::runtime_error("a pass has no end");
  }
  std::vector<std::string> events_of(int id) {
    EventQuery query;
    query.id = id;
    std::vector<std::string> lines;
    for (const auto& one : *store->events(query)) {
      const auto& event = one.event;
      lines.push_back(event.has_new_job()  ? "new: " + event.new_job().asked().command()
                      : event.has_finish() ? "finish: " + event.finish().asked().command()
                                           : "start");
    }
    return lines;
  }
  StorePlace& place;
  std::unique_ptr<JobStore> store;
};

class StoreForgets : public testing::TestWithParam<StoreKind>, protected Forgetting {
 protected:
  StoreForgets() : StoreForgets(place_of(GetParam())) {}

 private:
  explicit StoreForgets(std::unique_ptr<StorePlace> where) : Forgetting(*where), place_(std::move(where)) {}
  std::unique_ptr<StorePlace> place_;
};
INSTANTIATE_TEST_SUITE_P(Every, StoreForgets, every_store(), name_of);

// What is SQLite's alone.
class DatabaseForgets : public testing::Test, protected DirectoryPlace, protected Forgetting {
 protected:
  DatabaseForgets() : Forgetting(static_cast<DirectoryPlace&>(*this)) {}
};

TEST_P(StoreForgets, AnOldJobGoesWithItsEventsAndItsSubmission) {
  keep(life(1, 1, kOld, kOld));
  keep(life(2, 2, kRecent, kRecent));
  const auto gone = forget();
  EXPECT_EQ(gone.jobs, 1U);
  EXPECT_EQ(gone.events, 3U);
  EXPECT_EQ(gone.submissions, 1U);
  EXPECT_TRUE(store->jobs(1, -1, 10)->empty());
  EXPECT_TRUE(events_of(1).empty());
  EXPECT_EQ(*store->submission(1), nullptr);
  EXPECT_EQ(store->jobs(2, -1, 10)->size(), 1U);
  EXPECT_EQ(events_of(2).size(), 3U);
}

TEST_P(StoreForgets, AJobThatWasSubmittedLongAgoAndRunsKeepsItsEvents) {
  keep(life(1, 1, kOld, 0));
  keep(life(2, 2, kRecent, kRecent));
  EXPECT_EQ(forget().events, 0U);
  EXPECT_THAT(events_of(1), testing::ElementsAre("new: job 1 of submission 1", "start"));
}

TEST_P(StoreForgets, AJobThatEndedRecentlyKeepsItsOldEvents) {
  keep(life(1, 1, kOld, kRecent));
  EXPECT_EQ(forget().events, 0U);
  EXPECT_EQ(events_of(1).size(), 3U);
}

TEST_P(StoreForgets, AnIdThatWasGivenAgainKeepsTheEventsOfItsNewJob) {
  keep(life(1, 1, kOld, kOld));
  keep(life(1, 2, kRecent, 0));
  const auto gone = forget();
  EXPECT_EQ(gone.jobs, 0U) << "the new job has the row";
  EXPECT_EQ(gone.events, 3U);
  EXPECT_EQ(gone.submissions, 1U);
  EXPECT_THAT(events_of(1), testing::ElementsAre("new: job 1 of submission 2", "start"));
}

TEST_P(StoreForgets, EventsMissingInTheEventFilesStay) {
  keep(life(1, 1, kOld, kOld));
  keep(life(2, 2, kRecent, kRecent));
  EXPECT_EQ(forget(2).events, 2U);
  EXPECT_THAT(events_of(1), testing::ElementsAre("finish: job 1 of submission 1"))
      << "with its submission, which lsb.acct needs";
}

TEST_P(StoreForgets, ElementsOfAnArrayKeepTheirSubmissionUntilTheLastIsOld) {
  StoreBatch batch = life(1, 1, kOld, kOld);
  batch.jobs[0].mutable_key()->set_index(1);
  batch.jobs.push_back(ended_record(1, 1, kOld, kRecent));
  batch.jobs[1].mutable_key()->set_index(2);
  keep(std::move(batch));
  const auto gone = forget();
  EXPECT_EQ(gone.jobs, 1U);
  EXPECT_EQ(gone.events, 0U);
  EXPECT_NE(*store->submission(1), nullptr);
}

TEST_P(StoreForgets, EventsAreNumberedOnBehindTheLastOneThatWas) {
  keep(life(1, 1, kOld, kOld));
  EXPECT_EQ(forget().events, 2U) << "the last one stays";
  reopen();
  EXPECT_EQ(store->last_event(), 3U);
  keep(life(2, 2, kRecent, 0));
  EXPECT_EQ(store->last_event(), 5U);
  forget();
  EXPECT_TRUE(events_of(1).empty());
  EXPECT_EQ(*store->submission(1), nullptr);
}

TEST_F(DatabaseForgets, PagesOfForgottenJobsAreUsedAgain) {
  const auto fill = [this](int first) {
    for (int id = first; id < first + 2000; ++id)
      keep(
          life(id, static_cast<std::uint64_t>(id), first == 1 ? kOld : kRecent, first == 1 ? kOld : kRecent));
    reopen();  // the log of changes goes into the file
    return std::filesystem::file_size(directory + "/jobs.db");
  };
  const auto size = fill(1);
  EXPECT_EQ(forget(UINT64_MAX, 100).jobs, 2000U);
  EXPECT_LT(fill(2001), size + size / 10);
}

TEST_F(DatabaseForgets, AStoreOfAnOlderReleaseForgetsToo) {
  keep(life(1, 1, kOld, kOld));
  keep(life(2, 2, kRecent, kRecent));
  store.reset();
  sqlite3* database = nullptr;
  ASSERT_EQ(sqlite3_open((directory + "/jobs.db").c_str(), &database), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(database, "drop index jobs_ended", nullptr, nullptr, nullptr), SQLITE_OK);
  sqlite3_close(database);
  reopen();
  EXPECT_EQ(forget().jobs, 1U);
}

}  // namespace
}  // namespace rollcall::io
