// JobSpans: what the hosts of jobs share that have hosts of several clusters: of our own jobs it is made, of parts of other clusters' jobs it
// is what their cluster has told. docs/decisions/0106.
//
// In memory only. Ours are made again, the same ones, after a restart; those of parts come again with their clusters' offers, as long as
// the part waits for its hosts. A host that loses its order later cannot get it again: the part goes on without that host's tasks.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "common/io/cluster_key.hpp"
#include "sched/mbatchd/engine.hpp"
#include "sched/policy/book/job_table.hpp"
#include "sched/policy/peers/told_spans.hpp"

namespace rollcall::mbatchd {

class JobSpans {
 public:
  // place_of: of a host of ours, or a borrowed one; none: it takes no part in such a job.
  JobSpans(const sched::book::JobTable& jobs, const io::ClusterKey& own,
           std::function<std::optional<HostPlace>(const std::string& host)> place_of)
      : jobs_(jobs), own_(own), place_of_(std::move(place_of)) {}

  // Spans of parts of other clusters' jobs. The caller checks a span before it is told.
  sched::peers::ToldSpans& of_parts() { return of_parts_; }
  bool is_part(const sched::Attempt& attempt) const;
  // None: all hosts of the attempt are of one cluster, or it is a part whose span is not known.
  std::optional<wire::JobSpan> of(const sched::Attempt& attempt) const;

 private:
  const sched::book::JobTable& jobs_;
  const io::ClusterKey own_;
  const std::function<std::optional<HostPlace>(const std::string& host)> place_of_;
  sched::peers::ToldSpans of_parts_{[this](sched::JobKey part) {
    const sched::Job* job = jobs_.find(part);
    return !job || !sched::placed(job->status());
  }};
};

}  // namespace rollcall::mbatchd
