// SQLite's store and the one in memory get the same random operations and must answer every question alike, after every
// step and after every restart.
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <vector>

#include "tests/io/common/job_store_fixture.hpp"

namespace rollcall::io {
namespace {

constexpr int kIds = 5;  // few, so that ids are given again
constexpr std::int64_t kDay = 1'000'000'000;

int some(int from, int to) { return *rc::gen::inRange(from, to + 1); }

// Random turns, as no mbatchd makes them; only the numbers of submissions stay distinct.
class Turns {
 public:
  StoreBatch next() {
    StoreBatch batch;
    now_ += some(1, static_cast<int>(kDay));
    if (some(0, 2) == 0) submit(batch);
    if (some(0, 2) == 0) change(batch);
    if (some(0, 3) == 0) batch.controls.push_back({"queue", name(), some(0, 1) == 0 ? "" : "closed"});
    if (some(0, 3) == 0) batch.tokens.push_back({name(), some(1, 9), "answer " + std::to_string(now_)});
    if (some(0, 5) == 0) batch.forget_tokens_before = some(1, 9);
    if (some(0, 3) == 0) batch.set(StoreNumber::next_job, some(1, 100));
    if (some(0, 3) == 0) batch.set(StoreNumber::events_seq, some(1, 100));
    if (some(0, 3) == 0) batch.drop_payloads.push_back(static_cast<std::uint64_t>(some(1, 20)));
    if (last_ > 0 && some(0, 9) == 0) batch.submissions.push_back({last_, submission("again")});  // refused
    return batch;
  }
  std::int64_t now() const { return now_; }

 private:
  static std::string name() { return std::string(1, static_cast<char>('a' + some(0, 4))); }
  wire::JobEvent& event(StoreBatch& batch, int id) const {
    auto& added = batch.events.emplace_back();
    added.set_at_us(now_);
    added.mutable_key()->set_id(id);
    return added;
  }
  void submit(StoreBatch& batch) {
    const int id = some(1, kIds);
    const auto asked = submission("job " + std::to_string(++last_));
    batch.submissions.push_back({last_, asked});
    batch.payloads.push_back(std::make_shared<const StoredPayload>(StoredPayload{last_, "script " + name()}));
    batch.jobs.push_back(job(id, last_));
    auto& created = *event(batch, id).mutable_new_job();
    created.set_submission(last_);
    *created.mutable_asked() = *asked;
  }
  void change(StoreBatch& batch) {
    const int id = some(1, kIds);
    auto record = job(id, static_cast<std::uint64_t>(some(0, static_cast<int>(last_))));
    if (some(0, 1) == 0) {
      record.set_end_us(now_);
      record.set_cleaned_us(now_ + 1);
      *event(batch, id).mutable_finish()->mutable_record() = record;
    } else {
      event(batch, id).mutable_start()->set_attempt(1);
    }
    batch.jobs.push_back(std::move(record));
  }
  wire::JobRecord job(int id, std::uint64_t number) const {
    auto made = record(id, some(0, 2), number);
    made.set_submit_us(now_ - some(0, 1) * kDay);
    return made;
  }

  std::uint64_t last_ = 0;
  std::int64_t now_ = kDay;
};

std::string told(const StoreResult<std::vector<StoredEvent>>& events) {
  if (!events) return "error";
  std::string all;
  for (const auto& one : *events) all += std::to_string(one.seq) + one.event.SerializeAsString() + "\n";
  return all;
}

// Everything that can be asked of a store. `after_index`: of jobs().
std::string told(JobStore& store, int after_index) {
  std::string all = "term " + std::to_string(store.term()) + ", events to " +
                    std::to_string(store.last_event()) + ", highest " + std::to_string(*store.highest_job());
  for (const auto which : {StoreNumber::next_job, StoreNumber::events_seq, StoreNumber::accounts_size})
    all += " " + std::to_string(store.number(which));
  const auto loaded = store.load(
      {[&](StoredSubmission row) {
         all += "\nsubmission " + std::to_string(row.number) + row.asked->command();
       },
       [&](wire::JobRecord row) { all += "\njob " + row.SerializeAsString(); },
       [&](StoredControl row) { all += "\n" + row.kind + row.name + row.value; },
       [&](StoredToken row) { all += "\n" + row.token + std::to_string(row.at_us) + row.answer; }});
  RC_ASSERT(loaded.has_value());
  for (int id = 1; id <= kIds; ++id)
    for (const auto& record : *store.jobs(id, after_index, 2)) all += "\nany " + record.SerializeAsString();
  EventQuery query;
  all += "\n" + told(store.events(query));
  query.most = 3;
  query.id = 2;
  all += told(store.events(query));
  query.finishes = true;
  all += told(store.events(query));
  query.id.reset();
  query.from_us = 3 * kDay;
  all += told(store.events(query));
  for (std::uint64_t number = 1; number < 20; ++number) {
    const auto asked = *store.submission(number);
    const auto payload = store.payload(number);
    all += (asked ? asked->command() : "none") + " " + (payload ? *payload : "none") + ";";
  }
  return all;
}

RC_GTEST_PROP(StoreModel, MemoryAndSqliteAnswerAlike, ()) {
  DirectoryPlace directory;
  MemoryPlace memory;
  auto sqlite = directory.open();
  auto model = memory.open();
  Turns turns;
  for (int step = some(1, 25); step > 0; --step) {
    const int what = some(0, 9);
    if (what == 0) {
      sqlite.reset(), model.reset();
      sqlite = directory.open(), model = memory.open();
    } else if (what <= 2) {
      const Forget forget{turns.now() - some(0, 3) * kDay, static_cast<std::uint64_t>(some(0, 40)),
                          static_cast<std::size_t>(some(1, 6))};
      const auto gone = sqlite->forget(forget), also = model->forget(forget);
      RC_ASSERT(gone.has_value());
      RC_ASSERT(also.has_value());
      RC_ASSERT(gone->jobs == also->jobs && gone->events == also->events &&
                gone->submissions == also->submissions && gone->more == also->more);
    } else {
      auto batch = turns.next();
      auto copy = batch;
      const auto kept = sqlite->commit(batch), also = model->commit(copy);
      RC_ASSERT(kept.has_value() == also.has_value());
      if (kept) RC_ASSERT(*kept == *also);
    }
    const int after = some(-1, 1);
    RC_ASSERT(told(*sqlite, after) == told(*model, after));
  }
}

}  // namespace
}  // namespace rollcall::io
