// cluster_setup: `lsf_daemons setup`: makes a directory with all that a cluster of this one host needs, for the user who calls it.
//
// What the files say is elim/policy/one_host_files; here host name, user, ports and programs are found out, and the files written.
// It replaces no file, and starts nothing.
#pragma once

#include <string>

#include "common/base/result.hpp"
#include "elim/policy/show/one_host_files.hpp"

namespace rollcall::elim {

// `top` is made where it is missing; an error where a configuration is in it already.
Result<show::OneHost> set_up_cluster(const std::string& top, const std::string& cluster);

}  // namespace rollcall::elim
