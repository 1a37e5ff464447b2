// Whether a submission can be a job, and in which queue: everything that bsub is refused for. Functions; the Book keeps
// what was accepted. Rules: bsub(1), lsb.queues(5), lsb.params(5).
//
// A refusal's text is LSF's where its manuals show one, without ". Job not submitted.", which bsub adds.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/wire/batch.pb.h"
#include "sched/policy/jobs/dependency.hpp"
#include "sched/policy/jobs/site_rules.hpp"

namespace rollcall::sched::jobs {

using Refusal = wire::BatchReply::Refusal;
Refusal refusal(Refusal::Why why, std::string text);

inline constexpr std::size_t kMostEnvironment = 2 * 1024 * 1024;  // bytes
inline constexpr std::size_t kLongestWord = 64 * 1024;            // bytes: a name, a path, a command line
inline constexpr std::size_t kMostSubmission = 900 * 1024;        // bytes: its order must fit into a frame
inline constexpr std::size_t kMostElements = 1'000'000;
inline constexpr std::size_t kLongestReason = 4095;  // bytes: bkill -C
inline constexpr int kMostFields = 200;              // that one bmod changes

// Requirements of job, application profile and queue together.
struct CheckedResreq {
  std::string text;
  std::string rusage;  // its rusage section as printed, "" for none
  double mem_mb = 0;   // of it; 0: none
  std::optional<Refusal> refusal;
};
CheckedResreq combined_resreq(const ConfigView& config, const JobTerms& terms, const wire::Submission& asked);

// What the check must know of the Book.
struct SubmissionContext {
  const ConfigView& config;
  const Identity& who;
  WallTime now;
  std::function<bool(const std::string& queue)> queue_open;
  std::function<std::uint32_t()> pending_jobs;  // of this user; asked where there is a limit
  // combined_resreq(), or what was kept of it.
  std::function<CheckedResreq(const conf::QueueRow&, const wire::Submission&)> resreq;
  Dependency::Ids ids;
  Dependency::Known known;
  std::string default_application;  // of a job that names none; a changed job has none
  std::string kept_application;     // of a changed job: it may be gone from lsb.applications
  std::string kept_resreq = {};     // of a changed job: it may be of an older release, which took more
};

struct CheckedSubmission {
  std::optional<Refusal> refusal;           // nothing else is set then
  std::shared_ptr<wire::Submission> asked;  // identity, project, slots filled in
  std::string queue;
  bool default_queue = false;
  std::string resreq;                 // of job and queue, with defaults
  std::vector<std::int32_t> indices;  // sorted; {0}: no array
  std::shared_ptr<const Dependency> dependency;
  std::vector<std::string> notices;
};
CheckedSubmission check_submission(const wire::Submission& asked, const SubmissionContext& context);

// Also asked by bswitch and bmod.
std::optional<Refusal> check_queue(const conf::QueueRow& queue, const wire::Submission& asked,
                                   const SubmissionContext& context);

}  // namespace rollcall::sched::jobs
