// OwnHost: finds this host among the cluster's files, for daemons and commands. Pure: the host name is handed in.
#pragma once

#include <string>

#include "common/base/result.hpp"
#include "common/conf/cluster_files.hpp"

namespace rollcall::conf {

inline std::string no_such_host(const ClusterFiles& files, const std::string& name) {
  return "this host is called " + name + ", and section Host of lsf.cluster." + files.cluster.name +
         " has no such host";
}

// The official name of the host called `name`, or the message to show where section Host does not have it.
inline Result<std::string> own_host(const ClusterFiles& files, const std::string& name) {
  const auto official = files.names.official(name);
  if (official && files.cluster.host(*official) != nullptr) return *official;
  return usage_error(no_such_host(files, name));
}

}  // namespace rollcall::conf
