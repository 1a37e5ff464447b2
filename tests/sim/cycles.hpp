// Cycles: the scheduling cycle for a BookWorld, as mbatchd runs it, with a snapshot made anew of the Book each time; and what must hold
// of hosts while jobs preempt one another. preemption_site(): the files of a site whose queues do.
//
// It is not a test. Owned by the test or world that makes it.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "sched/policy/answers/snapshot_keeper.hpp"
#include "tests/sim/book_world.hpp"

namespace rollcall::sched {

inline constexpr int kSlotsOfHost = 2;  // in preemption_site()

struct PreemptionSite {
  bool limited = false;         // MAX_JOBS of the user
  bool uses_suspended = true;   // USE_SUSP_SLOTS
  std::string lines_of_queues;  // of each queue
  std::string lines_of_params;
};
// Queues high (40), middle (30) and low (20), the default; high and low take exclusive jobs.
ConfigView preemption_site(const PreemptionSite& site);

class Cycles {
 public:
  explicit Cycles(const ConfigView& config);

  void plan(book::Book& book, WallTime now, const std::function<void(Effects)>& take) const;
  // Calls `look` with a snapshot of the Book.
  void look(const book::Book& book, const std::function<void(cycle::Snapshot&)>& look) const;
  // How often a job that its user had stopped lent its slots.
  int lent() const { return lent_; }

 private:
  std::shared_ptr<const cycle::PlacementRules> rules_;
  mutable int lent_ = 0;
};

// "": no host has more slots taken than it has, jobs that are preempted aside; none has a job beside an exclusive one; and a preempted
// job is suspended, and its time in that state runs.
std::string broken_slots(const book::Book& book);

}  // namespace rollcall::sched
