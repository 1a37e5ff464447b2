#include "sched/policy/jobs/dependency_watch.hpp"

#include <algorithm>

namespace rollcall::sched::jobs {

DependencyWatch::Key DependencyWatch::key_of(const JobCondition& c) {
  return {c.condition, c.comparison, c.number, c.all_elements};
}

void DependencyWatch::add(Submission submission, const Dependency& dependency, std::int32_t id,
                          const JobTally& tally) {
  waiting_.insert(submission);
  for (const JobCondition& c : dependency.conditions()) {
    if (c.id != id) continue;
    if (c.each) {
      each_.insert(submission);
    } else if (c.index != 0) {
      by_index_[c.index].insert(submission);
    } else if (compares_a_number(c)) {
      const auto [counted, fresh] = counted_.try_emplace(c.condition);
      const DependencyNumbers now = numbers_of(c.condition, tally);
      if (fresh) counted->second.seen = now;
      if (counted->second.seen != now) counted->second.seen.reset();
      counted->second.by_number[c.number].insert(submission);
    } else {
      const auto [watched, fresh] = whole_.try_emplace(key_of(c));
      const DependencyTruth now = truth_of(c, tally);
      if (fresh) watched->second = {c, now, {}};
      if (watched->second.truth != now) watched->second.truth.reset();
      watched->second.submissions.insert(submission);
    }
  }
}

void DependencyWatch::remove(Submission submission, const Dependency& dependency, std::int32_t id) {
  const auto drop = [submission](auto& table, const auto& key, auto&& submissions) {
    const auto found = table.find(key);
    if (found == table.end()) return;
    submissions(found->second).erase(submission);
    if (submissions(found->second).empty()) table.erase(found);
  };
  waiting_.erase(submission);
  each_.erase(submission);
  for (const JobCondition& c : dependency.conditions()) {
    if (c.id != id || c.each) continue;
    if (c.index != 0) {
      drop(
          by_index_, c.index, [](auto& set) -> auto& { return set; });
    } else if (!compares_a_number(c)) {
      drop(
          whole_, key_of(c), [](auto& watched) -> auto& { return watched.submissions; });
    } else if (const auto counted = counted_.find(c.condition); counted != counted_.end()) {
      drop(
          counted->second.by_number, c.number, [](auto& set) -> auto& { return set; });
      if (counted->second.by_number.empty()) counted_.erase(counted);
    }
  }
}

// A comparison with n can change its answer only where the number moves to, from or across n.
void DependencyWatch::pass(const Counted& counted, std::int64_t from, std::int64_t to,
                           std::set<Submission>& concerned) {
  if (from == to) return;
  const auto end = counted.by_number.upper_bound(std::max(from, to) + 1);
  for (auto one = counted.by_number.lower_bound(std::min(from, to) - 1); one != end; ++one)
    concerned.insert(one->second.begin(), one->second.end());
}

DependencyWatch::Concerned DependencyWatch::changed(std::int32_t index, const JobTally& tally) {
  Concerned concerned;
  for (auto& [key, watched] : whole_) {
    const DependencyTruth truth = truth_of(watched.condition, tally);
    if (truth == watched.truth) continue;
    watched.truth = truth;
    concerned.whole.insert(watched.submissions.begin(), watched.submissions.end());
  }
  for (auto& [condition, counted] : counted_) {
    const DependencyNumbers now = numbers_of(condition, tally);
    if (counted.seen) {
      pass(counted, counted.seen->now, now.now, concerned.whole);
      pass(counted, counted.seen->least, now.least, concerned.whole);
      pass(counted, counted.seen->most, now.most, concerned.whole);
    } else {
      for (const auto& [number, submissions] : counted.by_number)
        concerned.whole.insert(submissions.begin(), submissions.end());
    }
    counted.seen = now;
  }
  if (const auto of_index = by_index_.find(index); of_index != by_index_.end())
    concerned.whole.insert(of_index->second.begin(), of_index->second.end());
  if (!each_.empty()) concerned.same = &each_;
  return concerned;
}

}  // namespace rollcall::sched::jobs
