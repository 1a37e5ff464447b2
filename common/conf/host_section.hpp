// The rows of section Host of lsf.cluster.NAME: hosts with what the site says of them. Pure.
//
// Part of the view lsf_cluster.hpp, which other rooms use. What a host detects about itself is not here.
#pragma once

#include <string_view>
#include <vector>

#include "common/conf/lsf_cluster.hpp"

namespace rollcall::conf {

// Whether it is a type that a host finds by itself: it means the same in every cluster, also where lsf.shared does not name it.
bool is_detected_type(std::string_view type);

// The hosts in the order of the file; their names are added to `names`.
std::vector<ClusterHost> read_host_section(const SectionFile& file, const LsfShared& shared,
                                           const IndexTable& indices, HostNames& names, Problems& problems);

}  // namespace rollcall::conf
