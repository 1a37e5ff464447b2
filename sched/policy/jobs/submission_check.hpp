// check_submission: whether a submission can become a job, and in which queue; all reasons to refuse a bsub. Functions; the Book
// keeps what was accepted. Rules: bsub(1), lsb.queues(5), lsb.params(5).
//
// A refusal has LSF's text where its manuals show one, without ". Job not submitted.", which bsub adds.
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

// Sums and products of limits must not overflow. bsub never sends such values.
std::optional<Refusal> check_limits(const wire::Limits& limits);

inline constexpr std::size_t kMostEnvironment = 2 * 1024 * 1024;  // bytes
inline constexpr std::size_t kLongestWord = 64 * 1024;            // bytes: a name, a path, a command line
inline constexpr std::size_t kLongestPath = 4094;                 // bytes of a file of the job: bsub(1)
inline constexpr std::size_t kMostSubmission = 900 * 1024;        // bytes: its order must fit into a frame
inline constexpr std::size_t kMostElements = 1'000'000;
inline constexpr std::size_t kLongestReason = 4095;  // bytes: bkill -C
inline constexpr int kMostFields = 200;              // fields that one bmod may change

// The requirements of job, application profile and queue, merged.
struct CheckedResreq {
  std::string text;
  std::string rusage;  // its rusage section as printed; "": none
  double mem_mb = 0;   // of the rusage; 0: none
  std::optional<Refusal> refusal;
};
CheckedResreq combined_resreq(const ConfigView& config, const JobTerms& terms, const wire::Submission& asked);

// What the check needs from the Book.
struct SubmissionContext {
  const ConfigView& config;
  const Identity& who;
  WallTime now;
  std::function<bool(const std::string& queue)> queue_open;
  std::function<std::uint32_t()> pending_jobs;  // of this user; called only if there is a limit
  // combined_resreq(), or a kept result of it.
  std::function<CheckedResreq(const conf::QueueRow&, const wire::Submission&)> resreq;
  Dependency::Ids ids;
  Dependency::Known known;
  std::string default_application;  // for a job that names none; "" for bmod
  std::string kept_application;     // of the job that bmod changes: it may be gone from lsb.applications
  std::string kept_resreq = {};     // of the job that bmod changes: an older release may have accepted more
  bool kept_hosts = false;          // bmod leaves -m as it is: HOSTS of the queue may be others now
  bool on_lent_slots =
      false;  // the queue, the profile and the requirement are another cluster's, which has chosen the host
};

struct CheckedSubmission {
  std::optional<Refusal> refusal;           // if set, no other member is
  std::shared_ptr<wire::Submission> asked;  // identity, project, slots filled in
  std::string queue;
  bool default_queue = false;
  std::string resreq;                 // merged, with defaults
  std::vector<std::int32_t> indices;  // sorted; {0}: no array
  std::shared_ptr<const Dependency> dependency;
  std::vector<std::string> notices;
};
CheckedSubmission check_submission(const wire::Submission& asked, const SubmissionContext& context);

// Also for bswitch and bmod.
std::optional<Refusal> check_queue(const conf::QueueRow& queue, const wire::Submission& asked,
                                   const SubmissionContext& context);

}  // namespace rollcall::sched::jobs
