#include "sched/client/questions.hpp"

#include <algorithm>

#include "common/io/name_lookup.hpp"
#include "sched/policy/values/answer_tables.hpp"

namespace rollcall::client {
namespace {

using Reply = wire::BatchReply;

// The part of the answer that `part` gives.
template <class Part>
Answered<Part> ask_for(Session& session, wire::BatchRequest request, Part* (Reply::*part)()) {
  auto reply = session.ask(std::move(request));
  if (!reply) return std::move(reply.error());
  return std::move(*((*reply).*part)());
}

std::optional<Failure> ask_past(Session& session, wire::BatchRequest request, const TakeEvents& take) {
  return session.ask(std::move(request), [&take](Reply& part) { take(*part.mutable_events()); });
}

}  // namespace

std::optional<Failure> ask_jobs(Session& session, wire::AskJobs question, const JobTaker& taker) {
  sched::SubmissionTable submissions;
  sched::ReasonTable reasons;
  wire::BatchRequest request;
  *request.mutable_jobs() = std::move(question);
  return session.ask(std::move(request), [&](Reply& part) {
    auto& jobs = *part.mutable_jobs();
    submissions.take(jobs);
    reasons.take(jobs);
    for (auto& job : *jobs.mutable_jobs()) {
      reasons.lend(job);
      taker.job(job, submissions.of(job));
      reasons.take_back(job);
    }
    taker.part_over(jobs);
  });
}

Answered<wire::JobKey> newest_job(Session& session, const wire::JobFilter& filter) {
  wire::AskJobs question;
  *question.mutable_filter() = filter;
  wire::JobKey newest;
  const auto failure =
      ask_jobs(session, std::move(question), {[&newest](const Reply::JobView& job, const auto&) {
                 newest.set_id(std::max(newest.id(), job.record().key().id()));
               }});
  if (failure) return *failure;
  if (newest.id() == 0) return Failure{Failure::Kind::no_match, "No matching job found"};
  return newest;
}

Answered<std::vector<std::string>> find_jobs_of_clusters(Session& session, wire::JobFilter& filter) {
  constexpr const char* kNotUnderstood = "-1";  // batch.proto: JobFilter.of_clusters
  wire::AskJobs question;
  question.mutable_filter()->mutable_of_clusters()->Swap(filter.mutable_of_clusters());
  question.mutable_filter()->add_keys()->set_id(-1);
  wire::JobFilter found = filter;
  found.clear_keys();
  for (const auto& key : filter.keys())
    if (key.id() >= 0) *found.add_keys() = key;
  std::vector<std::string> unknown;
  const auto failure =
      ask_jobs(session, std::move(question),
               {[&](const Reply::JobView& job, const auto&) { *found.add_keys() = job.record().key(); },
                [&](const Reply::Jobs& part) {
                  unknown.insert(unknown.end(), part.unknown().begin(), part.unknown().end());
                }});
  if (failure) return *failure;
  if (std::find(unknown.begin(), unknown.end(), kNotUnderstood) != unknown.end())
    return Failure{Failure::Kind::no_match,
                   "mbatchd does not know ids of other clusters: its release is older than this command"};
  filter = std::move(found);
  return unknown;
}

std::optional<Failure> ask_events(Session& session, wire::AskEvents question, const TakeEvents& take) {
  wire::BatchRequest request;
  *request.mutable_events() = std::move(question);
  return ask_past(session, std::move(request), take);
}

std::optional<Failure> ask_finished(Session& session, wire::AskFinished question, const TakeEvents& take) {
  wire::BatchRequest request;
  *request.mutable_finished() = std::move(question);
  return ask_past(session, std::move(request), take);
}

Answered<Reply::Queues> ask_queues(Session& session, wire::AskQueues question) {
  wire::BatchRequest request;
  *request.mutable_queues() = std::move(question);
  return ask_for(session, std::move(request), &Reply::mutable_queues);
}

Answered<Reply::BatchHosts> ask_hosts(Session& session, wire::AskBatchHosts question) {
  wire::BatchRequest request;
  *request.mutable_hosts() = std::move(question);
  return ask_for(session, std::move(request), &Reply::mutable_hosts);
}

Answered<Reply::SharedRows> ask_shared_resources(Session& session, wire::AskBatchHosts question) {
  wire::BatchRequest request;
  *request.mutable_hosts() = std::move(question);
  return ask_for(session, std::move(request), &Reply::mutable_shared);
}

Answered<Reply::Users> ask_users(Session& session, wire::AskUsers question) {
  wire::BatchRequest request;
  *request.mutable_users() = std::move(question);
  return ask_for(session, std::move(request), &Reply::mutable_users);
}

Answered<Reply::Groups> ask_groups(Session& session, wire::AskGroups question) {
  wire::BatchRequest request;
  *request.mutable_groups() = std::move(question);
  return ask_for(session, std::move(request), &Reply::mutable_groups);
}

Answered<Reply::Parameters> ask_parameters(Session& session) {
  wire::BatchRequest request;
  request.mutable_parameters();
  return ask_for(session, std::move(request), &Reply::mutable_parameters);
}

Answered<Reply::Applications> ask_applications(Session& session, wire::AskApplications question) {
  wire::BatchRequest request;
  *request.mutable_applications() = std::move(question);
  return ask_for(session, std::move(request), &Reply::mutable_applications);
}

Answered<Reply::ClusterRows> ask_clusters(Session& session) {
  wire::BatchRequest request;
  request.mutable_clusters();
  return ask_for(session, std::move(request), &Reply::mutable_clusters);
}

Answered<Reply::Leases> ask_exported(Session& session, wire::AskBatchHosts question) {
  wire::BatchRequest request;
  *request.mutable_hosts() = std::move(question);
  request.mutable_hosts()->set_exported(true);
  return ask_for(session, std::move(request), &Reply::mutable_leases);
}

Answered<Reply::LimitRows> ask_limits(Session& session, wire::AskLimits question) {
  wire::BatchRequest request;
  *request.mutable_limits() = std::move(question);
  return ask_for(session, std::move(request), &Reply::mutable_limits);
}

bool user_unknown(Session& session, const std::string& name) {
  if (name.empty() || name == "all" || !io::no_such_user(name)) return false;
  wire::AskGroups question;
  question.add_groups(name);
  question.set_of_users(true);
  const auto groups = ask_groups(session, std::move(question));
  return !groups && groups.error().refusal.why() == Reply::Refusal::NO_USER;
}

}  // namespace rollcall::client
