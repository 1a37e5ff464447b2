// kept_exports: exports of the files before that stay in force because a slip in the new files may be all that ends them. A function.
//
// A section of lsb.resources that has an error is left out, and a name with a slip names nothing. Jobs of other clusters run under what
// is exported, and would end with it. So an export that no section has now stays as it was while one of these is true:
//
//   lsb.resources has an error                                   any export; the error may have been its section
//   a PER_HOST has an unknown host that none had before          a HostExport; the section with that host waits
//   a RES_SELECT cannot be understood, and was not there before  a HostExport; the section with it waits
//
// and a section of which DISTRIBUTION lost a consumer and gained a cluster that is no peer stays as it was. An export is known again by its
// resource, its hosts or its requirement. One whose hosts a new PER_HOST has, or in whose place there is a new RES_SELECT, was changed,
// and ends. docs/decisions/0063.
#pragma once

#include <string>
#include <vector>

#include "common/conf/cluster_files.hpp"
#include "common/conf/lsb/lsb_resources.hpp"
#include "common/conf/peer_settings.hpp"
#include "common/conf/problems.hpp"

namespace rollcall::sched::lease {

// Puts into `read` what stays of `before`, and gives a line for each. `problems`: of the lsb files that were read.
std::vector<std::string> keep_exports(conf::LsbResources& read, const conf::LsbResources& before,
                                      const conf::Problems& problems, const conf::ClusterFiles& files,
                                      const conf::PeerSettings& peers);

}  // namespace rollcall::sched::lease
