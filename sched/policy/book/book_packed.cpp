// The Book: unpacks jobs and submissions that are worked with, and packs them to bytes again.
#include <utility>

#include "sched/policy/book/book_memory.hpp"

namespace rollcall::sched::book {
namespace {

constexpr std::size_t kMany = 1000;
constexpr std::size_t kSpare = 500;          // objects: more than a part of an answer uses
constexpr std::uint32_t kSpareBytes = 2000;  // packed size: larger objects would keep too much memory

template <class Pointer>
Pointer take_last(std::vector<Pointer>& from) {
  if (from.empty()) return nullptr;
  Pointer last = std::move(from.back());
  from.pop_back();
  return last;
}

}  // namespace

Job& Memory::unpacked(const BookEntry& entry) const {
  if (entry.job) return *entry.job;
  auto job = take_last(spare_jobs);
  if (!job) job = std::make_unique<Job>();
  entry.record.unpack(job->record);
  job->asked = asked(entry.submission);
  if (entry.launch) job->launch = std::move(*entry.launch);
  entry.launch.reset();
  unpacked_jobs.push_back(job->key());
  entry.job = std::move(job);
  return *entry.job;
}

const std::shared_ptr<const wire::Submission>& Memory::asked(const KeptSubmission& one,
                                                             std::uint64_t number) const {
  if (one.asked) return one.asked;
  auto whole = take_last(spare_submissions);
  if (!whole) whole = std::make_shared<wire::Submission>();
  one.packed.unpack(*whole);
  one.asked = std::move(whole);
  unpacked_submissions.push_back(number);
  return one.asked;
}
const std::shared_ptr<const wire::Submission>& Memory::asked(std::uint64_t number) const {
  return asked(kept.at(number), number);
}

void Memory::pack() const {
  for (const JobKey key : std::exchange(unpacked_jobs, {})) {
    const auto found = jobs.find(key);
    if (found == jobs.end() || !found->second.job) continue;
    const BookEntry& entry = found->second;
    if (entry.changed) entry.record.pack(entry.job->record);
    entry.changed = false;
    if (entry.job->launch.is_known()) entry.launch = std::make_unique<Launch>(std::move(entry.job->launch));
    entry.job->asked.reset();
    entry.job->launch = {};
    if (spare_jobs.size() < kSpare && entry.record.size() < kSpareBytes)
      spare_jobs.push_back(std::move(entry.job));
    entry.job.reset();
  }
  for (const std::uint64_t number : std::exchange(unpacked_submissions, {})) {
    const auto found = kept.find(number);
    if (found == kept.end() || !found->second.asked) continue;
    if (found->second.packed.empty()) found->second.packed.pack(*found->second.asked);
    // No one else refers to the object; it was made as mutable, here or by the client's request.
    if (found->second.asked.use_count() == 1 && spare_submissions.size() < kSpare &&
        found->second.packed.size() < kSpareBytes)
      spare_submissions.push_back(std::const_pointer_cast<wire::Submission>(std::move(found->second.asked)));
    found->second.asked.reset();
  }
}

void Memory::pack_if_many() const {
  if (unpacked_jobs.size() + unpacked_submissions.size() > kMany) pack();
}

}  // namespace rollcall::sched::book
