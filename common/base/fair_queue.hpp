// FairQueue: what waits for one worker, so that each asker has its turn however much another one has put in. A value.
//
// Askers take turns; the items of one keep their order. Used for questions to munged (io/munge_asker.hpp).
#pragma once

#include <cstddef>
#include <deque>
#include <list>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace rollcall {

template <class Item>
class FairQueue {
 public:
  void push(const std::string& asker, Item item) {
    auto [at, is_new] = lines_.try_emplace(asker);
    if (is_new) turns_.push_back(asker);
    at->second.push_back(std::move(item));
    ++size_;
  }
  // The oldest of the asker whose turn it is.
  std::optional<Item> pop() {
    if (turns_.empty()) return std::nullopt;
    const std::string asker = std::move(turns_.front());
    turns_.pop_front();
    const auto line = lines_.find(asker);
    std::optional<Item> item(std::move(line->second.front()));
    line->second.pop_front();
    --size_;
    if (line->second.empty())
      lines_.erase(line);
    else
      turns_.push_back(asker);
    return item;
  }
  // Takes out the items at the head of each line for which `over` says true: those that wait for longest.
  template <class Over>
  std::vector<Item> take_out(Over over) {
    std::vector<Item> out;
    for (auto turn = turns_.begin(); turn != turns_.end();) {
      const auto line = lines_.find(*turn);
      while (!line->second.empty() && over(line->second.front())) {
        out.push_back(std::move(line->second.front()));
        line->second.pop_front();
        --size_;
      }
      if (!line->second.empty()) {
        ++turn;
        continue;
      }
      lines_.erase(line);
      turn = turns_.erase(turn);
    }
    return out;
  }

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  std::size_t waiting(const std::string& asker) const {
    const auto line = lines_.find(asker);
    return line == lines_.end() ? 0 : line->second.size();
  }

 private:
  std::map<std::string, std::deque<Item>> lines_;
  std::list<std::string> turns_;  // askers with something in their line, in the order of their turns
  std::size_t size_ = 0;
};

}  // namespace rollcall
