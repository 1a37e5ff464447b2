// verdict_rows: a choice as rows that a job's record keeps and that commands print as JSON. Functions.
#pragma once

#include <span>
#include <vector>

#include "common/wire/job.pb.h"
#include "sched/policy/forward/choice.hpp"

namespace rollcall::sched::forward {

wire::RemoteSlots slots_of(const Figures& figures);
Figures figures_of(const wire::RemoteSlots& slots);

// A row for each queue, in the order of `queues`.
std::vector<wire::ForwardVerdict> rows_of(const Choice& choice, const ForwardJob& job,
                                          std::span<const RemoteQueue> queues, const Settings& settings);

}  // namespace rollcall::sched::forward
