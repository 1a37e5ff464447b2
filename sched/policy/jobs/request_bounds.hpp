// The bounds of one client request to mbatchd: how many jobs, job ids, array indices and names it may have.
//
// mbatchd reads and checks a request within one turn, while other clients wait. So it refuses a request that is larger than any
// that a command sends, before it carries out any part of it. Not here: how long texts may be (submission_check.hpp), and whether
// the client may do what it requests (the Book). Functions of values.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "sched/policy/jobs/submission_check.hpp"

namespace rollcall::sched::jobs {

// Job ids, index lists, index ranges: a command line has no room for more.
inline constexpr std::size_t kMostKeys = 300'000;
inline constexpr std::size_t kMostIndexRanges = 10'000;  // of one array
inline constexpr std::size_t kMostNames = 10'000;        // queues, hosts, users, ... of one kind
// Jobs and array elements of a request that submits several jobs.
inline constexpr std::size_t kMostAtOnce = 20'000;

// Why mbatchd refuses the request; none: it is within the bounds.
std::optional<Refusal> out_of_bounds(const wire::BatchRequest& request);

// The same for the number of jobs that a serialized BatchRequest submits, without parsing them: an empty job has two bytes here,
// and about a kilobyte as a message. None for malformed bytes: parsing them fails later.
std::optional<Refusal> too_many_jobs(std::string_view request);

}  // namespace rollcall::sched::jobs
