// value_terms: whether a remote queue has hosts with the values that a job asks for, by what its cluster told of the resources that it
// names in MC_RESOURCE_MATCHING_CRITERIA. Functions.
//
// Each term by itself needs one host; that one host fits all terms the executing cluster finds out, as with Booleans. A term on a
// resource that the queue tells nothing of has no effect.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sched/policy/forward/remote_queue.hpp"

namespace rollcall::sched::forward {

inline constexpr std::size_t kMostValues = 64;  // of one resource of a queue

// The first term that no host of the queue meets.
std::optional<std::uint32_t> first_unmet(const std::vector<ValueTerm>& terms,
                                         const std::vector<ResourceValues>& told);

// "licver>=5".
std::string text(const ValueTerm& term);

}  // namespace rollcall::sched::forward
