// show_leases: what bclusters and bhosts -e print of leases between clusters. Pure. Columns of "Platform LSF Command Reference", bclusters(1)
// and bhosts(1); what the manual has no column for is shown with -l and -json.
#pragma once

#include <string>
#include <vector>

#include "common/wire/batch.pb.h"

namespace rollcall::sched::show {

using LeaseRows = google::protobuf::RepeatedPtrField<wire::BatchReply::LeaseRow>;

// The block [Resource Lease Information ], a line for each lease. `all`: -l.
std::string lease_block(const LeaseRows& leases, bool all);
// The block [Resource Definitions ]: where lsf.shared of a cluster that lends differs; "": nowhere.
std::string difference_block(
    const google::protobuf::RepeatedPtrField<wire::BatchReply::ClusterDifference>& differences);
// A record for each lease.
std::vector<std::string> lease_records(const LeaseRows& leases, bool all);

// bhosts -e: a line for each exported host, with the sums of all its consumers.
std::string exported_hosts_table(const wire::BatchReply::Leases& leases, bool wide);
// With -l: a line for each host and lease.
std::string exported_hosts_long(const wire::BatchReply::Leases& leases);
std::string exported_hosts_json(const wire::BatchReply::Leases& leases);
bool exports_hosts(const wire::BatchReply::Leases& leases);
// One line for each lease with whole hosts that the consumer has not asked for: neither cluster can use them.
std::vector<std::string> wasted_lines(const wire::BatchReply::Leases& leases);
// One line for each consumer of a policy that has nothing for it, and for each lease whose slots on these hosts are taken back.
std::vector<std::string> left_out_lines(const wire::BatchReply::Leases& leases);

// bhosts -e -s
std::string exported_resources_table(const wire::BatchReply::Leases& leases);
std::string exported_resources_long(const wire::BatchReply::Leases& leases);
std::string exported_resources_json(const wire::BatchReply::Leases& leases);
bool exports_resources(const wire::BatchReply::Leases& leases);

}  // namespace rollcall::sched::show
