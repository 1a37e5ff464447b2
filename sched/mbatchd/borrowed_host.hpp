// borrowed_host: the two halves of a borrowed host's name. Functions.
#pragma once

#include <string>

#include "sched/policy/values/host_id.hpp"

namespace rollcall::mbatchd {

inline std::string id_of(const std::string& host, const std::string& cluster) { return host + "@" + cluster; }
// "": it is a host of ours.
inline std::string provider_of(const std::string& host) { return std::string(sched::HostId(host).cluster()); }

}  // namespace rollcall::mbatchd
