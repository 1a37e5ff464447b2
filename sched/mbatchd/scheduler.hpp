// Scheduler: when mbatchd makes a scheduling cycle, and what is done with its plan.
//
// The cycle itself is the pure schedule() (sched/policy/cycle/schedule.hpp). Here is only its pace: a cycle follows whatever may have
// changed the plan, at once where it is quick; one that takes its time follows the answers of its turn, and leaves as much time
// for everything else as it took itself.
#pragma once

#include <chrono>
#include <functional>
#include <optional>

#include "common/base/job_clock.hpp"
#include "sched/policy/answers/snapshot_keeper.hpp"
#include "sched/policy/book/host_ledger.hpp"
#include "sched/policy/book/job_table.hpp"

namespace rollcall::mbatchd {

class Scheduler {
 public:
  using Changed = std::function<void(sched::Effects)>;
  using Steady = std::chrono::steady_clock;

  // `changed` is handed what each decision makes of the Book.
  Scheduler(sched::book::JobTable& jobs, sched::book::HostLedger& hosts,
            sched::answers::SnapshotKeeper& keeper, Changed changed)
      : jobs_(jobs), hosts_(hosts), keeper_(keeper), changed_(std::move(changed)) {}

  void want() { wanted_ = true; }
  void want_no_more() { wanted_ = false; }
  bool wanted() const { return wanted_; }
  // It need not wait for the commit.
  bool quick() const;

  // One cycle, where one is wanted and it is not too soon for it. True: there was one.
  bool make(WallTime now);

  // Time alone changes the plan then; none while a cycle is wanted anyway.
  std::optional<WallTime> next_look() const { return wanted_ ? std::nullopt : next_look_; }
  void tick(WallTime now);
  // How long until the cycle that is wanted; none: none is.
  std::optional<Duration> wait() const;

 private:
  bool carry_out(const sched::cycle::Dispatch& dispatch, WallTime now);

  sched::book::JobTable& jobs_;  // for take_dependency_changes()
  sched::book::HostLedger& hosts_;
  sched::answers::SnapshotKeeper& keeper_;
  Changed changed_;
  bool wanted_ = false;
  Duration last_{};
  Steady::time_point not_before_{};
  std::optional<WallTime> next_look_;
};

}  // namespace rollcall::mbatchd
