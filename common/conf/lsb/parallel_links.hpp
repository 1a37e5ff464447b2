// ParallelLinks: DJOB_HB_INTERVAL, DJOB_RU_INTERVAL and DJOB_COMMFAIL_ACTION of a queue, a profile, or all jobs (lsb.params). A
// value; what comes of it for a job is common/base/link_patience.hpp.
#pragma once

#include <optional>

#include "common/base/link_patience.hpp"
#include "common/conf/row_reader.hpp"

namespace rollcall::conf {

struct ParallelLinks {
  std::optional<Duration> heartbeat, usage;  // as written, before they are scaled
  std::optional<CommfailAction> action;
};

// Each value of `own`, else that of `otherwise`.
ParallelLinks joined(const ParallelLinks& own, const ParallelLinks& otherwise);
ParallelLinks read_parallel_links(const Row& row, RowReader& cells);

}  // namespace rollcall::conf
