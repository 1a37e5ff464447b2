// Orders to mbatchd about jobs, queues and hosts that exist: signal, switch, move, change, control. Submitting is submit.hpp.
//
// An order may be for many jobs: the result says for each in LSF's words what was done or why not (Outcome.failed). A Failure
// says that nothing was done, or (Kind::unknown) that it may have been: an order is never repeated.
#pragma once

#include "sched/client/session.hpp"

namespace rollcall::client {

using Outcomes = wire::BatchReply::Outcomes;

// Failure no_match: no job matches.
Answered<Outcomes> signal_jobs(Session& session, wire::SignalJobs order);
Answered<Outcomes> switch_jobs(Session& session, wire::SwitchJobs order);
Answered<Outcomes> move_job(Session& session, wire::MoveJob order);

// The result may be empty.
Answered<Outcomes> modify_jobs(Session& session, wire::ModifyJobs order);

// What the cluster's administrator orders. Some actions have outcomes, others a text, others nothing.
Answered<wire::BatchReply> control(Session& session, wire::ControlBatch order);

}  // namespace rollcall::client
