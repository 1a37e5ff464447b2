// Scheduler: decides when mbatchd runs a scheduling cycle, and carries out its plan.
//
// The cycle itself is the pure schedule() (sched/policy/cycle/schedule.hpp). A cycle follows everything that may change the plan:
// at once if the last cycle was quick. A slow cycle runs after the answers of its turn have left, and the next one waits as long
// as it took.
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

  // `changed` gets the effects of each decision on the Book.
  Scheduler(sched::book::JobTable& jobs, sched::book::HostLedger& hosts,
            sched::answers::SnapshotKeeper& keeper, Changed changed)
      : jobs_(jobs), hosts_(hosts), keeper_(keeper), changed_(std::move(changed)) {}

  void want() { wanted_ = true; }
  void want_no_more() { wanted_ = false; }
  bool wanted() const { return wanted_; }
  // It need not wait for the commit.
  bool quick() const;

  // Runs a cycle if one is due. True: it ran.
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
