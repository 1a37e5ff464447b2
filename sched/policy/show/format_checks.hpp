// check_formats: the columns that lsf.conf chooses for tables of b* commands. A function: badmin ckconfig.
//
// A command whose usual columns have an error prints the error in place of its table, for each user.
#pragma once

#include "common/conf/cluster_files.hpp"
#include "common/conf/problems.hpp"

namespace rollcall::sched::show {

// Warnings: an unknown field or an invalid width in LSB_BJOBS_FORMAT, LSB_BHOSTS_FORMAT, LSB_BQUEUES_FORMAT, LSB_BUSERS_FORMAT.
void check_formats(const conf::ClusterFiles& files, conf::Problems& problems);

}  // namespace rollcall::sched::show
