// ToldSpans: what other clusters have told of the hosts of jobs that have a part here, in memory, bounded for each of them. Pure.
// docs/decisions/0103, 0106.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <utility>

#include "common/wire/peer.pb.h"
#include "sched/policy/values/job.hpp"

namespace rollcall::sched::peers {

class ToldSpans {
 public:
  static constexpr std::size_t kMostBytes = std::size_t{64}
                                            << 20;  // of one cluster's parts that are not over
  // Whether a part is over: what was told of it is of no use then.
  using IsOver = std::function<bool(JobKey part)>;

  explicit ToldSpans(IsOver is_over) : is_over_(std::move(is_over)) {}

  bool has_room(const std::string& cluster, const wire::JobSpan& span);
  // In place of what was told of the part before. Not where there is no room.
  void told(const std::string& cluster, JobKey part, const wire::JobSpan& span);
  const wire::JobSpan* find(JobKey part) const;  // none: nullptr

 private:
  struct Told {
    std::string cluster;
    wire::JobSpan span;
    std::size_t bytes;
  };
  void drop_those_over();

  IsOver is_over_;
  std::map<JobKey, Told> told_;
  std::map<std::string, std::size_t> bytes_;  // by cluster
  std::size_t clean_at_ = 100;                // so many of them: those that are over are dropped
};

}  // namespace rollcall::sched::peers
