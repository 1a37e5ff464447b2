// submit: sends one job to mbatchd. The Submission is complete: options, script, environment, changes of esubs
// (sched/policy/submit makes one from words, esub_run.hpp runs the esubs).
#pragma once

#include <string>

#include "sched/client/session.hpp"

namespace rollcall::client {

// What goes to a host in one order must fit into a frame of a daemon.
inline constexpr std::size_t kMostSubmission = 900 * 1024;  // bytes of a serialized Submission

struct SubmitOrder {
  wire::Submission job;
  bool check_only = false;  // mbatchd says whether it would accept the job
  // For an hour mbatchd recognises the submission by it: a program that died before it had the answer may submit again and gets the
  // same job. Empty: a random one, which covers breaks of the connection.
  std::string token;
};

// The job's id and queue. Failures: mbatchd refused (Refusal.offset says where in a requirement); unknown: the job may have been
// submitted.
Answered<wire::BatchReply::Accepted> submit(Session& session, SubmitOrder order);

}  // namespace rollcall::client
