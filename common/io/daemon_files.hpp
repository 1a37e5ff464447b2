// daemon_files: the files that each daemon of root must be able to trust, besides those that all have (root_trust.hpp), and why the daemons
// of this host would refuse to start. Functions; they use the file system and may hang with it.
//
// Daemons ask at their start, ckconfig in advance.
#pragma once

#include <string>
#include <vector>

#include "common/conf/batch_settings.hpp"
#include "common/conf/cluster_files.hpp"
#include "common/conf/peer_settings.hpp"
#include "common/io/root_trust.hpp"

namespace rollcall::io {

std::vector<NamedPath> files_of_lim(const conf::LoadSettings& settings);
std::vector<NamedPath> files_of_res(const conf::BatchSettings& batch);
std::vector<NamedPath> files_of_mbatchd(const conf::ClusterFiles& files, const conf::BatchSettings& batch,
                                        const conf::PeerSettings& peers);

// A line for each owner and mode for which a daemon of root refuses `more` or what all daemons read. Empty where root runs no daemon of this
// cluster (root_has_daemons()).
std::vector<std::string> refused_files(const conf::LoadSettings& settings,
                                       const std::vector<NamedPath>& more);

}  // namespace rollcall::io
