// forward_terms: the terms of a resource requirement by which a remote queue is chosen. Functions.
//
// The submission cluster knows the host types and Booleans of a remote queue, and the values of resources that the executing cluster
// compares (MC_RESOURCE_MATCHING_CRITERIA), nothing else of its hosts. So it understands type==x, same[type], defined(x), a Boolean
// by its name, and NAME OPERATOR VALUE, where all of these must hold (&&). The executing cluster checks the whole
// requirement; other terms have no effect here (LSF: lsf.conf, MC_PLUGIN_REMOTE_RESOURCE).
#pragma once

#include <string_view>

#include "common/base/index_table.hpp"
#include "common/resreq/resreq.hpp"
#include "sched/policy/forward/remote_queue.hpp"

namespace rollcall::sched::forward {

// local_type: the type of the submission host, which type==local means; "": it is not known. A name that is not in `indices`
// is taken for a Boolean of another cluster.
void add_terms(const resreq::ResReq& resreq, const IndexTable& indices, std::string_view local_type,
               ForwardJob& job);

}  // namespace rollcall::sched::forward
