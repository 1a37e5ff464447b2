// mbatchd's store with real files: what is committed is there, what is not is not, whatever ends the process.
#include "common/io/job_store.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sqlite3.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <map>
#include <random>

namespace rollcall::io {
namespace {

using testing::HasSubstr;
using Kind = StoreError::Kind;

std::shared_ptr<const wire::Submission> submission(const std::string& command, std::size_t environment = 0) {
  auto asked = std::make_shared<wire::Submission>();
  asked->set_command(command);
  asked->set_user("ann");
  if (environment > 0) asked->add_environment(std::string("A=") + std::string(environment, 'x'));
  return asked;
}

wire::JobRecord record(int id, int index, std::uint64_t number, wire::JobStatus status = wire::STATUS_PEND) {
  wire::JobRecord job;
  job.mutable_key()->set_id(id);
  job.mutable_key()->set_index(index);
  job.set_submission(number);
  job.set_status(status);
  job.set_queue("normal");
  return job;
}

wire::JobEvent new_job(int id, std::uint64_t number, std::shared_ptr<const wire::Submission> asked) {
  wire::JobEvent event;
  event.set_at_us(id * 1000);
  event.mutable_key()->set_id(id);
  event.mutable_new_job()->set_submission(number);
  *event.mutable_new_job()->mutable_asked() = *asked;
  return event;
}

// A turn in which one job is submitted: number and id are the same.
StoreBatch one_job(int id, std::size_t environment = 0) {
  StoreBatch batch;
  const auto asked = submission("job " + std::to_string(id), environment);
  batch.submissions.push_back({static_cast<std::uint64_t>(id), asked});
  batch.jobs.push_back(record(id, 0, static_cast<std::uint64_t>(id)));
  batch.events.push_back(new_job(id, static_cast<std::uint64_t>(id), asked));
  batch.set(StoreNumber::next_job, id + 1);
  return batch;
}

void execute(const std::string& path, const char* statements) {
  sqlite3* database = nullptr;
  ASSERT_EQ(sqlite3_open(path.c_str(), &database), SQLITE_OK);
  char* error = nullptr;
  EXPECT_EQ(sqlite3_exec(database, statements, nullptr, nullptr, &error), SQLITE_OK) << error;
  sqlite3_close(database);
}

struct Loaded {
  std::map<std::uint64_t, std::string> commands;
  std::map<std::pair<int, int>, wire::JobRecord> jobs;
  std::map<std::string, std::string> controls;
};
Loaded load(JobStore& store) {
  Loaded loaded;
  const auto done = store.load(
      {[&](StoredSubmission found) { loaded.commands[found.number] = found.asked->command(); },
       [&](wire::JobRecord found) {
         loaded.jobs[{found.key().id(), found.key().index()}] = found;
       },
       [&](StoredControl found) { loaded.controls[found.kind + " " + found.name] = found.value; }});
  EXPECT_TRUE(done) << done.error().text;
  return loaded;
}

class Store : public testing::Test {
 protected:
  Store() {
    char name[] = "/tmp/rollcall-store.XXXXXX";
    if (mkdtemp(name) != nullptr) directory = name;
  }
  ~Store() override { std::filesystem::remove_all(directory); }
  JobStore open() {
    auto store = JobStore::open(directory);
    if (!store) throw std::runtime_error(store.error().text);
    return std::move(*store);
  }
  StoreError error() {
    auto store = JobStore::open(directory);
    EXPECT_FALSE(store);
    return store ? StoreError{} : store.error();
  }
  std::string directory;
};

TEST_F(Store, WhatWasCommittedIsThereForTheNextOpener) {
  {
    auto store = open();
    EXPECT_EQ(store.term(), 1u);
    StoreBatch batch = one_job(7);
    batch.controls.push_back({"queue", "night", std::string("a\0b", 3)});
    const auto seq = store.commit(batch);
    ASSERT_TRUE(seq) << seq.error().text;
    EXPECT_EQ(*seq, 1u);
  }
  auto store = open();
  EXPECT_EQ(store.term(), 2u);
  EXPECT_EQ(store.number(StoreNumber::next_job), 8);
  EXPECT_EQ(store.number(StoreNumber::events_seq), 0);
  EXPECT_EQ(store.last_event(), 1u);
  const auto loaded = load(store);
  EXPECT_EQ(loaded.commands.at(7), "job 7");
  EXPECT_EQ(loaded.jobs.at({7, 0}).queue(), "normal");
  EXPECT_EQ(loaded.controls.at("queue night"), std::string("a\0b", 3));
}

// ---------------------------------------------------------------- payloads

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

TEST_F(Store, PayloadsAreReadWhenAskedForAndDropped) {
  auto store = open();
  ASSERT_TRUE(store.commit(one_split_job(7)));
  EXPECT_EQ((*store.submission(7))->environment_size(), 0);
  EXPECT_EQ(read_whole(store, 7).SerializeAsString(), with_payload().SerializeAsString());
  StoreBatch gone;
  gone.drop_payloads = wire::payload_rows(**store.submission(7));
  gone.drop_payloads.push_back(12345);  // never there
  ASSERT_EQ(gone.drop_payloads.size(), 3u);
  const auto row = gone.drop_payloads.front();
  ASSERT_TRUE(store.commit(gone));
  const auto missing = store.payload(row);
  ASSERT_FALSE(missing);
  EXPECT_THAT(missing.error().text, HasSubstr("table payloads: found no row " + std::to_string(row)));
  EXPECT_TRUE(store.commit(one_job(8))) << "the store goes on";
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
    ASSERT_TRUE(store.commit(batch));
  }
  execute(directory + "/jobs.db",
          "drop table payloads; update meta set value = 1 where name = 'rollcall_schema'");
  for (int opened = 0; opened < 2; ++opened) {
    auto store = open();
    const auto loaded = load(store);
    EXPECT_EQ(loaded.jobs.size(), static_cast<std::size_t>((kJobs + 1) / 2));
    EXPECT_EQ((*store.submission(1))->script(), "");
    for (const int id : {1, 601, 1203})
      EXPECT_EQ(read_whole(store, static_cast<std::uint64_t>(id)).SerializeAsString(),
                with_payload().SerializeAsString());
    const auto cleaned = *store.submission(2);
    EXPECT_EQ(cleaned->command(), "run");
    EXPECT_EQ(cleaned->environment_size(), 0);
    EXPECT_FALSE(wire::names_payload(*cleaned)) << "a cleaned job needs none";
  }
}

TEST_F(Store, StoreOfANewerReleaseIsRefused) {
  { auto store = open(); }
  execute(directory + "/jobs.db", "update meta set value = 3 where name = 'rollcall_schema'");
  EXPECT_THAT(error().text, HasSubstr("found version 3 of the tables, expected 2"));
}

// CVE-2018-7033, -2019-12838, -2023-49934 of another system: words of peers that became SQL.
TEST_F(Store, WhateverAUserWritesStaysAWord) {
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
    ASSERT_TRUE(store.commit(batch)) << word;
  }
  const auto loaded = load(store);
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
    const auto events = store.events(query);
    ASSERT_TRUE(events);
    EXPECT_EQ(events->size(), 1u) << word;
  }
}

TEST_F(Store, TokensAreKeptInTheirOrderAndForgotten) {
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
    ASSERT_TRUE(store.commit(batch));
  }
  auto store = open();
  EXPECT_THAT(tokens(store), testing::ElementsAre("1:a 10 first", "1:b 20 " + std::string("x\0y", 3)));
  StoreBatch later;
  later.forget_tokens_before = 20;
  later.tokens = {{"1:c", 30, "third"}};
  ASSERT_TRUE(store.commit(later));
  EXPECT_THAT(tokens(store), testing::ElementsAre("1:b 20 " + std::string("x\0y", 3), "1:c 30 third"));
}

// Each page is written before a bsub is answered. One of: submissions, tokens, meta; three of jobs, two of events.
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
    for (int id = 1; id < 700; ++id) ASSERT_TRUE(store.commit(one_job(id, 20'000)));  // more than one round
    EXPECT_EQ(log(), size);
  }
  auto store = open();
  EXPECT_EQ(load(store).jobs.size(), 699u);
  EXPECT_EQ(std::filesystem::file_size(directory + "/jobs.db-wal"), size);
}

TEST_F(Store, ASubmissionWritesFewPages) {
  auto store = open();
  const auto written = [&](int id) {
    StoreBatch batch = one_job(id);
    batch.tokens.push_back({"1001:" + std::to_string(id), id, "answer"});
    batch.set(StoreNumber::next_submission, id + 1);
    batch.set(StoreNumber::accounts_seq, 0);  // as it was: nothing to write
    EXPECT_TRUE(store.commit(batch));
    return pages_in(directory + "/jobs.db-wal");
  };
  auto before = written(1);
  for (int id = 2; id < 6; ++id) {
    const auto now = written(id);
    EXPECT_EQ(now - before, 8u) << "submission " << id;
    before = now;
  }
}

TEST_F(Store, ALaterRecordTakesThePlaceOfAnEarlierOne) {
  auto store = open();
  ASSERT_TRUE(store.commit(one_job(1)));
  StoreBatch batch;
  batch.jobs.push_back(record(1, 0, 1, wire::STATUS_RUN));
  batch.controls.push_back({"host", "a", "closed"});
  ASSERT_TRUE(store.commit(batch));
  StoreBatch again;
  again.controls.push_back({"host", "a", ""});
  ASSERT_TRUE(store.commit(again));
  const auto loaded = load(store);
  EXPECT_EQ(loaded.jobs.at({1, 0}).status(), wire::STATUS_RUN);
  EXPECT_EQ(loaded.jobs.size(), 1u);
  EXPECT_TRUE(loaded.controls.empty());
}

TEST_F(Store, CleanedJobsAreFoundByIdOnly) {
  auto store = open();
  StoreBatch batch = one_job(1);
  batch.jobs[0] = record(1, 1, 1);
  batch.jobs.push_back(record(1, 2, 1, wire::STATUS_DONE));
  batch.jobs.back().set_cleaned_us(5);
  ASSERT_TRUE(store.commit(batch));
  EXPECT_EQ(load(store).jobs.size(), 1u);
  const auto found = store.jobs(1, 0, 10);
  ASSERT_TRUE(found);
  ASSERT_EQ(found->size(), 2u);
  EXPECT_EQ(found->at(1).status(), wire::STATUS_DONE);
  const auto rest = store.jobs(1, 1, 10);
  ASSERT_TRUE(rest);
  EXPECT_EQ(rest->size(), 1u);
  EXPECT_EQ(*store.highest_job(), 1);
}

TEST_F(Store, EventsComeInPagesWithTheirSubmissions) {
  auto store = open();
  for (int id = 1; id <= 25; ++id) ASSERT_TRUE(store.commit(one_job(id)));
  EventQuery query;
  query.most = 10;
  std::vector<int> ids;
  for (;;) {
    const auto page = store.events(query);
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
  EXPECT_EQ(store.events(one)->size(), 1u);
  EventQuery late;
  late.from_us = 24'000;
  EXPECT_EQ(store.events(late)->size(), 2u);
  EventQuery finishes;
  finishes.finishes = true;
  EXPECT_EQ(store.events(finishes)->size(), 0u);
  StoreBatch over;
  over.events.emplace_back().mutable_key()->set_id(9);
  *over.events.back().mutable_finish()->mutable_record() = record(9, 0, 9, wire::STATUS_DONE);
  ASSERT_TRUE(store.commit(over));
  ASSERT_EQ(store.events(finishes)->size(), 1u);
  EXPECT_EQ(store.events(finishes)->at(0).event.finish().asked().command(), "job 9");
  finishes.id = 8;
  EXPECT_EQ(store.events(finishes)->size(), 0u);
}

TEST_F(Store, ASecondOpenerIsRefused) {
  auto store = open();
  const auto refused = error();
  EXPECT_EQ(refused.kind, Kind::in_use);
  EXPECT_THAT(refused.text, HasSubstr("another mbatchd"));
  ASSERT_TRUE(store.commit(one_job(1))) << "the first one goes on";
}

TEST_F(Store, FilesThatAreNotOursAreRefused) {
  ASSERT_EQ(chmod(directory.c_str(), 0777), 0);
  EXPECT_THAT(error().text, HasSubstr("found mode 0777"));
  ASSERT_EQ(chmod(directory.c_str(), 0755), 0);
  { auto store = open(); }
  struct stat made {};
  ASSERT_EQ(stat((directory + "/jobs.db").c_str(), &made), 0);
  EXPECT_EQ(made.st_mode & 0777, 0600u);
  ASSERT_EQ(chmod((directory + "/jobs.db").c_str(), 0640), 0);
  EXPECT_THAT(error().text, HasSubstr("found mode 0640"));
  std::filesystem::remove(directory + "/jobs.db");
  std::filesystem::create_symlink("/etc/passwd", directory + "/jobs.db");
  EXPECT_THAT(error().text, HasSubstr("jobs.db: cannot be opened"));
  std::filesystem::remove(directory + "/jobs.db");
  std::ofstream(directory + "/jobs.db")
      << "something quite different, and longer than the head of a database file";
  ASSERT_EQ(chmod((directory + "/jobs.db").c_str(), 0600), 0);
  EXPECT_THAT(error().text, HasSubstr("jobs.db"));
}

TEST_F(Store, AnUnusualNameOfTheDirectory) {
  const std::string inner = directory + "/it's a = b; dir";
  std::filesystem::create_directory(inner);
  auto store = JobStore::open(inner);
  ASSERT_TRUE(store) << store.error().text;
  EXPECT_TRUE(std::filesystem::exists(inner + "/jobs.db"));
}

// A writer commits one job for each batch and says so on a pipe; it is killed at any moment. What it said is there, and
// at most one more.
TEST_F(Store, AKilledWriterLosesNothingThatItSaid) {
  std::mt19937 random(20240817);
  int said = 0;
  for (int round = 0; round < 25; ++round) {
    int ends[2];
    ASSERT_EQ(pipe(ends), 0);
    const pid_t writer = fork();
    if (writer == 0) {
      close(ends[0]);
      auto store = JobStore::open(directory);
      if (!store) _exit(2);
      for (int id = said + 1;; ++id) {
        if (!store->commit(one_job(id, 2000))) _exit(3);
        if (write(ends[1], &id, sizeof id) != sizeof id) _exit(4);
      }
    }
    close(ends[1]);
    const int last = said + 1 + static_cast<int>(random() % 20);
    for (int id = 0; id < last;) ASSERT_EQ(read(ends[0], &id, sizeof id), ssize_t{sizeof id});
    std::uniform_int_distribution<int> microseconds(0, 3000);
    const auto until = std::chrono::steady_clock::now() + std::chrono::microseconds(microseconds(random));
    while (std::chrono::steady_clock::now() < until) continue;
    kill(writer, SIGKILL);
    ASSERT_EQ(waitpid(writer, nullptr, 0), writer);
    for (int id = 0; read(ends[0], &id, sizeof id) == sizeof id;) said = id;
    said = std::max(said, last);
    close(ends[0]);
    auto store = open();
    const auto loaded = load(store);
    const int found = static_cast<int>(loaded.jobs.size());
    ASSERT_GE(found, said);
    ASSERT_LE(found, said + 1);
    ASSERT_EQ(store.number(StoreNumber::next_job), found + 1) << "a batch is whole or not there";
    ASSERT_EQ(store.last_event(), static_cast<std::uint64_t>(found));
    ASSERT_EQ(loaded.commands.size(), loaded.jobs.size());
    said = found;
  }
}

TEST_F(Store, AFullDiskIsToldApartAndPasses) {
  if (geteuid() != 0) GTEST_SKIP() << "mounting a small tmpfs needs root";
  const std::string small = directory + "/small";
  std::filesystem::create_directory(small);
  if (mount("rollcall-store", small.c_str(), "tmpfs", 0, "size=1m,mode=0755") != 0)
    GTEST_SKIP() << "no tmpfs can be mounted here: " << strerror(errno);
  {
    auto store = JobStore::open(small);
    ASSERT_TRUE(store) << store.error().text;
    { std::ofstream(small + "/ballast") << std::string(200 << 10, 'b'); }
    int id = 1;
    StoreResult<std::uint64_t> done = std::uint64_t{0};
    for (; id < 200; ++id) {
      done = store->commit(one_job(id, 20'000));
      if (!done) break;
    }
    ASSERT_FALSE(done);
    EXPECT_EQ(done.error().kind, Kind::disk_full) << done.error().text;
    EXPECT_EQ(load(*store).jobs.size(), static_cast<std::size_t>(id - 1)) << "the store is as before";
    EXPECT_FALSE(store->commit(one_job(id, 20'000)));
    std::filesystem::remove(small + "/ballast");
    const auto later = store->commit(one_job(id, 20'000));
    EXPECT_TRUE(later) << later.error().text;
    EXPECT_EQ(load(*store).jobs.size(), static_cast<std::size_t>(id));
  }
  EXPECT_EQ(umount(small.c_str()), 0);
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
      const auto done = store.commit(batch);
      ASSERT_TRUE(done) << done.error().text;
    }
  }
  std::printf("100,000 submissions in batches of 1,000: %s\n", ms(Clock::now() - from).c_str());
  from = Clock::now();
  auto store = open();
  EXPECT_EQ(load(store).jobs.size(), std::size_t{kJobs});
  std::printf("opened and loaded: %s\n", ms(Clock::now() - from).c_str());
  from = Clock::now();
  constexpr int kSingle = 200;
  for (int id = 1; id <= kSingle; ++id) {
    StoreBatch batch;
    batch.jobs.push_back(record(id, 0, static_cast<std::uint64_t>(id), wire::STATUS_RUN));
    ASSERT_TRUE(store.commit(batch));
  }
  std::printf("%d commits of one job each: %s\n", kSingle, ms(Clock::now() - from).c_str());
}

}  // namespace
}  // namespace rollcall::io
