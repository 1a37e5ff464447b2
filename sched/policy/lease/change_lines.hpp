// ChangeLines: which changes of borrowed leases, and of what else another cluster tells, mbatchd's log has. A cluster that alternates them fills
// no log: it has kMostInAMinute lines in a minute, and the rest is a number.
#pragma once

#include <chrono>
#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "common/base/job_clock.hpp"

namespace rollcall::sched::lease {

class ChangeLines {
 public:
  static constexpr std::size_t kMostInAMinute = 20;

  // `what`: changes, in the plural.
  explicit ChangeLines(std::string what = "changes of its leases") : what_(std::move(what)) {}

  // The lines for the log after one more change of the cluster; empty: none.
  std::vector<std::string> lines(const std::string& cluster, std::string line, TimePoint now) {
    std::vector<std::string> told;
    const auto [found, first] = minutes_.try_emplace(cluster, Minute{now});
    Minute& minute = found->second;
    if (!first && now - minute.begin >= std::chrono::minutes(1)) {
      if (minute.changes > kMostInAMinute)
        told.push_back("cluster " + cluster + ": " + std::to_string(minute.changes - kMostInAMinute) +
                       " more " + what_ + " were not logged");
      minute = {now};
    }
    if (++minute.changes <= kMostInAMinute) told.push_back(std::move(line));
    if (minute.changes == kMostInAMinute)
      told.push_back("cluster " + cluster + ": further " + what_ + " are not logged in this minute");
    return told;
  }

 private:
  struct Minute {
    TimePoint begin;
    std::size_t changes = 0;
  };
  const std::string what_;
  std::map<std::string, Minute> minutes_;  // by cluster: they are peers, of the configuration
};

}  // namespace rollcall::sched::lease
