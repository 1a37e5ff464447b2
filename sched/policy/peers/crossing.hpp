// crossing: what crosses between clusters, and what is believed of it. Pure.
//
// Of a submission crosses what the user asked and what the job needs to run. What means something in one cluster alone stays there:
// ids of users, hosts of -m, user and job groups, dependencies, dates, names of its paths and programs in LSF_* and LSB_* variables,
// devices. Both sides take it out: the one that offers because it is right, the one that is offered it because it believes nobody.
//
// What another cluster says of a job is cut to what can be true and shown: it may say anything of its own jobs, and nothing that
// breaks a table or a record here. docs/decisions/0090.
#pragma once

#include <string>
#include <string_view>

#include "common/base/result.hpp"
#include "common/wire/peer.pb.h"
#include "sched/policy/values/engine.hpp"
#include "sched/policy/values/job.hpp"

namespace rollcall::sched::peers {

// Why the job cannot be forwarded in this release; "": it can.
std::string stays_home(const wire::Submission& asked);
// Whether a NAME=VALUE word means the same in another cluster.
bool crosses(std::string_view word);

// What the queue and the profile say of a job that is to start on lent slots, and what its provider believes of it.
wire::LentPrograms programs_of(const order::Start& order);
wire::LentPrograms believed(const wire::LentPrograms& told);

// What may cross of a submission.
wire::Submission crossing(const wire::Submission& asked);
// The same of one job: %J, %I of its files and the name of an array's element are those of the submission's cluster.
wire::Submission crossing(const wire::Submission& asked, JobKey key);

// What may cross of a job's usage: its processes mean nothing elsewhere, and there may be thousands of them.
wire::JobUsage crossing(const wire::JobUsage& usage);

// Whether a user, a host or a queue of another cluster may have this name.
bool is_name(const std::string& text);

// An attempt, a job or an end as the other cluster tells them. Errors: it cannot be true.
Result<void> check(const wire::ForwardAttempt& attempt);
Result<wire::JobElsewhere> believed(const wire::JobElsewhere& told);
Result<wire::ForwardOver> believed(const wire::ForwardOver& told);
// Whether a job that asked for this may be on those hosts: a master that claims a million slots fills our event files with their names.
Result<void> fits(const wire::JobElsewhere& job, const wire::Submission& asked);
// Profiles without those whose name none can have; at most a thousand.
wire::PeerApplications believed(const wire::PeerApplications& told);

}  // namespace rollcall::sched::peers
