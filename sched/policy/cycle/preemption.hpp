// Preemption: in one cycle, which running jobs stop so that a job of a higher queue can start on their slots, and which of those
// that were preempted before go on.
//
//   victims, first to last: the queues in the order of preemptable_queues(); in a queue the hosts in the order of the job that
//   wants them (its order section, so the least loaded first); on a host the job that was started last.
//
// With OPTIMAL_MINI_JOB a parallel job preempts as few jobs as will do, of the queues that it has to turn to anyway: those with
// the most slots.
//
// Before it preempts, a job takes the slots of suspended jobs of higher queues that may preempt its own (USE_SUSP_SLOTS): these
// lend them, and preempt it to go on.
//
// For resources of PREEMPTABLE_RESOURCES a job preempts jobs that reserve them, in the same order of queues and wherever they run, before
// it looks for slots.
//
// A job that has reached limits of its user or group preempts jobs that these count, in the same order of queues, before it looks for
// slots; only limits that leave preempted jobs out (leave_out_preempted()) make room so.
//
// A job looks for free slots first, as any job. It gets its least number of slots this way, never more, and stops no job if that
// cannot be had. Exclusive jobs (-x, -nnodes) neither preempt nor are preempted, without PREEMPT_JOBTYPE=EXCLUSIVE; with it those
// of -x do both. What the victims had and the preemptor does not
// use is free in the next cycle: within this one resources only become fewer (docs/cycle-memory.md).
// Rules: "Administering Platform LSF", preemptive scheduling; docs/decisions/0088.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <unordered_set>
#include <vector>

#include "sched/policy/cycle/host_search.hpp"
#include "sched/policy/cycle/preemption_log.hpp"
#include "sched/policy/cycle/victims.hpp"

namespace rollcall::sched::cycle {

class Preemption {
 public:
  // `log`: nullptr, or takes each attempt.
  Preemption(WorkingState& state, HostSearch& search, PreemptionLog* log)
      : state_(state), search_(search), log_(log), lenders_(lending_queues(state.snapshot())) {}

  // Some queue may preempt another one.
  bool in_use() const { return state_.rules().preempts_any; }
  // Jobs of the queue may preempt jobs of others.
  bool by(QueueNumber queue) const { return !state_.rules().preempts[queue].empty(); }
  // Suspended jobs of higher queues lend their slots to jobs of the queue.
  bool lends_to(QueueNumber queue) const { return !lenders_.empty() && !lenders_[queue].empty(); }

  // The job lends no slots in this cycle: it resumes.
  void leave_alone(JobKey job) { suspended_.insert(job); }

  // Hosts for a job that found none. The victims, those that lend their slots among them, count as suspended from here on and
  // their slots as free, until settle(). `preempts`: false: it may only use slots that are lent.
  struct Found {
    Allocation room;
    std::vector<const PlacedJob*> victims;
  };
  std::optional<Found> find(const HostSearch::Look& look, const PendingJob& job, bool preempts);
  // When the next running job that is left alone now (NO_PREEMPT_INTERVAL) may be preempted; never: none is.
  WallTime next_preemptable() const { return next_preemptable_; }
  // The job has taken its room: slots of its victims that it did not need are free no more in this cycle. True if there were any.
  bool settle(DemandNumber demand, const NumberedPlacement& placement,
              const std::vector<const PlacedJob*>& victims);

  // Preempted jobs of queues with at least this priority go on where their slots are free, or preempt jobs of lower queues that
  // have them: jobs of the highest queue first, then those that were started first. A job that is suspended for another reason
  // too gets its slots back and stays suspended.
  void go_on(int priority, Plan& plan);

  // Why a job is suspended for the job `by` of `queue`.
  std::string preempted_text(JobKey by, QueueNumber queue) const;

 private:
  using Jobs = std::vector<const PlacedJob*>;
  // Jobs of a queue whose slots another job may get: the queue's number for those that run; for those that are suspended and
  // lend them, that number and the number of all queues together.
  using Source = std::uint32_t;
  struct Draft;
  // Jobs that together could give a job its room: all of them, or with span[hosts=1] those of one host. Those with the most slots
  // of use first; of equal ones the usual order.
  struct Sized {
    const PlacedJob* job = nullptr;
    int slots = 0;
    std::size_t rank = 0;  // of its source, in the order of sources_of()
  };
  struct Group {
    HostNumber host = kNoHost;  // span[hosts=1]
    std::vector<Sized> jobs;
  };
  struct Cursors {
    std::vector<HostNumber> hosts;     // with victims, that could give it at least one slot
    long long most = 0;                // slots that they could give it together
    std::map<Source, std::size_t> at;  // hosts before it have no victims of the source
    // For OPTIMAL_MINI_JOB, made when first needed.
    std::optional<std::vector<Group>> by_size;
    std::vector<bool> of_use;  // by host: it is in `hosts`
  };
  int priority(const PlacedJob& job) const;
  QueueNumber queue_of(const PlacedJob& job) const;
  bool preemptable(const PlacedJob& job);
  void find_running();
  void find_lenders();
  const std::vector<Jobs>& of(Source source) const { return jobs_[source]; }
  Source source_of(const PlacedJob& job) const;
  std::vector<Source> sources_of(QueueNumber queue) const;
  Cursors& cursors_of(const HostSearch::Look& look);
  int free_for(const Demand& demand, HostNumber host) const;
  int most_on(const HostSearch::Look& look, HostNumber host) const;
  void lend(const PlacedJob& job, int sign);
  bool add_victims(Draft& draft, Source source);
  bool add_victims_on(Draft& draft, Source source, HostNumber host);
  bool enough(Draft& draft);
  void spare(Draft& draft);
  std::nullopt_t give_up(Draft& draft);
  // Shared resources: preemption_resources.cpp.
  using Amounts = std::map<std::uint32_t, double>;  // by instance
  Amounts lacking(const Demand& demand, const Compiled& compiled) const;
  Amounts all_give_back(const HostSearch::Look& look) const;
  void take_resources(Draft& draft);
  bool add_holders(Draft& draft, const Amounts& lacking);
  void add_holder(Draft& draft, const PlacedJob& job);
  bool holds(const PlacedJob& job, const Amounts& lacking) const;
  bool has_all(const Amounts& lacking) const;
  std::vector<ResourceId> missing(const Amounts& lacking) const;
  Amounts left_over(const Draft& draft) const;
  bool enough_without(const PlacedJob& victim, const Amounts& left) const;
  bool settle_resources(const NumberedPlacement& placement, const Jobs& victims);
  // Limits: limits_given_up.cpp.
  using Shares = std::vector<LimitShare>;
  using Left = std::map<std::pair<TallyNumber, HostNumber>, double>;
  Shares wanted_on(const Draft& draft, HostNumber host) const;
  Shares full(Shares wanted) const;
  bool counts_for(const PlacedJob& job, const Shares& full) const;
  Shares all_count(const HostSearch::Look& look) const;
  bool take_limits(Draft& draft);
  bool take_limits_of(const PlacedJob& job, Jobs& victims);
  Left left_of_limits(const Draft& draft) const;
  bool within_limits(const PlacedJob& victim, const Left& left) const;
  void take_off(const PlacedJob& victim, Left& left) const;
  bool settle_limits(DemandNumber demand, const NumberedPlacement& placement, const Jobs& victims);
  void start_with_free_hosts(Draft& draft) const;
  const std::vector<Group>& by_size(const Draft& draft);
  void take_fewest(Draft& draft);
  bool take_largest(Draft& draft, const Group& group, std::size_t last_rank, std::size_t most);
  bool could_do(const Draft& draft, const Group& group, std::size_t most) const;
  void find_waiting();
  bool reclaim(const PlacedJob& job, Plan& plan);
  bool take_slots_of(const PlacedJob& job, Jobs& victims);
  void look_again(WallTime at, Plan& plan) const;
  void note(const PlacedJob& job, const Jobs& victims);

  WorkingState& state_;
  HostSearch& search_;
  PreemptionLog* const log_;
  const std::vector<std::vector<QueueNumber>> lenders_;  // lending_queues()
  bool known_ = false;
  WallTime next_preemptable_;
  std::vector<std::vector<Jobs>> jobs_;  // by source, by host; the job that was started last is the first
  std::unordered_set<JobKey>
      suspended_;  // in this cycle; and those that got the slots back that they had lent
  std::map<const Snapshot::DemandEntry*, Cursors> cursors_;
  std::optional<Jobs> waiting_;  // preempted jobs, the next to go on first
  std::size_t next_waiting_ = 0;
};

}  // namespace rollcall::sched::cycle
