// export_files: the exports of lsb.resources against the other files of the cluster. A function: badmin ckconfig, and mbatchd's log.
#pragma once

#include "common/conf/cluster_files.hpp"
#include "common/conf/lsb/lsb_files.hpp"
#include "common/conf/peer_settings.hpp"
#include "common/conf/problems.hpp"

namespace rollcall::sched::lease {

// Errors and warnings of check_exports(), with what the files say of hosts: a value that LIM detects is unknown here, and a requirement
// on it fits no host; a type that it detects may be any. Warnings besides: a RES_SELECT with a type or model that lsf.shared lacks, or with
// more than a selection; a consumer that is no peer, so that whole hosts which it gets are used by neither cluster; a
// SharedResourceExport of a resource that no ResourceMap shares, without another cluster, or for a consumer to which no policy exports a host
// with the resource.
void check_export_files(const conf::ClusterFiles& files, const conf::LsbFiles& lsb,
                        const conf::PeerSettings& peers, conf::Problems& problems);

}  // namespace rollcall::sched::lease
