// load_request: common parts of the commands that ask the master for hosts.
#pragma once

#include <string>

#include "common/io/command.hpp"
#include "common/io/lim_client.hpp"

namespace rollcall::elim {

// The official name of this host, or the kernel's: the host whose type type==local means.
std::string this_host(const conf::ClusterFiles& files);

// Prints why there is no answer; for an invalid resource requirement with the string and a caret under the place.
int fail_with(io::Stage& stage, const io::ClientError& error, const std::string& resreq);

// lshosts -s and lsload -s: shared resources, by the names in `words`.
int print_shared(io::Stage& stage, const CommandWords& words, bool dynamic);

}  // namespace rollcall::elim
