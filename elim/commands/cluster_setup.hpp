// cluster_setup: `lsf_daemons setup`: makes a directory with everything for a cluster of this one host, for the calling user.
//
// elim/policy/show/one_host_files has the contents; this file finds host name, user, ports and programs, and writes the files. It
// replaces no file, and starts no daemon.
#pragma once

#include <string>

#include "common/base/result.hpp"
#include "elim/policy/show/one_host_files.hpp"

namespace rollcall::elim {

// `top` is made where it is missing; an error where it already has a configuration.
Result<show::OneHost> set_up_cluster(const std::string& top, const std::string& cluster);

}  // namespace rollcall::elim
