// verdict_rows: a choice among queues of other clusters as the rows that a job's record keeps and -json shows. A function.
#pragma once

#include <span>
#include <vector>

#include "common/wire/job.pb.h"
#include "sched/policy/forward/choice.hpp"
#include "sched/policy/forward/remote_queues.hpp"

namespace rollcall::sched::peers {

// One for each queue, in the order of `queues`.
std::vector<wire::ForwardVerdict> rows_of(const forward::Choice& choice, const forward::ForwardJob& job,
                                          std::span<const forward::RemoteQueue> queues,
                                          const forward::Settings& settings);

}  // namespace rollcall::sched::peers
