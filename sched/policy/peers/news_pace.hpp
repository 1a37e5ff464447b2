// NewsPace: how often it is stored that a job has changed in another cluster. It stores nothing and reads no clock.
//
// Each change of a job is a row and an event in the files of its own cluster, and the cluster that runs the job may tell as many
// changes as it likes. So an attempt has kFree changes, which are more than an honest one has, and then one in kPause; such later
// changes of all jobs of one cluster are kPerSecond a second. A change beyond that waits, in place of the one of its kind that
// waits already, and is stored when its turn comes: how the job stands now is never lost, only states that it has left. Ends do not
// wait, and neither does what changes nothing.
//
//   report \ the attempt | has free changes | paused, nothing waits | paused, one of its kind waits
//   ---------------------+------------------+-----------------------+------------------------------
//   a change             | stored           | waits                 | waits in its place
//   no change            | stored           | stored                | stored; what waited is dropped
//   Over                 | stored           | stored                | stored; what waited is dropped
//   settled              | forgotten        | forgotten             | forgotten
//
// docs/decisions/0103.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "sched/policy/values/engine.hpp"

namespace rollcall::sched::peers {

class NewsPace {
 public:
  static constexpr int kFree = 32;  // changes of an attempt
  static constexpr Duration kPause = std::chrono::seconds(30);
  static constexpr int kPerSecond = 10;  // changes of a cluster's attempts beyond their free ones
  static constexpr int kMostAtOnce = 100;

  // The attempt of a report that may have to wait, or of an Over.
  static std::optional<Attempt> attempt_of(const HostReport& report);

  struct Report {
    std::string host;  // "@east", or a borrowed host
    HostReport report;
  };
  // True: the report may be stored. False: it waits here. `job`: ours for the attempt; nullptr where there is none.
  bool passes(const std::string& host, const HostReport& report, const Job* job, TimePoint now);
  // The job has no such attempt any more. One that nobody settles is forgotten when it could change freely again.
  void settled(const std::string& host, const Attempt& attempt);
  // Takes out what may be stored now.
  std::vector<Report> due(TimePoint now);
  std::optional<TimePoint> next_due() const;

  // What the log is to be told, once for each cluster.
  std::vector<std::string> take_lines() { return std::exchange(lines_, {}); }

 private:
  enum class Kind { place, run };  // of reports that replace one another
  struct OfAttempt {
    int free = kFree;
    TimePoint next{};  // when a change may be stored again, once none is free
    TimePoint last{};  // change
    std::map<Kind, Report> waiting;
  };
  struct OfCluster {
    std::map<Attempt, OfAttempt> attempts;
    std::set<std::pair<TimePoint, Attempt>> turns;  // of attempts with something that waits
    double tokens = kMostAtOnce;
    TimePoint at{};  // of `tokens`
    bool told = false;
  };
  static std::optional<Kind> kind_of(const HostReport& report);
  static bool takes(OfCluster& cluster, OfAttempt& attempt, TimePoint now);
  static void drop(OfCluster& cluster, const Attempt& attempt, std::optional<Kind> kind);
  void wait(OfCluster& cluster, const Attempt& attempt, Report report, TimePoint now);
  OfCluster& of_host(const std::string& host);
  void forget_idle(TimePoint now);

  std::map<std::string, OfCluster> clusters_;
  TimePoint looked_{};  // for idle ones
  std::vector<std::string> lines_;
};

}  // namespace rollcall::sched::peers
