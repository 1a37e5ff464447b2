// Payloads in a table of their own, and the stores of other releases.
#include <iterator>

#include "tests/io/common/job_store_fixture.hpp"

namespace rollcall::io {
namespace {

void execute(const std::string& path, const char* statements) {
  sqlite3* database = nullptr;
  ASSERT_EQ(sqlite3_open(path.c_str(), &database), SQLITE_OK);
  char* error = nullptr;
  EXPECT_EQ(sqlite3_exec(database, statements, nullptr, nullptr, &error), SQLITE_OK) << error;
  sqlite3_close(database);
}

wire::Submission with_payload() {
  wire::Submission asked = *submission("run", 5000);
  asked.set_script("#!/bin/sh\ntrue\n");
  return asked;
}

StoreBatch one_split_job(int id) {
  StoreBatch batch = one_job(id);
  auto asked = std::make_shared<wire::Submission>(with_payload());
  for (auto& row : wire::take_payload(*asked, static_cast<std::uint64_t>(id)))
    batch.payloads.push_back(std::make_shared<const StoredPayload>(std::move(row)));
  batch.submissions[0].asked = asked;
  return batch;
}

wire::Submission read_whole(JobStore& store, std::uint64_t number) {
  wire::Submission asked = **store.submission(number);
  for (const auto row : wire::payload_rows(asked)) {
    const auto body = store.payload(row);
    EXPECT_TRUE(body) << body.error().text;
    EXPECT_TRUE(body && wire::put_payload(asked, *body));
  }
  wire::forget_payload_rows(asked);
  return asked;
}

TEST_P(AnyStore, PayloadsAreReadWhenAskedForAndDropped) {
  auto store = open();
  ASSERT_TRUE(store->commit(one_split_job(7)));
  EXPECT_EQ((*store->submission(7))->environment_size(), 0);
  EXPECT_EQ(read_whole(*store, 7).SerializeAsString(), with_payload().SerializeAsString());
  StoreBatch gone;
  gone.drop_payloads = wire::payload_rows(**store->submission(7));
  gone.drop_payloads.push_back(12345);  // never there
  ASSERT_EQ(gone.drop_payloads.size(), 3u);
  const auto row = gone.drop_payloads.front();
  ASSERT_TRUE(store->commit(gone));
  const auto missing = store->payload(row);
  ASSERT_FALSE(missing);
  EXPECT_THAT(missing.error().text, HasSubstr("table payloads: found no row " + std::to_string(row)));
  EXPECT_TRUE(store->commit(one_job(8))) << "the store goes on";
}

// What a release without the table `payloads` left: the whole submission is one row.
TEST_F(Store, StoreOfAnOlderReleaseIsMigrated) {
  constexpr int kJobs = 1203;  // more than one transaction's
  {
    auto store = open();
    StoreBatch batch;
    for (int id = 1; id <= kJobs; ++id) {
      batch.submissions.push_back(
          {static_cast<std::uint64_t>(id), std::make_shared<wire::Submission>(with_payload())});
      auto job = record(id, 0, static_cast<std::uint64_t>(id));
      if (id % 2 == 0) job.set_cleaned_us(5);
      batch.jobs.push_back(std::move(job));
    }
    ASSERT_TRUE(store->commit(batch));
  }
  execute(directory + "/jobs.db",
          "drop table payloads; update meta set value = 1 where name = 'rollcall_schema'");
  for (int opened = 0; opened < 2; ++opened) {
    auto store = open();
    const auto loaded = load(*store);
    EXPECT_EQ(loaded.jobs.size(), static_cast<std::size_t>((kJobs + 1) / 2));
    EXPECT_EQ((*store->submission(1))->script(), "");
    for (const int id : {1, 601, 1203})
      EXPECT_EQ(read_whole(*store, static_cast<std::uint64_t>(id)).SerializeAsString(),
                with_payload().SerializeAsString());
    const auto cleaned = *store->submission(2);
    EXPECT_EQ(cleaned->command(), "run");
    EXPECT_EQ(cleaned->environment_size(), 0);
    EXPECT_FALSE(wire::names_payload(*cleaned)) << "a cleaned job needs none";
  }
}

TEST_F(Store, LargeScriptsOfAnOlderReleaseAreMigratedSomeAtATime) {
  constexpr int kJobs = 30;
  const std::string script(800'000, 'x');
  {
    auto store = open();
    StoreBatch batch;
    for (int id = 1; id <= kJobs; ++id) {
      auto asked = std::make_shared<wire::Submission>();
      asked->set_script(script);
      batch.submissions.push_back({static_cast<std::uint64_t>(id), asked});
      batch.jobs.push_back(record(id, 0, static_cast<std::uint64_t>(id)));
    }
    ASSERT_TRUE(store->commit(batch));
  }
  execute(directory + "/jobs.db",
          "drop table payloads; update meta set value = 1 where name = 'rollcall_schema'");
  auto store = open();
  for (int id = 1; id <= kJobs; ++id)
    EXPECT_EQ(read_whole(*store, static_cast<std::uint64_t>(id)).script(), script) << id;
}

TEST_F(Store, StoreOfANewerReleaseIsRefused) {
  { auto store = open(); }
  execute(directory + "/jobs.db", "update meta set value = 3 where name = 'rollcall_schema'");
  EXPECT_THAT(error().text, HasSubstr("found version 3 of the tables, expected 2"));
}

}  // namespace
}  // namespace rollcall::io
