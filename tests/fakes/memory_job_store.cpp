#include "tests/fakes/memory_job_store.hpp"

#include <algorithm>
#include <set>
#include <tuple>
#include <vector>

#include "common/io/stored_events.hpp"

namespace rollcall::io::test {
namespace {

// An event and the record of its job are of the same moment, or of two calls of the clock.
constexpr std::int64_t kSameMoment_us = 1'000'000;

bool names_submission(const wire::JobEvent& event) {
  return event.has_new_job() || event.has_modify() || event.has_finish();
}

}  // namespace

class MemoryJobStore final : public JobStore {
 public:
  explicit MemoryJobStore(MemoryDisk& disk) : disk_(disk) {
    disk_.open_ = true;
    ++disk_.term_;
  }
  ~MemoryJobStore() override { disk_.open_ = false; }

  std::uint64_t term() const override { return disk_.term_; }
  std::int64_t number(StoreNumber which) const override {
    return disk_.numbers_[static_cast<std::size_t>(which)];
  }
  std::uint64_t last_event() const override { return disk_.last_event_; }

  StoreResult<void> load(const StoreVisitor& visitor) override {
    std::set<std::uint64_t> live;
    for (const auto& [key, record] : disk_.jobs_)
      if (record.cleaned_us() == 0) live.insert(record.submission());
    for (const auto& [number, asked] : disk_.submissions_)
      if (live.contains(number)) visitor.submission({number, std::make_shared<wire::Submission>(*asked)});
    for (const auto& [key, record] : disk_.jobs_)
      if (record.cleaned_us() == 0) visitor.job(record);
    for (const auto& [key, value] : disk_.controls_) visitor.control({key.first, key.second, value});
    if (!visitor.token) return {};
    std::vector<std::tuple<std::int64_t, std::string, std::string>> tokens;
    for (const auto& [token, row] : disk_.tokens_) tokens.emplace_back(row.at_us, token, row.answer);
    std::sort(tokens.begin(), tokens.end());
    for (const auto& [at_us, token, answer] : tokens) visitor.token({token, at_us, answer});
    return {};
  }

  StoreResult<std::uint64_t> commit(StoreBatch& batch) override {
    if (batch.empty()) return disk_.last_event_;
    if (fails()) return failure();
    std::set<std::uint64_t> fresh;
    for (const auto& row : batch.submissions)
      if (disk_.submissions_.contains(row.number) || !fresh.insert(row.number).second)
        return StoreError{StoreError::Kind::failed, "memory: there is a submission of this number"};
    for (const auto& row : batch.submissions)
      disk_.submissions_[row.number] = std::make_shared<wire::Submission>(*row.asked);
    for (const auto& row : batch.payloads) disk_.payloads_[row->number] = row->body;
    for (const auto number : batch.drop_payloads) disk_.payloads_.erase(number);
    for (const auto& record : batch.jobs) disk_.jobs_[{record.key().id(), record.key().index()}] = record;
    for (const auto& row : batch.controls)
      if (row.value.empty())
        disk_.controls_.erase({row.kind, row.name});
      else
        disk_.controls_[{row.kind, row.name}] = row.value;
    for (auto& event : batch.events) {
      const WithoutAsked without(event);
      disk_.events_[++disk_.last_event_] = event;
    }
    if (batch.forget_tokens_before)
      std::erase_if(disk_.tokens_,
                    [&](const auto& one) { return one.second.at_us < *batch.forget_tokens_before; });
    for (const auto& row : batch.tokens) disk_.tokens_[row.token] = {row.at_us, row.answer};
    for (std::size_t i = 0; i < kStoreNumbers; ++i)
      if (batch.numbers[i]) disk_.numbers_[i] = *batch.numbers[i];
    return disk_.last_event_;
  }

  StoreResult<Forgotten> forget(const Forget& what) override {
    if (fails()) return after_ = 0, failure();
    Forgotten forgotten;
    forgotten.jobs = forget_jobs(what);
    if (forgotten.jobs == what.most)
      forgotten.more = true;
    else
      forget_events(what, forgotten);
    if (!forgotten.more) after_ = 0;
    return forgotten;
  }

  StoreResult<std::shared_ptr<const wire::Submission>> submission(std::uint64_t number) override {
    const auto found = disk_.submissions_.find(number);
    return found == disk_.submissions_.end() ? nullptr : found->second;
  }
  StoreResult<std::string> payload(std::uint64_t number) override {
    const auto found = disk_.payloads_.find(number);
    if (found != disk_.payloads_.end()) return found->second;
    return StoreError{StoreError::Kind::failed,
                      "table payloads: found no row " + std::to_string(number) + ", expected a job's"};
  }

  StoreResult<std::vector<StoredEvent>> events(const EventQuery& query) override {
    std::vector<StoredEvent> found;
    for (auto at = disk_.events_.upper_bound(query.after);
         at != disk_.events_.end() && found.size() < query.most; ++at) {
      const auto& event = at->second;
      if (event.at_us() < query.from_us || event.at_us() > query.to_us) continue;
      if (query.id && event.key().id() != *query.id) continue;
      if (query.finishes && !event.has_finish()) continue;
      found.push_back({at->first, event});
      const auto asked = disk_.submissions_.find(submission_of(event));
      if (asked != disk_.submissions_.end()) put_asked(found.back().event, *asked->second);
    }
    return found;
  }
  StoreResult<std::vector<wire::JobRecord>> jobs(int id, int after_index, std::size_t most) override {
    std::vector<wire::JobRecord> found;
    for (auto at = disk_.jobs_.upper_bound({id, after_index});
         at != disk_.jobs_.end() && at->first.first == id && found.size() < most; ++at)
      found.push_back(at->second);
    return found;
  }
  StoreResult<int> highest_job() override {
    return disk_.jobs_.empty() ? 0 : disk_.jobs_.rbegin()->first.first;
  }

 private:
  bool fails() { return disk_.failures_ > 0 && disk_.failures_-- > 0; }
  StoreError failure() const { return {disk_.failure_, "memory: a failure that was asked for"}; }

  std::size_t forget_jobs(const Forget& what) {
    std::vector<std::pair<std::int64_t, std::pair<int, int>>> old;
    for (const auto& [key, record] : disk_.jobs_)
      if (record.cleaned_us() != 0 && record.end_us() < what.ended_before_us)
        old.emplace_back(record.end_us(), key);
    std::sort(old.begin(), old.end());
    old.resize(std::min(old.size(), what.most));
    for (const auto& [end_us, key] : old) disk_.jobs_.erase(key);
    return old.size();
  }

  void forget_events(const Forget& what, Forgotten& forgotten) {
    const auto last = disk_.last_event_ - std::min<std::uint64_t>(disk_.last_event_, 1);
    const auto until = std::min(what.events_until, last);
    std::set<std::pair<int, std::uint64_t>> named;
    std::size_t looked_at = 0;
    for (auto at = disk_.events_.upper_bound(after_);
         at != disk_.events_.end() && at->first <= until && looked_at < what.most; ++looked_at) {
      const auto& event = at->second;
      if (event.at_us() >= what.ended_before_us) break;
      after_ = at->first;
      if (is_needed(event)) {
        ++at;
        continue;
      }
      if (const auto number = submission_of(event); number != 0) named.emplace(event.key().id(), number);
      ++forgotten.events;
      at = disk_.events_.erase(at);
    }
    forgotten.more = looked_at == what.most;
    for (const auto& [id, number] : named) {
      if (is_named(id, number)) continue;
      disk_.submissions_.erase(number);
      ++forgotten.submissions;
    }
  }
  bool is_needed(const wire::JobEvent& event) const {
    const int id = event.key().id();
    const auto job = disk_.jobs_.lower_bound({id, 0});
    if (id == 0 || job == disk_.jobs_.end() || job->first.first != id) return false;
    return event.at_us() + kSameMoment_us >= job->second.submit_us();
  }
  bool is_named(int id, std::uint64_t number) const {
    for (auto at = disk_.jobs_.lower_bound({id, 0}); at != disk_.jobs_.end() && at->first.first == id; ++at)
      if (at->second.submission() == number) return true;
    for (const auto& [seq, event] : disk_.events_)
      if (event.key().id() == id && names_submission(event)) return submission_of(event) == number;
    return false;
  }

  MemoryDisk& disk_;
  std::uint64_t after_ = 0;  // events that this pass has looked at
};

StoreResult<std::unique_ptr<JobStore>> MemoryDisk::open() {
  if (open_) return StoreError{StoreError::Kind::in_use, "memory: another mbatchd has it"};
  return std::make_unique<MemoryJobStore>(*this);
}

}  // namespace rollcall::io::test
