#include "sched/policy/jobs/request_bounds.hpp"

#include <algorithm>
#include <string>

#include "common/wire/submitted_jobs.hpp"

namespace rollcall::sched::jobs {
namespace {

class Bounds {
 public:
  std::optional<Refusal> refused;  // for the first bound that is exceeded

  void count(const char* what, std::uint64_t found, std::size_t most) {
    if (refused || found <= most) return;
    refused = refusal(Refusal::BAD_REQUEST, "found " + std::to_string(found) + " " + what +
                                                " in one request, expected at most " + std::to_string(most));
  }
  template <class Names>
  void names(const char* what, const Names& names) {
    count(what, static_cast<std::uint64_t>(names.size()), kMostNames);
  }
  void filter(const wire::JobFilter& filter) {
    count("job ids", static_cast<std::uint64_t>(filter.keys_size()), kMostKeys);
    count("index lists", static_cast<std::uint64_t>(filter.index_lists_size()), kMostKeys);
    count("job ids of other clusters", static_cast<std::uint64_t>(filter.of_clusters_size()), kMostNames);
    std::uint64_t ranges = 0;
    for (const auto* lists : {&filter.index_lists(), &filter.of_clusters()})
      for (const auto& list : *lists) ranges += static_cast<std::uint64_t>(list.indices_size());
    count("index ranges", ranges, kMostKeys);
    names("job states", filter.statuses());
  }
};

std::uint64_t elements_asked(const wire::Submission& job) {
  std::uint64_t elements = 0;
  for (const auto& range : job.indices()) {
    const std::int64_t length = std::int64_t{range.last()} - range.first();
    if (length >= 0) elements += static_cast<std::uint64_t>(length / std::max(1, range.step())) + 1;
  }
  return std::max<std::uint64_t>(1, elements);
}

// One array alone may have MAX_JOB_ARRAY_SIZE elements, which the Book checks.
void check_submit(Bounds& bounds, const wire::Submit& submit) {
  std::uint64_t jobs = 0;
  for (const auto& job : submit.jobs()) {
    jobs += elements_asked(job);
    bounds.count("index ranges", static_cast<std::uint64_t>(job.indices_size()), kMostIndexRanges);
  }
  if (submit.jobs_size() > 1) bounds.count("jobs and array elements", jobs, kMostAtOnce);
}

void check_finished(Bounds& bounds, const wire::AskFinished& ask) {
  bounds.filter(ask.filter());
  bounds.names("users", ask.users());
  bounds.names("queues", ask.queues());
  bounds.names("hosts", ask.hosts());
  bounds.names("projects", ask.projects());
}

void check_jobs(Bounds& bounds, const wire::BatchRequest& request) {
  switch (request.request_case()) {
    case wire::BatchRequest::kSubmit:
      return check_submit(bounds, request.submit());
    case wire::BatchRequest::kJobs:
      return bounds.filter(request.jobs().filter());
    case wire::BatchRequest::kSignal:
      bounds.names("hosts", request.signal().hosts());
      return bounds.filter(request.signal().filter());
    case wire::BatchRequest::kSwitchJobs:
      return bounds.filter(request.switch_jobs().filter());
    case wire::BatchRequest::kModify:
      return bounds.filter(request.modify().filter());
    case wire::BatchRequest::kEvents:
      return bounds.filter(request.events().filter());
    case wire::BatchRequest::kFinished:
      return check_finished(bounds, request.finished());
    default:
      return;
  }
}

void check_others(Bounds& bounds, const wire::BatchRequest& request) {
  switch (request.request_case()) {
    case wire::BatchRequest::kQueues:
      return bounds.names("queues", request.queues().queues());
    case wire::BatchRequest::kHosts:
      bounds.names("resources", request.hosts().resources());
      return bounds.names("hosts", request.hosts().hosts());
    case wire::BatchRequest::kUsers:
      return bounds.names("users", request.users().users());
    case wire::BatchRequest::kGroups:
      return bounds.names("groups", request.groups().groups());
    case wire::BatchRequest::kApplications:
      return bounds.names("application profiles", request.applications().names());
    case wire::BatchRequest::kControl:
      return bounds.names("queues or hosts", request.control().names());
    default:
      return;
  }
}

}  // namespace

std::optional<Refusal> too_many_jobs(std::string_view request) {
  Bounds bounds;
  bounds.count("jobs", wire::submitted_jobs(request), kMostAtOnce);
  return std::move(bounds.refused);
}

std::optional<Refusal> out_of_bounds(const wire::BatchRequest& request) {
  Bounds bounds;
  check_jobs(bounds, request);
  check_others(bounds, request);
  return std::move(bounds.refused);
}

}  // namespace rollcall::sched::jobs
