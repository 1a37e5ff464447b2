// Two hosts of lsf.cluster with one address: what is meant for one would run on the other. A check of the files for ckconfig; the
// daemons of the hosts find out by themselves (RES refuses what is meant for another host).
#pragma once

#include "common/conf/cluster_files.hpp"

namespace rollcall::conf {

// By LSF_ENVDIR/hosts, and by /etc/hosts for hosts that it does not have. No resolver is asked. Loopback addresses do not count:
// each host has them.
void refuse_shared_addresses(const ClusterFiles& files, const FileSources& sources, Problems& problems);

}  // namespace rollcall::conf
