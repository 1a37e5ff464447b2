// reservations: how often the amount of an rusage counts for a job with hosts, and the rows for the job's record. Functions.
// working_state.hpp finds out whether there is room for them.
// Rules: "Reserving resources", RESOURCE_RESERVE_PER_SLOT (lsb.params), ReservationUsage (lsb.resources).
#pragma once

#include <string>
#include <vector>

#include "common/conf/cluster_files.hpp"
#include "common/conf/lsb/lsb_files.hpp"
#include "common/resreq/resreq.hpp"
#include "common/wire/job.pb.h"

namespace rollcall::sched {

// How often an amount counts: once for the job, once for each of its hosts, once for each slot.
enum class ReservePer { job, host, slot };
// By resource number. `shared`: by resource number, those that count as shared also where ResourceMap does not have them.
std::vector<ReservePer> reserve_methods(const conf::ClusterFiles& cluster, const conf::LsbFiles& lsb,
                                        const std::vector<bool>& shared = {});

// Inline: called for every host that a cycle looks at.
inline double reserved_amount(ReservePer per, double amount, int slots, bool first_host) {
  switch (per) {
    case ReservePer::slot:
      return amount * slots;
    case ReservePer::host:
      return amount;
    default:
      return first_host ? amount : 0;
  }
}

// JobRecord.reserved for a job that already has hosts, from the first alternative of `resreq`'s rusage. Times count from the job's
// start. `per_task`: the resource of -gpu "num=N/task"; "": none.
std::vector<wire::Reserved> reserved_rows(const conf::ClusterFiles& cluster, const conf::LsbFiles& lsb,
                                          const resreq::ResReq& resreq, const wire::JobRecord& record,
                                          const std::string& per_task);

}  // namespace rollcall::sched
