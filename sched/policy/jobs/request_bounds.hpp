// The bounds of one client request to mbatchd: how many jobs, job ids, array indices and names it may have.
//
// mbatchd reads and checks a request within one turn, while other clients wait. So it refuses a request that is larger than any that
// a command sends, before it carries out anything of it. Not here: how long texts may be (submission_check.hpp), and whether the
// caller may do what is asked (the Book). Functions of values.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "sched/policy/jobs/submission_check.hpp"

namespace rollcall::sched::jobs {

inline constexpr std::size_t kMostKeys =
    300'000;  // job ids, index lists, index ranges: a command line has no room for more
inline constexpr std::size_t kMostIndexRanges = 10'000;  // of one array
inline constexpr std::size_t kMostNames = 10'000;        // queues, hosts, users, ... of one kind
inline constexpr std::size_t kMostAtOnce =
    20'000;  // jobs and array elements of a request that submits several jobs

// Why mbatchd refuses the request, or nothing.
std::optional<Refusal> out_of_bounds(const wire::BatchRequest& request);

// The same for the number of jobs that a serialized BatchRequest submits. It parses no job: an empty one has two bytes here, and about
// a kilobyte as a message. Nothing for malformed bytes: parsing them fails.
std::optional<Refusal> too_many_jobs(std::string_view request);

}  // namespace rollcall::sched::jobs
