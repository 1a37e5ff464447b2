// A store in a directory of its own, or of each kind, batches of jobs for it, and what a reader finds in it: for the tests of the
// store.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>
#include <stdlib.h>

#include <filesystem>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

#include "common/io/sqlite_job_store.hpp"
#include "tests/fakes/memory_job_store.hpp"

namespace rollcall::io {

using testing::HasSubstr;
using Kind = StoreError::Kind;

inline std::shared_ptr<const wire::Submission> submission(const std::string& command,
                                                          std::size_t environment = 0) {
  auto asked = std::make_shared<wire::Submission>();
  asked->set_command(command);
  asked->set_user("ann");
  if (environment > 0) asked->add_environment(std::string("A=") + std::string(environment, 'x'));
  return asked;
}

inline wire::JobRecord record(int id, int index, std::uint64_t number,
                              wire::JobStatus status = wire::STATUS_PEND) {
  wire::JobRecord job;
  job.mutable_key()->set_id(id);
  job.mutable_key()->set_index(index);
  job.set_submission(number);
  job.set_status(status);
  job.set_queue("normal");
  return job;
}

inline wire::JobEvent new_job(int id, std::uint64_t number, std::shared_ptr<const wire::Submission> asked) {
  wire::JobEvent event;
  event.set_at_us(id * 1000);
  event.mutable_key()->set_id(id);
  event.mutable_new_job()->set_submission(number);
  *event.mutable_new_job()->mutable_asked() = *asked;
  return event;
}

// A turn in which one job is submitted: number and id are the same.
inline StoreBatch one_job(int id, std::size_t environment = 0) {
  StoreBatch batch;
  const auto asked = submission("job " + std::to_string(id), environment);
  batch.submissions.push_back({static_cast<std::uint64_t>(id), asked});
  batch.jobs.push_back(record(id, 0, static_cast<std::uint64_t>(id)));
  batch.events.push_back(new_job(id, static_cast<std::uint64_t>(id), asked));
  batch.set(StoreNumber::next_job, id + 1);
  return batch;
}

struct Loaded {
  std::map<std::uint64_t, std::string> commands;
  std::map<std::pair<int, int>, wire::JobRecord> jobs;
  std::map<std::string, std::string> controls;
};
inline Loaded load(JobStore& store) {
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

// A place for a store, which outlives it.
class StorePlace {
 public:
  virtual ~StorePlace() = default;
  virtual StoreResult<std::unique_ptr<JobStore>> try_open() = 0;
  std::unique_ptr<JobStore> open() {
    auto store = try_open();
    if (!store) throw std::runtime_error(store.error().text);
    return std::move(*store);
  }
};

class DirectoryPlace : public StorePlace {
 public:
  DirectoryPlace() {
    char name[] = "/tmp/rollcall-store.XXXXXX";
    if (mkdtemp(name) != nullptr) directory = name;
  }
  ~DirectoryPlace() override { std::filesystem::remove_all(directory); }
  StoreResult<std::unique_ptr<JobStore>> try_open() override { return open_sqlite_job_store(directory); }
  std::string directory;
};

class MemoryPlace : public StorePlace {
 public:
  StoreResult<std::unique_ptr<JobStore>> try_open() override { return disk.open(); }
  test::MemoryDisk disk;
};

// What every store promises: TEST_P(AnyStore, ...) runs on each.
enum class StoreKind { sqlite, memory };
inline std::string name_of(const testing::TestParamInfo<StoreKind>& kind) {
  return kind.param == StoreKind::sqlite ? "sqlite" : "memory";
}
inline auto every_store() { return testing::Values(StoreKind::sqlite, StoreKind::memory); }
inline std::unique_ptr<StorePlace> place_of(StoreKind kind) {
  if (kind == StoreKind::sqlite) return std::make_unique<DirectoryPlace>();
  return std::make_unique<MemoryPlace>();
}

class AnyStore : public testing::TestWithParam<StoreKind> {
 protected:
  std::unique_ptr<JobStore> open() { return place->open(); }
  StoreError error() {
    auto store = place->try_open();
    EXPECT_FALSE(store);
    return store ? StoreError{} : store.error();
  }
  std::unique_ptr<StorePlace> place = place_of(GetParam());
};

// What is SQLite's alone.
class Store : public testing::Test, public DirectoryPlace {
 protected:
  StoreError error() {
    auto store = try_open();
    EXPECT_FALSE(store);
    return store ? StoreError{} : store.error();
  }
};

}  // namespace rollcall::io
