// reservations: what an rusage keeps for a job on the hosts that it has: how often its amount counts, and the rows of a job's
// record. Functions. Whether there is room for it is the cycle's (working_state.hpp).
// Rules: "Reserving resources", RESOURCE_RESERVE_PER_SLOT (lsb.params), ReservationUsage (lsb.resources).
#pragma once

#include <string>
#include <vector>

#include "common/conf/cluster_files.hpp"
#include "common/conf/lsb/lsb_files.hpp"
#include "common/resreq/resreq.hpp"
#include "common/wire/job.pb.h"

namespace rollcall::sched {

// What an amount is counted for: once for the job, on each of its hosts, for each slot.
enum class ReservePer { job, host, slot };
// By resource number.
std::vector<ReservePer> reserve_methods(const conf::ClusterFiles& cluster, const conf::LsbFiles& lsb);

// Inline: every host that is looked at asks.
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

// JobRecord.reserved of a job that has hosts already, by the first alternative of `rusage`. Times count from its start.
// `per_task`: the resource of -gpu "num=N/task"; "": none.
std::vector<wire::Reserved> reserved_rows(const conf::ClusterFiles& cluster, const conf::LsbFiles& lsb,
                                          const resreq::ResReq& resreq, const wire::JobRecord& record,
                                          const std::string& per_task);

}  // namespace rollcall::sched
