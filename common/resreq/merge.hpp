// How several requirements become one: several -R options (and a section that comes again in one string), a job's over
// its queue's, and what is added where nothing is said. Functions. Rules: "Administering Platform LSF 6.2 and 7.3".
//
//            two -R options                     job over queue
//   select   both must hold                     both must hold
//   order    the keys of the second follow      the job's; the queue's only where the job requires nothing at all (7.3)
//   rusage   the second wins for each index, the others stay; with alternatives each over each
//                                               and no built-in index and no duration may be above the queue's
//   span     an error                           the job's, else the queue's; hosts=-1: none
//   same     together                           together
//   cu       an error                           the job's, else the queue's
//   affinity an error                           the job's, else the queue's
#pragma once

#include <optional>

#include "common/base/index_table.hpp"
#include "common/base/result.hpp"
#include "common/resreq/resreq.hpp"

namespace rollcall::resreq {

// Errors are usage errors of the form "found X, expected Y". No merging gives more than kMostWords usages in all
// alternatives of rusage together.
Result<ResReq> merge(const ResReq& first, const ResReq& second);
// With the requirements of an application profile: the job's lie over the profile's as over a queue's, except that the job may
// ask for more; the result lies over the queue's. `order` is the job's, else the profile's, else the queue's.
Result<ResReq> job_over_files(const ResReq& job, const std::optional<ResReq>& profile,
                              const std::optional<ResReq>& queue, const IndexTable& indices);
Result<ResReq> job_over_queue(const ResReq& job, const ResReq& queue, const IndexTable& indices);

// Adds what a requirement leaves out: the default type (evaluate.hpp) and the default order. As bjobs -l shows it.
ResReq with_defaults(ResReq resreq, const IndexTable& indices);

}  // namespace rollcall::resreq
