// lease_rows: the answers about leases: the lease table of bclusters, bhosts -e. Functions from LeaseReport to messages.
#pragma once

#include <vector>

#include "common/wire/batch.pb.h"
#include "sched/policy/lease/lease_report.hpp"

namespace rollcall::sched::answers {

// whole: with its hosts and resources.
wire::BatchReply::LeaseRow lease_row(const lease::LeaseReport& lease, bool whole);

// Adds a job's slots.
void count(lease::SlotCounts& counts, wire::JobStatus status, int slots);

// bhosts -e: the exported leases that have one of the hosts or resources that were asked for, with these alone. None asked for: all. With
// -s: a row for each resource of a lease, with the hosts that have it.
wire::BatchReply::Leases exported_leases(const std::vector<lease::LeaseReport>& leases,
                                         const wire::AskBatchHosts& ask);

}  // namespace rollcall::sched::answers
