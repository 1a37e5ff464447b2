// Locations: the LOCATION of a resource in section ResourceMap: which hosts share which instance of it.
//
// Pure. It knows no resource; whether a value must or may not be there is the caller's. The grammar is at the top of
// locations.cpp.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.hpp"
#include "common/conf/host_names.hpp"
#include "common/conf/lsf_cluster.hpp"

namespace rollcall::conf {

// `server_hosts`: official names of all server hosts in the order of section Host. Errors have no place. An unknown host is left
// out with an error in `left_out`; so is an instance with no other host.
Result<std::vector<ResourceInstance>> parse_locations(std::string_view text, const HostNames& names,
                                                      const std::vector<std::string>& server_hosts,
                                                      std::vector<Error>& left_out);

}  // namespace rollcall::conf
