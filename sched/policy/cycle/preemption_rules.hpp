// Which queues may preempt which, by PREEMPTION of lsb.queues. Pure, of the files alone; preemption.hpp chooses the jobs.
//
//   the higher queue      the lower queue       then
//   PREEMPTIVE            any                   the higher one preempts it
//   PREEMPTIVE[... low]   any                   likewise, if it is named
//   any                   PREEMPTABLE           likewise
//   any                   PREEMPTABLE[... high] likewise, if the higher one is named
//   none of these                               no preemption between the two
//
// Higher is PRIORITY alone: of two queues of one PRIORITY none preempts the other. Rules: "Administering Platform LSF", preemptive
// scheduling; docs/decisions/0088.
#pragma once

#include <vector>

#include "sched/policy/cycle/placement_rules.hpp"

namespace rollcall::sched::cycle {

// For each queue, by number: the queues that it may preempt, those first whose jobs are preempted first: by the number behind "+",
// the largest first (none counts as 0), then the lowest PRIORITY, then the order of lsb.queues.
std::vector<std::vector<QueueNumber>> preemptable_queues(const std::vector<QueueRule>& queues);

// Sets whether the limit counts preempted jobs. The total of a user never does. Limits of user groups, on a host and per processor
// do, unless PREEMPT_FOR names them; those of queues, projects and profiles always do.
void leave_out_preempted(const conf::LsbUsers& users, LimitRule& rule);

// PREEMPTIVE of the higher queue allows it.
bool preemptive_admits(const QueueRule& high, const QueueRule& low);
// The number behind "+" of the lower queue's name in PREEMPTIVE of the higher one; 0: none.
int preference_of(const QueueRule& high, const QueueRule& low);

}  // namespace rollcall::sched::cycle
