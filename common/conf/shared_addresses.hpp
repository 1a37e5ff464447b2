// shared_addresses: finds hosts of lsf.cluster that share one address, where a request for one would reach the other. A check of
// ckconfig; at run time RES refuses what is meant for another host (meant_host.hpp).
#pragma once

#include "common/conf/cluster_files.hpp"

namespace rollcall::conf {

// Addresses come from LSF_ENVDIR/hosts, and from /etc/hosts for other hosts. No resolver is asked. Loopback addresses are
// ignored: every host has them.
void refuse_shared_addresses(const ClusterFiles& files, const FileSources& sources, Problems& problems);

}  // namespace rollcall::conf
