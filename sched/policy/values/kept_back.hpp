// KeptBack: orders of starts that an engine has not sent yet, since not every host of the job can be named (OrderSpan::waits). The hosts do
// not know these attempts: a signal for one would be answered with Over, never_seen, and the start be ordered again, and so on. So signals are
// kept back too, and are given again behind the order. A value.
#pragma once

#include <set>
#include <string>
#include <utility>

#include "sched/policy/values/engine.hpp"
#include "sched/policy/values/spans.hpp"

namespace rollcall::sched {

class KeptBack {
 public:
  // An order of the attempt for this host is given.
  void ordered(const std::string& host, const Attempt& attempt, OrderSpan span) {
    if (span == OrderSpan::waits)
      kept_.insert({host, attempt});
    else
      kept_.erase({host, attempt});
  }
  // The attempt is taken back there.
  void released(const std::string& host, const Attempt& attempt) { kept_.erase({host, attempt}); }
  // Its orders are given again when it connects.
  void gone(const std::string& host) {
    std::erase_if(kept_, [&](const auto& one) { return one.first == host; });
  }
  // False: the host has no order of the attempt that a signal could be for.
  bool signal_leaves(const std::string& host, const Attempt& attempt) const {
    return !kept_.contains({host, attempt});
  }

 private:
  std::set<std::pair<std::string, Attempt>> kept_;
};

}  // namespace rollcall::sched
