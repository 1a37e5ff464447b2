// The lines that `badmin showstatus` prints of the running mbatchd: a function of its parts, called by the daemon.
#pragma once

#include <string>

#include "sched/mbatchd/committer.hpp"
#include "sched/mbatchd/configuration.hpp"
#include "sched/mbatchd/engine.hpp"
#include "sched/policy/book/host_ledger.hpp"
#include "sched/policy/book/job_table.hpp"

namespace rollcall::mbatchd {

std::string status_lines(const Configuration& configuration, const sched::book::JobTable& jobs,
                         const sched::book::HostLedger& hosts, const Engine& engine,
                         const Committer& committer, bool load_known);

}  // namespace rollcall::mbatchd
