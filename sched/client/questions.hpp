// Questions to mbatchd: jobs, queues, hosts, users, groups, parameters, limits, history. Results are values of batch.proto;
// sched/policy/show makes tables of them.
//
// Questions about many jobs or events have their answers in parts, as they arrive: a program keeps what it needs. The other
// answers are small and come whole.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "sched/client/session.hpp"

namespace rollcall::client {

// Takes an answer about jobs.
struct JobTaker {
  // Each job with what was asked for it (empty where AskJobs.submissions is not set) and with its reasons.
  std::function<void(wire::BatchReply::JobView& job, const wire::Submission& asked)> job;
  // After the jobs of each part: its sums and unknown ids.
  std::function<void(const wire::BatchReply::Jobs& part)> part_over = [](const wire::BatchReply::Jobs&) {};
};
std::optional<Failure> ask_jobs(Session& session, wire::AskJobs question, const JobTaker& taker);

// The job of `filter` that was submitted last. Failure no_match: "No matching job found".
Answered<wire::JobKey> newest_job(Session& session, const wire::JobFilter& filter);

// Replaces the ids of other clusters in the filter ("12@west") by those that the jobs have here. Gives the ids that no job here has, as
// text. An array that came as several jobs gives all of them.
Answered<std::vector<std::string>> find_jobs_of_clusters(Session& session, wire::JobFilter& filter);

// The parts of a history, in sequence.
using TakeEvents = std::function<void(wire::BatchReply::Events& part)>;
std::optional<Failure> ask_events(Session& session, wire::AskEvents question, const TakeEvents& take);
std::optional<Failure> ask_finished(Session& session, wire::AskFinished question, const TakeEvents& take);

Answered<wire::BatchReply::Queues> ask_queues(Session& session, wire::AskQueues question);
// AskBatchHosts without `shared`. A malformed requirement: the refusal says where.
Answered<wire::BatchReply::BatchHosts> ask_hosts(Session& session, wire::AskBatchHosts question);
// AskBatchHosts with it.
Answered<wire::BatchReply::SharedRows> ask_shared_resources(Session& session, wire::AskBatchHosts question);
Answered<wire::BatchReply::Users> ask_users(Session& session, wire::AskUsers question);
Answered<wire::BatchReply::Groups> ask_groups(Session& session, wire::AskGroups question);
Answered<wire::BatchReply::Parameters> ask_parameters(Session& session);
Answered<wire::BatchReply::Applications> ask_applications(Session& session, wire::AskApplications question);
Answered<wire::BatchReply::ClusterRows> ask_clusters(Session& session);
// bhosts -e
Answered<wire::BatchReply::Leases> ask_exported(Session& session, wire::AskBatchHosts question);
Answered<wire::BatchReply::LimitRows> ask_limits(Session& session, wire::AskLimits question);

// Neither a user of the system nor a user group of mbatchd's. "" and "all" are known.
bool user_unknown(Session& session, const std::string& name);

}  // namespace rollcall::client
