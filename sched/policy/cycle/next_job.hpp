// NextJob: the order in which a cycle looks at pending jobs. The cycle takes one job after the other and reports at once what
// became of it, so that the order may follow what users and queues have been given within the cycle (fairshare).
//
// It chooses no hosts and does not decide whether a job may start: schedule.cpp does. It is made for one cycle and owned by the
// caller of schedule(); the snapshot must live and not change meanwhile.
//
//   the cycle calls  | when                                                  | next() may offer later
//   -----------------+-------------------------------------------------------+---------------------------------------
//   enter            | before the first next(): a demand has ready jobs      | each of the demand's ready jobs, once
//   dispatched       | the job has hosts                                     | other jobs of its demand
//   passed_over      | the job stays pending; others of its demand may start | other jobs of its demand
//   close            | no job of the demand can start in this cycle any more | no job of the demand
//
// After each next() that offers a job exactly one of the last three is called, with that job.
#pragma once

#include <optional>
#include <queue>
#include <set>
#include <vector>

#include "sched/policy/cycle/schedule.hpp"

namespace rollcall::sched::cycle {

struct Candidate {
  DemandNumber demand = 0;
  const Snapshot::DemandEntry* entry = nullptr;
  const PendingJob* job = nullptr;
};

class NextJob {
 public:
  virtual ~NextJob() = default;
  virtual void enter(DemandNumber number, const Snapshot::DemandEntry& entry) = 0;
  // None: no job is left.
  virtual std::optional<Candidate> next() = 0;
  virtual void dispatched(const Candidate& candidate, const Dispatch& given) = 0;
  virtual void passed_over(const Candidate& candidate) = 0;
  virtual void close(const Candidate& candidate) = 0;
};

// Queues by PRIORITY, those of equal priority as one; in them jobs by their order number, then by their key (decision 0024).
// Dispatches do not change this order.
class QueueOrder final : public NextJob {
 public:
  explicit QueueOrder(const PlacementRules& rules) : rules_(rules) {}

  void enter(DemandNumber number, const Snapshot::DemandEntry& entry) override;
  std::optional<Candidate> next() override;
  void dispatched(const Candidate&, const Dispatch&) override { go_on(); }
  void passed_over(const Candidate&) override { go_on(); }
  void close(const Candidate&) override {}

 private:
  // A demand, with its first job that was not offered yet.
  struct Head {
    int priority = 0;
    DemandNumber demand = 0;
    const Snapshot::DemandEntry* entry = nullptr;
    std::set<Snapshot::Place>::const_iterator job;
    Snapshot::Place place;  // *job: the heap compares without visiting the set's nodes
  };
  struct Later {
    bool operator()(const Head& a, const Head& b) const {
      return a.priority != b.priority ? a.priority < b.priority : b.place < a.place;
    }
  };
  void go_on();

  const PlacementRules& rules_;
  std::priority_queue<Head, std::vector<Head>, Later> heads_;
  Head offered_;  // the demand of the job that was offered last
};

}  // namespace rollcall::sched::cycle
