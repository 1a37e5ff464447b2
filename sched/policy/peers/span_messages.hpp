// span_messages: what the hosts of a job share that has hosts of several clusters, as another cluster tells it. Pure. docs/decisions/0106.
#pragma once

#include <string>

#include "common/base/result.hpp"
#include "common/wire/job.pb.h"
#include "common/wire/peer.pb.h"

namespace rollcall::sched::peers {

// Whether a host may be reached there. It is written into files of jobs, and dialled by processes of their users alone.
bool is_address(const std::string& text);
// Addresses of a host as its cluster tells them; none: they are malformed, or it takes no part of a job.
bool are_addresses(const google::protobuf::RepeatedPtrField<std::string>& addresses, std::uint32_t port);

// Errors: it cannot be true.
Result<void> check(const wire::JobSpan& span);

}  // namespace rollcall::sched::peers
