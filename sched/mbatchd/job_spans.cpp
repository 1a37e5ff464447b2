#include "sched/mbatchd/job_spans.hpp"

#include "common/io/job_key.hpp"
#include "sched/policy/values/spans.hpp"

namespace rollcall::mbatchd {
namespace {

// Names the attempt for ever: also where the store was put back and counts again.
std::string name_of(const wire::JobRecord& record) {
  std::string name;
  for (const std::int64_t number :
       {std::int64_t{record.key().id()}, std::int64_t{record.key().index()},
        static_cast<std::int64_t>(record.attempt()), record.submit_us(), record.start_us()})
    name += std::to_string(number) + " ";
  return name;
}

}  // namespace

bool JobSpans::is_part(const sched::Attempt& attempt) const {
  const sched::Job* job = jobs_.find(attempt.job);
  return job && sched::is_part(job->record);
}

std::optional<wire::JobSpan> JobSpans::of(const sched::Attempt& attempt) const {
  const sched::Job* job = jobs_.find(attempt.job);
  if (!job || job->record.attempt() != attempt.number) return std::nullopt;
  if (sched::is_part(job->record)) {
    const wire::JobSpan* told = of_parts_.find(attempt.job);
    return told ? std::optional(*told) : std::nullopt;
  }
  if (!sched::spans_clusters(job->record.hosts())) return std::nullopt;
  wire::JobSpan span;
  const std::string name = name_of(job->record);
  span.set_key(io::job_key(own_, name));
  span.set_task_key(io::job_task_key(own_, name, {}));
  span.set_relay(io::job_relay(span.key()));
  for (const auto& host : job->record.hosts()) {
    const sched::HostId id(host.name());
    auto& place = *span.add_places();
    place.set_host(std::string(id.host()));
    place.set_slots(host.slots());
    place.set_cluster(std::string(id.cluster()));
    place.set_task_key(io::job_task_key(own_, name, id.cluster()));
    const auto known = place_of_(host.name());
    if (!known) continue;
    place.mutable_addresses()->Add(known->addresses.begin(), known->addresses.end());
    place.set_port(known->port);
  }
  return span;
}

}  // namespace rollcall::mbatchd
