// mbatchd's store with real files: what is committed is there, in few pages.
#include <chrono>
#include <cstdio>
#include <fstream>
#include <iterator>

#include "tests/io/common/job_store_fixture.hpp"

namespace rollcall::io {
namespace {

TEST_P(AnyStore, WhatWasCommittedIsThereForTheNextOpener) {
  {
    auto store = open();
    EXPECT_EQ(store->term(), 1u);
    StoreBatch batch = one_job(7);
    batch.controls.push_back({"queue", "night", std::string("a\0b", 3)});
    const auto seq = store->commit(batch);
    ASSERT_TRUE(seq) << seq.error().text;
    EXPECT_EQ(*seq, 1u);
  }
  auto store = open();
  EXPECT_EQ(store->term(), 2u);
  EXPECT_EQ(store->number(StoreNumber::next_job), 8);
  EXPECT_EQ(store->number(StoreNumber::events_seq), 0);
  EXPECT_EQ(store->last_event(), 1u);
  const auto loaded = load(*store);
  EXPECT_EQ(loaded.commands.at(7), "job 7");
  EXPECT_EQ(loaded.jobs.at({7, 0}).queue(), "normal");
  EXPECT_EQ(loaded.controls.at("queue night"), std::string("a\0b", 3));
}

// CVE-2018-7033, -2019-12838, -2023-49934 of another system: words of peers that became SQL.
TEST_P(AnyStore, WhateverAUserWritesStaysAWord) {
  const std::string words[] = {"'); drop table jobs; --",
                               "\" or 1=1 --",
                               "a';delete from events;--",
                               "x\\'y",
                               std::string("a\0'b", 4),
                               ":id",
                               "?1",
                               "$v",
                               "%' or name like '%"};
  auto store = open();
  int id = 0;
  for (const auto& word : words) {
    StoreBatch batch = one_job(++id);
    wire::Submission asked = *batch.submissions[0].asked;
    asked.set_command(word);
    asked.set_job_name(word);
    batch.submissions[0].asked = std::make_shared<wire::Submission>(asked);
    batch.jobs[0].set_queue(word);
    batch.controls.push_back({"queue", word, "closed by " + word});
    batch.tokens.push_back({"token " + word, id, word});
    ASSERT_TRUE(store->commit(batch)) << word;
  }
  const auto loaded = load(*store);
  EXPECT_EQ(loaded.jobs.size(), std::size(words));
  for (id = 1; id <= static_cast<int>(std::size(words)); ++id) {
    const std::string& word = words[id - 1];
    EXPECT_EQ(loaded.commands.at(static_cast<std::uint64_t>(id)), word);
    EXPECT_EQ(loaded.jobs.at({id, 0}).queue(), word);
    if (word.find('\0') == std::string::npos) {
      EXPECT_EQ(loaded.controls.at("queue " + word), "closed by " + word);
    }
    EventQuery query;
    query.id = id;
    const auto events = store->events(query);
    ASSERT_TRUE(events);
    EXPECT_EQ(events->size(), 1u) << word;
  }
}

TEST_P(AnyStore, TokensAreKeptInTheirOrderAndForgotten) {
  const auto tokens = [](JobStore& store) {
    std::vector<std::string> found;
    const auto done =
        store.load({[](StoredSubmission) {}, [](wire::JobRecord) {}, [](StoredControl) {},
                    [&](StoredToken token) {
                      found.push_back(token.token + " " + std::to_string(token.at_us) + " " + token.answer);
                    }});
    EXPECT_TRUE(done) << done.error().text;
    return found;
  };
  {
    auto store = open();
    StoreBatch batch = one_job(1);
    batch.tokens = {{"1:b", 20, std::string("x\0y", 3)}, {"1:a", 10, "first"}};
    ASSERT_TRUE(store->commit(batch));
  }
  auto store = open();
  EXPECT_THAT(tokens(*store), testing::ElementsAre("1:a 10 first", "1:b 20 " + std::string("x\0y", 3)));
  StoreBatch later;
  later.forget_tokens_before = 20;
  later.tokens = {{"1:c", 30, "third"}};
  ASSERT_TRUE(store->commit(later));
  EXPECT_THAT(tokens(*store), testing::ElementsAre("1:b 20 " + std::string("x\0y", 3), "1:c 30 third"));
}

// Frames of the log that are of its present round: their salt is the log's (SQLite, "File Format", 4.1).
std::size_t pages_in(const std::string& log) {
  std::ifstream file(log, std::ios::binary);
  std::string head(32, '\0'), frame(24 + 4096, '\0');
  file.read(head.data(), 32);
  std::size_t pages = 0;
  while (file.read(frame.data(), static_cast<std::streamsize>(frame.size())) &&
         frame.substr(8, 8) == head.substr(16, 8))
    ++pages;
  return pages;
}

TEST_F(Store, ACommitDoesNotLengthenTheLog) {
  std::uintmax_t size = 0;
  {
    auto store = open();
    const auto log = [&] { return std::filesystem::file_size(directory + "/jobs.db-wal"); };
    size = log();
    EXPECT_GT(size, 4000u * 4096u);
    for (int id = 1; id < 700; ++id) ASSERT_TRUE(store->commit(one_job(id, 20'000)));  // more than one round
    EXPECT_EQ(log(), size);
  }
  auto store = open();
  EXPECT_EQ(load(*store).jobs.size(), 699u);
  EXPECT_EQ(std::filesystem::file_size(directory + "/jobs.db-wal"), size);
}

// Each page is written before a bsub is answered. One of: submissions, tokens, meta; three of jobs, two of events.
TEST_F(Store, ASubmissionWritesFewPages) {
  auto store = open();
  const auto written = [&](int id) {
    StoreBatch batch = one_job(id);
    batch.tokens.push_back({"1001:" + std::to_string(id), id, "answer"});
    batch.set(StoreNumber::next_submission, id + 1);
    batch.set(StoreNumber::accounts_seq, 0);  // as it was: nothing to write
    EXPECT_TRUE(store->commit(batch));
    return pages_in(directory + "/jobs.db-wal");
  };
  auto before = written(1);
  for (int id = 2; id < 6; ++id) {
    const auto now = written(id);
    EXPECT_EQ(now - before, 8u) << "submission " << id;
    before = now;
  }
}

TEST_P(AnyStore, ALaterRecordTakesThePlaceOfAnEarlierOne) {
  auto store = open();
  ASSERT_TRUE(store->commit(one_job(1)));
  StoreBatch batch;
  batch.jobs.push_back(record(1, 0, 1, wire::STATUS_RUN));
  batch.controls.push_back({"host", "a", "closed"});
  ASSERT_TRUE(store->commit(batch));
  StoreBatch again;
  again.controls.push_back({"host", "a", ""});
  ASSERT_TRUE(store->commit(again));
  const auto loaded = load(*store);
  EXPECT_EQ(loaded.jobs.at({1, 0}).status(), wire::STATUS_RUN);
  EXPECT_EQ(loaded.jobs.size(), 1u);
  EXPECT_TRUE(loaded.controls.empty());
}

TEST_P(AnyStore, CleanedJobsAreFoundByIdOnly) {
  auto store = open();
  StoreBatch batch = one_job(1);
  batch.jobs[0] = record(1, 1, 1);
  batch.jobs.push_back(record(1, 2, 1, wire::STATUS_DONE));
  batch.jobs.back().set_cleaned_us(5);
  ASSERT_TRUE(store->commit(batch));
  EXPECT_EQ(load(*store).jobs.size(), 1u);
  const auto found = store->jobs(1, 0, 10);
  ASSERT_TRUE(found);
  ASSERT_EQ(found->size(), 2u);
  EXPECT_EQ(found->at(1).status(), wire::STATUS_DONE);
  const auto rest = store->jobs(1, 1, 10);
  ASSERT_TRUE(rest);
  EXPECT_EQ(rest->size(), 1u);
  EXPECT_EQ(*store->highest_job(), 1);
}

TEST_P(AnyStore, EventsComeInPagesWithTheirSubmissions) {
  auto store = open();
  for (int id = 1; id <= 25; ++id) ASSERT_TRUE(store->commit(one_job(id)));
  EventQuery query;
  query.most = 10;
  std::vector<int> ids;
  for (;;) {
    const auto page = store->events(query);
    ASSERT_TRUE(page) << page.error().text;
    for (const auto& found : *page) {
      ids.push_back(found.event.key().id());
      EXPECT_EQ(found.event.new_job().asked().command(), "job " + std::to_string(ids.back()));
      query.after = found.seq;
    }
    if (page->size() < query.most) break;
  }
  EXPECT_EQ(ids.size(), 25u);
  EventQuery one;
  one.id = 9;
  EXPECT_EQ(store->events(one)->size(), 1u);
  EventQuery late;
  late.from_us = 24'000;
  EXPECT_EQ(store->events(late)->size(), 2u);
  EventQuery finishes;
  finishes.finishes = true;
  EXPECT_EQ(store->events(finishes)->size(), 0u);
  StoreBatch over;
  over.events.emplace_back().mutable_key()->set_id(9);
  *over.events.back().mutable_finish()->mutable_record() = record(9, 0, 9, wire::STATUS_DONE);
  ASSERT_TRUE(store->commit(over));
  ASSERT_EQ(store->events(finishes)->size(), 1u);
  EXPECT_EQ(store->events(finishes)->at(0).event.finish().asked().command(), "job 9");
  finishes.id = 8;
  EXPECT_EQ(store->events(finishes)->size(), 0u);
}

// Printed, never judged.
TEST_F(Store, AHundredThousandJobs) {
  using Clock = std::chrono::steady_clock;
  const auto ms = [](Clock::duration time) {
    return std::to_string(std::chrono::duration_cast<std::chrono::milliseconds>(time).count()) + " ms";
  };
  constexpr int kJobs = 100'000;
  auto from = Clock::now();
  {
    auto store = open();
    for (int id = 1; id <= kJobs;) {
      StoreBatch batch;
      for (int end = std::min(kJobs, id + 999); id <= end; ++id) {
        auto one = one_job(id, 1000);
        batch.submissions.push_back(one.submissions[0]);
        batch.jobs.push_back(one.jobs[0]);
        batch.events.push_back(one.events[0]);
      }
      const auto done = store->commit(batch);
      ASSERT_TRUE(done) << done.error().text;
    }
  }
  std::printf("100,000 submissions in batches of 1,000: %s\n", ms(Clock::now() - from).c_str());
  from = Clock::now();
  auto store = open();
  EXPECT_EQ(load(*store).jobs.size(), std::size_t{kJobs});
  std::printf("opened and loaded: %s\n", ms(Clock::now() - from).c_str());
  from = Clock::now();
  constexpr int kSingle = 200;
  for (int id = 1; id <= kSingle; ++id) {
    StoreBatch batch;
    batch.jobs.push_back(record(id, 0, static_cast<std::uint64_t>(id), wire::STATUS_RUN));
    ASSERT_TRUE(store->commit(batch));
  }
  std::printf("%d commits of one job each: %s\n", kSingle, ms(Clock::now() - from).c_str());
}

INSTANTIATE_TEST_SUITE_P(Every, AnyStore, every_store(), name_of);

}  // namespace
}  // namespace rollcall::io
