#include "sched/policy/peers/piece_queue.hpp"

#include <algorithm>

namespace rollcall::sched::peers {

bool PieceQueue::add(std::uint64_t number, const std::string& asker, TimePoint now) {
  if (all_waiting_ >= limits_.waiting) return false;
  const auto of_asker = waiting_.find(asker);
  if (of_asker != waiting_.end() && of_asker->second.size() >= limits_.waiting_of_one) return false;
  waiting_[asker].push_back({number, now + limits_.patience});
  ++all_waiting_;
  return true;
}

std::vector<std::uint64_t> PieceQueue::begin(TimePoint now) {
  std::vector<std::uint64_t> asked;
  while (!waiting_.empty() && under_way_.size() < limits_.under_way && now >= free_at_) {
    auto turn = waiting_.upper_bound(last_);
    if (turn == waiting_.end()) turn = waiting_.begin();
    const Asked one = turn->second.front();
    turn->second.pop_front();
    last_ = turn->first;
    if (turn->second.empty()) waiting_.erase(turn);
    --all_waiting_;
    under_way_[one.number] = now + limits_.patience;
    asked.push_back(one.number);
  }
  return asked;
}

bool PieceQueue::over(std::uint64_t number, std::size_t bytes, TimePoint now) {
  if (under_way_.erase(number) == 0) return false;
  const auto cost = std::chrono::nanoseconds(std::uint64_t{bytes} * 1'000'000'000U / limits_.bytes_per_s);
  free_at_ = std::max(free_at_, now) + std::chrono::duration_cast<Duration>(cost);
  return true;
}

std::vector<std::uint64_t> PieceQueue::late(TimePoint now) {
  std::vector<std::uint64_t> gone;
  for (auto one = under_way_.begin(); one != under_way_.end();)
    if (now >= one->second) {
      gone.push_back(one->first);
      one = under_way_.erase(one);
    } else {
      ++one;
    }
  for (auto asker = waiting_.begin(); asker != waiting_.end();) {
    auto& questions = asker->second;
    while (!questions.empty() && now >= questions.front().until) {
      gone.push_back(questions.front().number);
      questions.pop_front();
      --all_waiting_;
    }
    asker = questions.empty() ? waiting_.erase(asker) : std::next(asker);
  }
  return gone;
}

std::vector<std::uint64_t> PieceQueue::clear() {
  std::vector<std::uint64_t> gone;
  for (const auto& [number, until] : under_way_) gone.push_back(number);
  for (const auto& [asker, questions] : waiting_)
    for (const auto& one : questions) gone.push_back(one.number);
  under_way_.clear();
  waiting_.clear();
  all_waiting_ = 0;
  return gone;
}

std::optional<TimePoint> PieceQueue::next() const {
  std::optional<TimePoint> at;
  const auto at_most = [&at](TimePoint time) { at = at ? std::min(*at, time) : time; };
  for (const auto& [number, until] : under_way_) at_most(until);
  for (const auto& [asker, questions] : waiting_) at_most(questions.front().until);
  if (!waiting_.empty() && under_way_.size() < limits_.under_way) at_most(free_at_);
  return at;
}

}  // namespace rollcall::sched::peers
